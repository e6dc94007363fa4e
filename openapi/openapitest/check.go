package openapitest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

const jsonType = "application/json"

// shortenState shortens the state of a request with the scope openid, which can be longer than the document's limit,
// because a limit that depends on another parameter is only in its description.
func shortenState(in *openapi3filter.RequestValidationInput) {
	q := in.Request.URL.Query()
	if state := []rune(q.Get("state")); in.Route.Path == "/authorize" && slices.Contains(strings.Fields(q.Get("scope")), "openid") && len(state) > 256 && len(state) <= 2048 {
		q.Set("state", string(state[:256]))
		in.Request = in.Request.Clone(in.Request.Context())
		in.Request.URL.RawQuery = q.Encode()
	}
}

// check returns the differences between an exchange and the document.
func (d *document) check(e *exchange) []string {
	if redirectsToCleanPath(e.request, e.response) {
		return nil
	}
	m := d.find(e.request)
	if m.route == nil || refusedHead(m, e) {
		return d.checkUnknown(e)
	}
	in := &openapi3filter.RequestValidationInput{
		Request:    e.request,
		PathParams: m.params,
		Route:      m.route,
		Options: &openapi3filter.Options{
			MultiError:              true,
			SkipSettingDefaults:     true,
			IncludeResponseStatus:   true,
			AuthenticationFunc:      hasCredential,
			SchemaValidationOptions: []openapi3.SchemaValidationOption{formats(), reasons()},
		},
	}
	problems := d.checkResponse(in, e.response)
	if e.response.status < http.StatusBadRequest {
		// Described JSON is validated here, and everything else by kin.
		at := requestSchema(m.route.Path, m.route.Method, m.route.Operation.RequestBody, mediaType(e.request.Header))
		if in.Options.ExcludeRequestBody = at != "" && e.body.Len() > 0; in.Options.ExcludeRequestBody {
			if err := d.schemas.validate(at, e.body.Bytes()); err != nil {
				problems = append(problems, "accepted an invalid request: "+err.Error())
			}
		}
		in.Request.Body = io.NopCloser(bytes.NewReader(e.body.Bytes()))
		shortenState(in)
		if err := openapi3filter.ValidateRequest(context.Background(), in); err != nil {
			problems = append(problems, "accepted an invalid request: "+err.Error())
		}
	}
	return problems
}

func (d *document) checkResponse(in *openapi3filter.RequestValidationInput, w *response) []string {
	described := in.Route.Operation.Responses.Status(w.status)
	if described == nil {
		described = in.Route.Operation.Responses.Default()
	}
	if described == nil {
		return []string{"the status is not in the document"}
	}
	var problems []string
	if len(described.Value.Content) == 0 && w.body.Len() > 0 {
		problems = append(problems, "a body, though the document describes none")
	}
	problems = append(problems, d.checkHeaders(described.Value, w.header, bodyUnchecked(in.Request, w))...)
	at := responseSchema(in.Route.Path, in.Route.Method, in.Route.Operation.Responses, w.status, mediaType(w.header))
	if in.Options.ExcludeResponseBody = at != "" && !bodyUnchecked(in.Request, w); in.Options.ExcludeResponseBody {
		if err := d.schemas.validate(at, w.body.Bytes()); err != nil {
			problems = append(problems, "response: "+err.Error())
		}
	}
	err := openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in,
		Status:                 w.status,
		Header:                 w.header,
		Body:                   io.NopCloser(bytes.NewReader(w.body.Bytes())),
		Options:                in.Options,
	})
	if err != nil {
		problems = append(problems, "response: "+err.Error())
	}
	return problems
}

// refusedHead reports whether a HEAD was refused for which the document only has a GET, because some GETs have effects.
func refusedHead(m *match, e *exchange) bool {
	return e.request.Method == http.MethodHead && m.route.Method == http.MethodGet && e.response.status == http.StatusMethodNotAllowed
}

// bodyUnchecked reports whether a response's body and the values of its headers are unchecked.
func bodyUnchecked(r *http.Request, w *response) bool {
	return r.Method == http.MethodHead || w.status == http.StatusNotModified
}

// checkUnknown checks the response to a request that is not in the document: it must be an error with the
// service's body.
func (d *document) checkUnknown(e *exchange) []string {
	w := e.response
	if w.status < http.StatusBadRequest {
		return []string{"the document has no such operation"}
	}
	var problems []string
	if w.status == http.StatusMethodNotAllowed && w.header.Get("Allow") == "" {
		problems = append(problems, "405 without Allow")
	}
	switch media := mediaType(w.header); {
	case e.request.Method == http.MethodHead:
		return problems
	case media == "text/html" && strings.Contains(e.request.Header.Get("Accept"), media):
		return problems // a browser can get a page
	case media != jsonType:
		return append(problems, fmt.Sprintf("an error of type %q, not %s", media, jsonType))
	}
	if err := d.schemas.validate("/components/schemas/Error", w.body.Bytes()); err != nil {
		problems = append(problems, "the error's body: "+err.Error())
	}
	return problems
}

func mediaType(h http.Header) string {
	media, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return h.Get("Content-Type")
	}
	return media
}

// redirectsToCleanPath reports whether the response only redirects to another spelling of the same URL (its host, or a
// path with // or ..). The server does that, and it isn't an operation.
func redirectsToCleanPath(r *http.Request, w *response) bool {
	switch w.code() {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return false
	}
	to, err := url.Parse(w.header.Get("Location"))
	return err == nil && to.Path != "" && path.Clean(to.Path) == path.Clean(r.URL.Path) && to.RawQuery == r.URL.RawQuery
}

// hasCredential is kin's check of credentials. It can only check whether there are any.
func hasCredential(_ context.Context, in *openapi3filter.AuthenticationInput) error {
	r, scheme := in.RequestValidationInput.Request, in.SecurityScheme
	missing := errors.New("no credential of the scheme " + in.SecuritySchemeName)
	switch {
	case scheme.Type == "http":
		word, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if strings.EqualFold(word, scheme.Scheme) && value != "" {
			return nil
		}
	case scheme.In == openapi3.ParameterInHeader:
		if r.Header.Get(scheme.Name) != "" {
			return nil
		}
	case scheme.In == openapi3.ParameterInCookie:
		if c, err := r.Cookie(scheme.Name); err == nil && c.Value != "" {
			return nil
		}
	}
	return missing
}
