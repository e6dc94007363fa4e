// Package servicetest serves the real services to the tests of clients: every exchange is held against the OpenAPI of its
// service. [Script] stands before a service and breaks connections as a test says.
package servicetest
