package webtest

import (
	"net/http"
	"testing"

	documentation "example.com/griot/docs"
	"example.com/griot/internal/apierror"
	"example.com/griot/openapi"
	"example.com/griot/web"
	"example.com/griot/web/book"
)

// docsService is a service with its document.
type docsService struct {
	Service  apierror.Service
	Document []byte
}

// DocsServices returns both services with the data for their documentation.
func DocsServices() []docsService {
	return []docsService{{apierror.Auth, openapi.Auth()}, {apierror.Messaging, openapi.Messaging()}}
}

// NewReferenceMux serves the documentation of a service.
func NewReferenceMux(t *testing.T, s docsService) *http.ServeMux {
	t.Helper()
	docs := web.NewReference(NewPages(t), s.Service, "https://griot.example", s.Document)
	serve := func(handler func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if err := handler(w, r); err != nil {
				t.Error(err)
			}
		}
	}
	mux := http.NewServeMux()
	pages := web.NewBook(NewPages(t), book.Open(documentation.Files(), book.Origins{Auth: "https://login.example", Messaging: "https://api.example"}))
	mux.HandleFunc("GET /docs", serve(pages.Contents))
	mux.HandleFunc("GET /docs/{page...}", serve(func(w http.ResponseWriter, r *http.Request) error {
		found, err := pages.Page(w, r, r.PathValue("page"))
		if err == nil && !found {
			http.NotFound(w, r)
		}
		return err
	}))
	mux.HandleFunc("GET /docs/errors", serve(docs.Errors))
	mux.HandleFunc("GET /docs/reference", serve(docs.Index))
	mux.HandleFunc("GET /docs/reference/{name}", serve(func(w http.ResponseWriter, r *http.Request) error {
		found, err := docs.Page(w, r, r.PathValue("name"))
		if err == nil && !found {
			http.NotFound(w, r)
		}
		return err
	}))
	mux.HandleFunc("GET /openapi.yaml", func(http.ResponseWriter, *http.Request) {})
	return mux
}
