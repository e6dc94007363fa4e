// Package goproxy writes a Go module in the format of a module proxy, for GOPROXY=file:///DIR. So `go get` can fetch an
// unpublished module.
package goproxy
