package servicetest

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/griot/auth"
	"example.com/griot/auth/authtest"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/api/apitest"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/openapi"
	"example.com/griot/openapi/openapitest"
	"example.com/griot/web"
)

// Messaging serves the messaging API of a world, behind a script.
func Messaging(t testing.TB, w *messagingtest.World) *Script {
	t.Helper()
	w.Run(t, w.Delivery)
	s := newScript()
	a, err := api.New(apitest.Options(w, pages(t), slog.New(slog.DiscardHandler), s.URL))
	if err != nil {
		t.Fatal(err)
	}
	validated := openapitest.Wrap(t, openapi.Messaging(), a.Handler())
	s.start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/webhooks/stream" {
			a.Handler().ServeHTTP(w, r) // the validation would wait for its end
			return
		}
		validated.ServeHTTP(w, r)
	}))
	return s
}

// Auth serves the login service of a world, behind a script. Its clients may be of TEST mode only: it has no receiver.
func Auth(t testing.TB, w *authtest.World) *Script {
	t.Helper()
	s := newScript()
	a, err := auth.New(context.Background(), auth.Options{
		DB: w.DB, Key: w.Key, Now: w.Clock.Now, Log: slog.New(slog.DiscardHandler), Pages: pages(t), URL: s.URL, OpenAPI: openapi.Auth(), StateMax: 256,
		Identity: w.Identity, Gateways: w.Gateways,
	})
	if err != nil {
		t.Fatal(err)
	}
	shown := httptest.NewRecorder() // OpenAPI as this service shows it
	a.Public().ServeHTTP(shown, httptest.NewRequest(http.MethodGet, "/openapi.yaml", nil))
	s.start(t, openapitest.Wrap(t, shown.Body.Bytes(), a.Public()))
	return s
}

func pages(t testing.TB) *web.Pages {
	t.Helper()
	p, err := web.New()
	if err != nil {
		t.Fatal(err)
	}
	return p
}
