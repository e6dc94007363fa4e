package api

import (
	"net/http"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
)

const healthRetry = 5 * time.Second

type healthAnswer struct {
	Status  string `json:"status"`
	Service string `json:"service"`
}

// health handles GET /healthz. It responds with 503 while the database does not respond.
func (a *API) health(w http.ResponseWriter, r *http.Request) error {
	out, status := healthAnswer{"ok", "svc-messaging"}, http.StatusOK
	if err := a.o.Ping(r.Context()); err != nil {
		out.Status, status = "unavailable", http.StatusServiceUnavailable
		httpx.SetRetryAfter(w.Header(), healthRetry)
	}
	return httpx.WriteJSON(w, status, out)
}

// bookPage handles GET /docs/{page}, a page of the documentation.
func (a *API) bookPage(w http.ResponseWriter, r *http.Request) error {
	found, err := a.o.Book.Page(w, r, r.PathValue("page"))
	if err == nil && !found {
		return apierror.NotFound.Err()
	}
	return err
}

// referencePage handles GET /docs/reference/{name}, an operation of this service or an object in its requests and responses.
func (a *API) referencePage(w http.ResponseWriter, r *http.Request) error {
	found, err := a.reference.Page(w, r, r.PathValue("name"))
	if err == nil && !found {
		return apierror.NotFound.Err()
	}
	return err
}
