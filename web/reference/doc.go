// Package reference converts an OpenAPI document to the content of the pages of the API reference: groups of operations
// with their credentials, fields, examples, error codes, and a curl command.
//
// It reads the part of OpenAPI 3.1 that the documents in openapi/ use. It ignores conditions between fields (if, then,
// not), because the fields' descriptions explain them.
package reference
