package main

import (
	"net/http"

	"example.com/griot/internal/httpx"
)

// callbacksPath is the path below which providers call gateways: /gateways/{name}/.
const callbacksPath = "/gateways/"

// api returns the handler of the messaging API and of the gateways' webhooks. Each
// gateway's own handler authenticates the caller before it reads anything.
func (a *app) api() http.Handler {
	const pattern = callbacksPath + "{name}/"
	counted := a.probes.metrics.HTTP.Service("gateways").Routes([]string{pattern})
	mux := http.NewServeMux()
	rest := a.messaging.Public()
	mux.Handle("/", rest)
	mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		h := a.gateways.Webhook(name)
		if h == nil {
			rest.ServeHTTP(w, r)
			return
		}
		httpx.Counted(counted, pattern, http.StripPrefix(callbacksPath+name, h)).ServeHTTP(w, r)
	})
	return mux
}
