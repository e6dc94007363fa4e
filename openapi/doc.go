// Package openapi holds the documents of both services, as OpenAPI 3.1.0. They are
// kept by hand, and kept true by tests: every exchange of a service's tests is
// validated against its document, and its routes are the document's operations.
// openapitest does both.
//
// Three things in them are not OpenAPI's: the extension x-multi-segment marks a path
// parameter that may hold slashes, x-live-key an operation that refuses test keys, where no code of its
// errors (live_key_required) says so, and each error response's description names
// its codes in backticks, which a test checks.
package openapi
