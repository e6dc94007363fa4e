// Package api is the auth service's HTTP: document 1's endpoints, in its order in
// routes.go, with one file per group.
//
// Handlers check what a request may ask, call login, tenant and token, and put
// the answer into words of HTTP; every refusal is a line of the catalogue in
// internal/fault, written by errors.go. Nothing is cached but the two documents
// of /.well-known, and whatever a browser may change needs the service's own Origin.
package api
