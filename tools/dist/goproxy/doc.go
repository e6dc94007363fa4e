// Package goproxy writes a Go module as a module proxy serves it, for GOPROXY=file:///DIR: what `go get` needs of a module
// that is published nowhere.
package goproxy
