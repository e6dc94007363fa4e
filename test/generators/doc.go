// Package generators pins a generator of Go clients that others wrote, and what its clients need. A test in cmd/griot runs
// it on the OpenAPI documents that `griot dev` serves, builds the program in testdata with the two clients, and runs that.
//
// It is a module of its own because of what the generator depends on.
package generators

import _ "github.com/oapi-codegen/runtime" // what generated clients import
