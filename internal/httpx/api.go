package httpx

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/metrics"
)

// MaxBody is the maximum size of a request body, in bytes.
const MaxBody = 1 << 20

// API is the HTTP interface of one service.
type API struct {
	// Write writes an error as the service's body.
	Write func(w http.ResponseWriter, r *http.Request, e *apierror.Error)
	// Kinds are the service's errors for the problems that this package finds.
	Kinds Kinds
	Log   *slog.Logger
	Now   clock.Now
	// Metrics counts the requests; nil: not counted.
	Metrics *metrics.Service
	// SecureRedirect sets the security headers of a redirect at a path; can be nil.
	SecureRedirect func(h http.Header, path string)
	// Lang returns the language of a request, for [API.WithActor]; nil: none.
	Lang func(*http.Request) i18n.Lang
	// Own and IsPage redirect browsers to the service's own name ([Own.RedirectPage]); without IsPage, none is redirected.
	Own    Own
	IsPage func(path string) bool
}

// Kinds are a service's errors for problems before its handlers run.
type Kinds struct {
	JSON, Member, MediaType, TooLarge, Busy, NotFound, Method, Internal, Unavailable *apierror.Kind
}

// HandlerFunc is a handler that returns its error instead of writing it.
type HandlerFunc func(w http.ResponseWriter, r *http.Request) error

// Route is one line of a service's table of endpoints. A route without a method handles
// the methods that no other route of its path has.
type Route struct {
	Method, Path string
	Access       Access // the access rule, which the Handler's constructor enforces
	Handler      http.Handler
	NoPage       bool // The response to a GET is no page of its own, but a stream, or a part of a page. [Pages] omits it.
}

// Access describes who can call a route, as a text for people. An empty text means no one.
type Access interface{ String() string }

// Callers is an [Access] that consists only of its text.
type Callers string

func (c Callers) String() string { return string(c) }

// Anyone is the access rule of health checks, documentation, and sign-in.
const Anyone = Callers("anyone")

// Handle converts a HandlerFunc to a handler.
func (a *API) Handle(h HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			a.Fail(w, r, err)
		}
	})
}

// WithActor returns a request whose context has its actor, with the request's address, ID, and language. The guards of
// both services call it once for each request, before the handler.
func (a *API) WithActor(w http.ResponseWriter, r *http.Request, by actor.Actor) *http.Request {
	by.Address, by.RequestID = ClientIP(r), RequestID(w)
	if a.Lang != nil {
		by.Lang = a.Lang(r)
	}
	return r.WithContext(actor.With(r.Context(), by))
}

// statuser is implemented by responses that choose their own status.
type statuser interface{ HTTPStatus() int }

// Call returns a handler for a function from a JSON body to a JSON response.
func Call[In, Out any](a *API, status int, f func(r *http.Request, in *In) (Out, error)) http.Handler {
	return a.Handle(func(w http.ResponseWriter, r *http.Request) error {
		in := new(In)
		if err := a.DecodeJSON(w, r, in); err != nil {
			return err
		}
		out, err := f(r, in)
		if err != nil {
			return err
		}
		code := status
		if s, ok := any(out).(statuser); ok {
			code = s.HTTPStatus()
		}
		return WriteJSON(w, code, out)
	})
}

// Fail writes an error in the service's format, after [API.ErrorFor].
func (a *API) Fail(w http.ResponseWriter, r *http.Request, err error) {
	e := a.ErrorFor(w, r, err)
	setNoStore(w.Header()) // even if the handler has set another value
	SetRetryAfter(w.Header(), e.RetryAfter)
	a.Write(w, r, e)
}

// ErrorFor returns the error for the caller. An error that is not a [apierror.Error] is logged, and becomes unavailable
// storage or an internal error without its text.
func (a *API) ErrorFor(w http.ResponseWriter, r *http.Request, err error) *apierror.Error {
	fallback := a.Kinds.Internal
	if db.Unavailable(err) || errors.Is(err, context.DeadlineExceeded) {
		fallback = a.Kinds.Unavailable
	}
	e := apierror.As(err, fallback)
	switch {
	case errors.Is(err, context.Canceled):
		a.Log.Debug("client went away", "requestId", RequestID(w), "route", r.Pattern)
	case e.Kind.Status >= http.StatusInternalServerError && e.Cause != nil:
		a.Log.Error("request failed", "requestId", RequestID(w), "route", r.Pattern, "code", e.Kind.Code, "err", e.Cause)
	}
	if e.Kind == a.Kinds.Unavailable && e.RetryAfter == 0 {
		e.RetryAfter = unavailableRetry
	}
	return e
}

const unavailableRetry = 5 * time.Second

// Busy returns a handler that refuses every request, for a limit outside the service's routes.
func (a *API) Busy() http.Handler {
	return a.middleware(a.Handle(func(http.ResponseWriter, *http.Request) error { return a.Kinds.Busy.After(busyRetry) }), nil)
}

const busyRetry = time.Second

// NotFound responds that the address doesn't exist.
func (a *API) NotFound(w http.ResponseWriter, r *http.Request) { a.Fail(w, r, a.Kinds.NotFound.Err()) }

