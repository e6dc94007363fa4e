// Package httpx is the HTTP layer that both houses share: handlers that return
// errors, bodies read and checked once, one error writer per house, request ids,
// prepared documents, and a server that drains.
//
// A house describes itself with an [API]; its handlers are either plain
// [HandlerFunc]s or typed functions wrapped by [Call].
package httpx
