package api

import "net/http"

// InternalHandler serves the endpoints of the internal listener.
func (a *API) InternalHandler() http.Handler { return a.http.Handler(a.Internal()) }
