// Package httpx is the HTTP layer that both services share. It has handlers that return
// errors, one place that reads and checks bodies, one error writer per service, request
// ids, prepared documents, and graceful shutdown.
//
// Each service is an [API]. Its handlers are either plain [HandlerFunc]s or typed
// functions wrapped by [Call].
package httpx
