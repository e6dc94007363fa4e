package api

import (
	"errors"
	"maps"
	"net/http"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/access"
	"example.com/griot/web"
)

// writeError writes an error's body or, for a browser at an address for people, a page with the same content.
func (a *API) writeError(w http.ResponseWriter, r *http.Request, e *apierror.Error) {
	if httpx.SeenByPeople(r, isPage) {
		err := a.o.Pages.Serve(w, r, e.Kind.Status, web.PageError, web.Failure{
			Status: e.Kind.Status, Code: e.Kind.Code, Description: e.Text(), RequestID: httpx.RequestID(w), DocsURL: a.o.URL + "/docs/errors#" + e.Kind.Code,
			Dashboard: access.PagePath, // no page of this service belongs to an application
		})
		if err == nil {
			return
		}
		a.o.Log.Error("page failed", "page", web.PageError, "err", err)
	}
	body := a.errorBody(w, e)
	switch e.Kind.Status {
	case http.StatusUnauthorized, http.StatusNotFound, http.StatusMethodNotAllowed: // assistants' OAuth libraries print only this member
		body["error_description"] = e.Text()
	}
	if err := httpx.WriteJSON(w, e.Kind.Status, body); err != nil {
		a.o.Log.Error("writing an error", "err", err)
	}
}

// docsPath is the path of the documentation.
const docsPath = "/docs"

func isPage(path string) bool {
	return path == "/terms" || path == "/privacy" || httpx.Below(path, docsPath) || httpx.Below(path, access.PagePath) || httpx.Below(path, access.WhatsAppPath)
}

// errorBody returns the body of an error. Both error and code contain the code (M160).
func (a *API) errorBody(w http.ResponseWriter, e *apierror.Error) map[string]any {
	body := map[string]any{
		"success": false, "error": e.Kind.Code, "code": e.Kind.Code, "message": e.Text(),
		"requestId": httpx.RequestID(w), "docsUrl": a.o.URL + "/docs/errors#" + e.Kind.Code,
	}
	if e.Field != "" {
		body["field"] = e.Field
	}
	maps.Copy(body, e.Extra)
	return body
}

// withUpgrade adds an upgrade URL to an error that reports a used-up quota.
func (a *API) withUpgrade(err error) error {
	if e, ok := errors.AsType[*apierror.Error](err); ok && e.Kind == apierror.QuotaExceeded {
		return e.With("upgradeUrl", a.o.URL+"/dashboard/billing")
	}
	return err
}
