// Package openapi holds the documents of both services, as OpenAPI 3.1.0. They are
// kept by hand, and kept true by tests: every exchange of a service's tests is
// validated against its document, and its routes are the document's operations.
// openapitest does both.
//
// Four things in them are not OpenAPI's: the extension x-multi-segment marks a path
// parameter that may hold slashes, x-live-key an operation that refuses test keys, where no code of its
// errors (live_key_required) says so, x-judged-alone an array of which a wrong item fails alone, and each
// error response's description names its codes in backticks, which a test checks.
//
// They are written for the tools of others too: test/npm-openapi and test/generators have linters and generators of clients,
// and `griot dev` is called by what these make. What makes clients of them odd is left out: default
// on members of requests, true and false as schemas, types in arrays beside null alone, null in enums, classes of Unicode
// in patterns. Conditions between members stand in dependentSchemas, or beside a $ref, where generators don't look: in
// allOf or oneOf each would be a type.
package openapi
