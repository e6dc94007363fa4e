// Package api is the HTTP interface of the auth service: the endpoints of
// openapi/auth.yaml, listed in routes.go, with one file per group.
//
// Handlers check the request, call login, tenant and token, and write the response.
// Every refusal is a line of the catalog in internal/apierror, and errors.go writes it.
// Only the two documents of /.well-known can be cached. Every change by a browser
// requires the service's own Origin.
package api
