// Package api implements the HTTP endpoints of the messaging service, with one file per group. Only this package
// handles HTTP. Other packages implement the functions of the endpoints.
package api
