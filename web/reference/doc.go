// Package reference reads an OpenAPI document into what the pages of the API reference show: groups of operations with
// their credentials, fields, examples, error codes, and a call by curl.
//
// It reads the part of OpenAPI 3.1 that the documents in openapi/ use. Conditions between fields (if, then, not) are left
// to the fields' descriptions, which say them in words.
package reference
