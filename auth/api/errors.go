package api

import (
	"maps"
	"net/http"
	"strings"

	"example.com/griot/auth/dashboard"
	"example.com/griot/auth/login"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/web"
)

// writeError writes an Error body, or a page with the same content for a browser at a path that people see.
func (a *API) writeError(w http.ResponseWriter, r *http.Request, e *apierror.Error) {
	page := a.failure(w, e)
	if httpx.SeenByPeople(r, showsErrors) {
		if after := w.Header().Get("Retry-After"); after != "" && r.URL.Path == plainPath && r.Method == http.MethodGet {
			w.Header().Set("Refresh", after) // only here does the page retry on its own
		}
		page.ShortCode = e.Kind == apierror.AuthNotFound && strings.HasPrefix(r.URL.Path, login.ShortPrefix)
		if httpx.Below(r.URL.Path, dashboard.Home) {
			page.Dashboard = dashboard.Home
		}
		serve := a.pages.Serve
		if r.URL.Path == "/authorize" {
			serve = a.pages.ServeOnce // L26
		}
		err := serve(w, r, e.Kind.Status, web.PageError, page)
		if err == nil {
			return
		}
		a.http.Log.Error("page failed", "page", web.PageError, "err", err)
	}
	body := map[string]any{
		"error": e.Kind.OAuth, "error_code": e.Kind.Code, "error_description": e.Text(), "docs_url": page.DocsURL, "request_id": page.RequestID,
	}
	maps.Copy(body, e.Extra)
	if err := httpx.WriteJSON(w, e.Kind.Status, body); err != nil {
		a.http.Log.Error("error body failed", "err", err)
	}
}

// failure returns the content of an error page.
func (a *API) failure(w http.ResponseWriter, e *apierror.Error) web.Failure {
	return web.Failure{
		Status: e.Kind.Status, OAuth: e.Kind.OAuth, Code: e.Kind.Code, Description: e.Text(),
		RequestID: httpx.RequestID(w), DocsURL: a.own.URL + "/docs/errors#" + e.Kind.Code,
	}
}

func missing(name string) error {
	return apierror.AuthMissingParameter.On(name).Detailf("%s is missing.", name)
}
