package api

import (
	"net/http"
	"strings"

	"griot/internal/fault"
	"griot/internal/i18n"
	"griot/web"
)

// waiting is the page that polls. It is the same for every login: its script reads loginKeyId from the address.
func (a *API) waiting(w http.ResponseWriter, r *http.Request) error {
	return a.page(w, r, web.PageWaiting, web.Waiting{PhonesURL: a.phonesURL})
}

// errorsPage is where docs_url points.
func (a *API) errorsPage(w http.ResponseWriter, r *http.Request) error {
	return a.page(w, r, web.PageErrors, web.ErrorCatalogue(fault.Auth))
}

func (a *API) page(w http.ResponseWriter, r *http.Request, name string, data any) error {
	var page strings.Builder
	if err := a.pages.Render(&page, name, i18n.Pick(r.Header.Get("Accept-Language")), data); err != nil {
		return err
	}
	web.Headers(w.Header())
	_, _ = w.Write([]byte(page.String()))
	return nil
}
