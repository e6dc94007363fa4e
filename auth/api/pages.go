package api

import (
	"net/http"
	"strings"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/web"
)

// waiting serves the page that polls. Its script reads loginKeyId from the address;
// browsers without scripts are redirected to the plain page. For the login's own
// browser the page has the words, so that they don't wait for the script.
func (a *API) waiting(w http.ResponseWriter, r *http.Request) error {
	data := web.Waiting{PhonesURL: a.phonesURL}
	if loginKeyID := r.URL.Query().Get("loginKeyId"); id.Valid(loginKeyID) {
		data.LoginKeyID = loginKeyID
	}
	// Opera Mini renders its pages on a remote server, which runs scripts once and doesn't keep them running.
	if data.LoginKeyID != "" && strings.Contains(r.UserAgent(), "Opera Mini/") {
		return seeOther(w, plainPath+"?loginKeyId="+data.LoginKeyID)
	}
	found, reachable := a.waitingLogin(r)
	if !reachable {
		return seeOther(w, plainPath+"?loginKeyId="+data.LoginKeyID)
	}
	data.Login = found
	return a.page(w, r, web.PageWaiting, data)
}

// logo serves a tenant's logo. Its address contains a hash of its content, so browsers can cache it permanently.
func (a *API) logo(w http.ResponseWriter, r *http.Request) error {
	file, found, err := a.tenants.Logo(r.Context(), r.PathValue("hash"))
	if err != nil {
		return err
	}
	if !found {
		return apierror.AuthNotFound.Err()
	}
	httpx.Inert(w.Header(), http.DetectContentType(file), "default-src 'none'; sandbox")
	w.Header().Set("Cache-Control", web.CacheForever)
	_, _ = w.Write(file) //nolint:gosec // a picture, which was checked and is inert
	return nil
}

// bookPage serves a page of the documentation.
func (a *API) bookPage(w http.ResponseWriter, r *http.Request) error {
	found, err := a.book.Page(w, r, r.PathValue("page"))
	if err == nil && !found {
		return apierror.AuthNotFound.Err()
	}
	return err
}

// referencePage describes an operation of this service, or an object in its requests and responses.
func (a *API) referencePage(w http.ResponseWriter, r *http.Request) error {
	found, err := a.reference.Page(w, r, r.PathValue("name"))
	if err == nil && !found {
		return apierror.AuthNotFound.Err()
	}
	return err
}

func (a *API) page(w http.ResponseWriter, r *http.Request, name string, data any) error {
	return a.pages.Serve(w, r, http.StatusOK, name, data)
}
