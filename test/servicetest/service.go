package servicetest

import (
	"net/http"
	"testing"

	"example.com/griot/auth/authtest"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/openapi"
	"example.com/griot/openapi/openapitest"
)

// Messaging serves the messaging API of a world, behind a script.
func Messaging(t testing.TB, w *messagingtest.World) *Script {
	t.Helper()
	w.Run(t, w.Delivery)
	a := w.NewAPI(t).Handler()
	validated := openapitest.Wrap(t, openapi.Messaging(), a)
	s := &Script{URL: w.URL, service: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/webhooks/stream" {
			a.ServeHTTP(w, r) // the validation would wait for its end
			return
		}
		validated.ServeHTTP(w, r)
	})}
	w.Serve(s)
	return s
}

// Auth serves the login service of a world, behind a script.
func Auth(t testing.TB, w *authtest.World) *Script {
	t.Helper()
	s := &Script{URL: w.URL, service: openapitest.WrapServed(t, w.NewService(t).Public())}
	w.Serve(s)
	return s
}
