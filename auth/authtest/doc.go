// Package authtest provides fixtures for the tests of the login service: a tenant with
// clients on a real database, a fake clock, and nodes of the service.
package authtest
