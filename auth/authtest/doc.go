// Package authtest has what the tests of the login service share: a tenant with
// clients on a real database, with a fake clock, and nodes of the service on it.
package authtest
