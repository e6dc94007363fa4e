package main

import (
	"net/http"

	"griot/gateway"
)

// callbacksPath is where the providers of gateways call: /gateways/{name}/.
const callbacksPath = "/gateways/"

// api serves the messaging API and, beside it, what the providers of gateways call.
// Each gateway's own handler checks who calls before it reads anything.
func (a *app) api() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", a.messaging.Handler())
	for name, g := range a.gateways {
		if r, ok := g.(gateway.WebhookReceiver); ok {
			prefix := callbacksPath + name
			mux.Handle(prefix+"/", http.StripPrefix(prefix, r.WebhookHandler()))
		}
	}
	return mux
}
