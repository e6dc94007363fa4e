// Package apierror is the catalog of all errors that a caller can get. It has one line
// per condition, with a stable code, an HTTP status, a description, and a fix. Handlers
// return a line of it. Each service has one writer that converts it to the service's
// error body. docs/errors.md is generated from it.
//
//go:generate go run ./gendocs
package apierror