// Handler serves the routes, with request ids, a log line at debug level per request,
// recovered panics, and the service's own bodies for 404 and 405. It panics if a route
// has no access rule, as [http.ServeMux] does for an invalid pattern.
func (a *API) Handler(routes []Route) http.Handler {
	mux := http.NewServeMux()
	var patterns []string
	for _, route := range routes {
		pattern := strings.TrimSpace(route.Method + " " + route.Path)
		if route.Access == nil || route.Access.String() == "" {
			panic("httpx: " + pattern + " does not say who may call it")
		}
		patterns = append(patterns, pattern)
		mux.Handle(pattern, route.Handler)
	}
	mux.Handle("/", a.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if allow := allowed(mux, r); allow != "" {
			w.Header().Set("Allow", allow)
			return a.Kinds.Method.Err()
		}
		return a.Kinds.NotFound.Err()
	}))
	return a.middleware(mux, a.Metrics.Routes(patterns))
}

// Pages returns a handler of only the pages, for a response that contains another page.
func Pages(routes []Route) http.Handler {
	mux := http.NewServeMux()
	for _, route := range routes {
		if route.Method == http.MethodGet && !route.NoPage {
			mux.Handle(route.Path, route.Handler)
		}
	}
	return mux
}

// allowed returns the methods of the request's path, other than its own.
func allowed(mux *http.ServeMux, r *http.Request) string {
	var methods []string
	for _, m := range []string{"DELETE", "GET", "PATCH", "POST", "PUT"} {
		probe := &http.Request{Method: m, URL: r.URL, Host: r.Host}
		if _, pattern := mux.Handler(probe); pattern != "/" && pattern != "" {
			methods = append(methods, m)
		}
	}
	return strings.Join(methods, ", ")
}

// RequestIDHeader is the response header with the request's id.
const RequestIDHeader = "X-Request-Id"

// middleware redirects pages to the service's own name, adds the request's id, keeps the response out of caches, recovers
// panics, refuses U+0000, counts, and logs.
func (a *API) middleware(next http.Handler, counted *metrics.Routes) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if a.IsPage != nil && a.Own.RedirectPage(rw, r, a.IsPage, a.SecureRedirect) {
			return
		}
		start, began := a.Now(), clock.Running()
		w := &response{ResponseWriter: rw, requestID: [1]string{id.New(start)}, path: r.URL.Path, secure: a.SecureRedirect}
		defer func() { counted.Answered(r.Pattern, w.status, clock.Running()-began, isStream(w.Header())) }()
		w.Header()[RequestIDHeader] = w.requestID[:]
		setNoStore(w.Header())
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler { //nolint:errorlint // the value that net/http documents
				panic(p)
			}
			a.Log.Error("panic", "requestId", w.requestID[0], "route", r.Pattern, "panic", p, "stack", string(debug.Stack()))
			if w.status == 0 {
				a.Fail(w, r, a.Kinds.Internal.Err())
			}
		}()
		if hasNUL(r) {
			a.Fail(w, r, a.Kinds.Member.Err().Detailf("U+0000 is not allowed."))
			return
		}
		next.ServeHTTP(w, r)
		if a.Log.Enabled(r.Context(), slog.LevelDebug) {
			// Log the route, not the path, because paths and queries contain ids and codes.
			a.Log.Debug("request", "requestId", w.requestID[0], "method", r.Method, "route", r.Pattern, "status", w.status, "took", a.Now().Sub(start))
		}
	})
}

// Counted counts the requests to a handler that is not a route of an [API], by a pattern.
func Counted(counted *metrics.Routes, pattern string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		began, w := clock.Running(), &response{ResponseWriter: rw}
		defer func() { counted.Answered(pattern, w.status, clock.Running()-began, isStream(w.Header())) }()
		next.ServeHTTP(w, r)
	})
}

func hasNUL(r *http.Request) bool {
	return strings.ContainsRune(r.URL.Path, 0) || strings.Contains(r.URL.RawQuery, "%00") || strings.ContainsRune(r.URL.RawQuery, 0)
}

type response struct {
	http.ResponseWriter
	requestID [1]string // value slice of a header
	status    int
	path      string
	secure    func(h http.Header, path string) // of a redirect; can be nil
}

// WriteHeader stores the status for the log. Every redirect, including one of the mux, gets the security headers of a
// page.
func (w *response) WriteHeader(status int) {
	if w.secure != nil && status >= http.StatusMultipleChoices && status < http.StatusBadRequest && status != http.StatusNotModified {
		w.secure(w.Header(), w.path)
	}
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// RequestID returns the ID26 of the request of w.
func RequestID(w http.ResponseWriter) string { return w.Header().Get(RequestIDHeader) }

var nulEscape = []byte(`\u0000`)

// escapesNUL reports whether a JSON text contains the escape of U+0000.
func escapesNUL(body []byte) bool {
	for from := 0; ; {
		i := bytes.Index(body[from:], nulEscape)
		if i < 0 {
			return false
		}
		at := from + i
		slashes := 0
		for j := at; j >= 0 && body[j] == '\\'; j-- {
			slashes++
		}
		if slashes%2 == 1 {
			return true
		}
		from = at + 1
	}
}
