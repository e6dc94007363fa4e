// Package openapitest checks that handlers match their document. [Wrap] wraps a handler
// for a test and validates each exchange: every response, and every accepted request,
// because malformed requests must be refused. [Routes] compares a table of routes with
// the document's operations.
//
// It has two additional requirements. The response to a path that isn't in the document
// is an error with the body of the schema Error, and a response without described
// content has no body.
package openapitest
