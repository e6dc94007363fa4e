// Package openapitest holds handlers to their document. [Wrap] stands between a
// test and a handler and validates each exchange: responses always, requests
// when they were accepted, since a malformed request is meant to be refused.
// [Routes] compares a table of routes with the document's operations.
//
// What it demands beyond the document: an address that isn't in the document is
// answered with an error that has the body of the schema Error, and a response
// whose content isn't described has none.
package openapitest
