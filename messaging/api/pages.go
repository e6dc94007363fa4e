package api

import (
	"net/http"
	"time"

	"griot/internal/fault"
	"griot/internal/httpx"
	"griot/web"
)

const healthRetry = 5 * time.Second

type healthAnswer struct {
	Status  string `json:"status"`
	Service string `json:"service"`
}

// health: GET /healthz, 503 while the database does not answer.
func (a *API) health(w http.ResponseWriter, r *http.Request) error {
	out, status := healthAnswer{"ok", "svc-messaging"}, http.StatusOK
	if err := a.o.DB.Ping(r.Context()); err != nil {
		out.Status, status = "unavailable", http.StatusServiceUnavailable
		httpx.SetRetryAfter(w.Header(), healthRetry)
	}
	return httpx.WriteJSON(w, status, out)
}

// errors: GET /docs/errors, to which every error body's docsUrl leads.
func (a *API) errors(w http.ResponseWriter, r *http.Request) error {
	return a.o.Pages.Serve(w, r, http.StatusOK, web.PageErrors, web.ErrorCatalogue(fault.Messaging))
}
