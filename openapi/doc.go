// Package openapi holds the documents of both services, as OpenAPI 3.1.0. They are written by hand and enforced by
// tests: every exchange of a service's tests is validated against its document, and its routes must be the document's
// operations. openapitest does both.
//
// Four things in them are not part of OpenAPI. The extension x-multi-segment marks a path parameter that can contain
// slashes. The extension x-live-key marks an operation that refuses test keys, if none of its error codes
// (live_key_required) shows that. The extension x-judged-alone marks an array in which an invalid item fails alone. The
// description of each error response names its codes in backticks, which a test checks.
//
// They also work with common tools: test/npm-openapi and test/generators contain linters and client generators, and the
// generated clients call `griot dev`. The documents avoid features that generators handle badly: default on request
// fields, true and false as schemas, type arrays except a single type with null, null in enums, and Unicode classes in
// patterns. Conditions between fields are in dependentSchemas, or next to a $ref, where generators ignore them. In
// allOf or oneOf, each condition would become a type.
package openapi
