package main

import "net/http"

// callbacksPath is below which the providers of gateways call: /gateways/{name}/.
const callbacksPath = "/gateways/"

// api serves the messaging API and, beside it, what the providers of gateways call.
// Each gateway's own handler checks who calls before it reads anything.
func (a *app) api() http.Handler {
	mux := http.NewServeMux()
	rest := a.messaging.Handler()
	mux.Handle("/", rest)
	mux.HandleFunc(callbacksPath+"{name}/", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		h := a.gateways.Webhook(name)
		if h == nil {
			rest.ServeHTTP(w, r)
			return
		}
		http.StripPrefix(callbacksPath+name, h).ServeHTTP(w, r)
	})
	return mux
}
