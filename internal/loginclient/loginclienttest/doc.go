// Package loginclienttest is a login service for tests: it signs in whom the test says, at once.
package loginclienttest
