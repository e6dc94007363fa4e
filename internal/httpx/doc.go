// Package httpx is the HTTP layer that both services share: handlers that return
// errors, bodies read and checked once, one error writer per service, request ids,
// prepared documents, and a server that drains.
//
// A service describes itself with an [API]; its handlers are either plain
// [HandlerFunc]s or typed functions wrapped by [Call].
package httpx
