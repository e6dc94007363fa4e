// Package api is the HTTP interface of the auth service: the endpoints of
// openapi/auth.yaml, listed in routes.go, with one file per group.
//
// Handlers check the request, call login, tenant, and token, and write the answer.
// Every refusal is a line of the catalog in internal/fault, written by errors.go.
// Nothing may be cached but the two documents of /.well-known, and every change by a
// browser requires the service's own Origin.
package api
