package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/griot/auth/login"
	"example.com/griot/auth/logout"
	"example.com/griot/auth/tenant"
	"example.com/griot/auth/token"
	"example.com/griot/auth/webhooks"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/intake"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/metrics"
	"example.com/griot/web"
)

// Options are the dependencies and settings of the HTTP interface.
type Options struct {
	Tenants   *tenant.Store
	Logins    *login.Service
	Signer    *token.Signer
	Endpoints *webhooks.Endpoints // of the tenants' webhooks
	Clients   *logout.Clients
	Now       clock.Now
	Log       *slog.Logger
	Pages     *web.Pages
	Book      *web.Book
	Own       httpx.Own
	Receivers []login.Receiver // whose secrets sign the calls of /internal/verify
	Limits    *limit.Settings  // nil: nothing is limited
	// VerifyOnPublic also answers /internal/verify on the public listener, to this machine only (`griot dev`).
	VerifyOnPublic bool
	PhonesURL      string // address of the page of the virtual phones, if they stand in for WhatsApp; empty: they don't
	OpenAPI        []byte // served at /openapi.yaml
	StateMax       int    // the longest state, in characters; at least 256
	Legal          *web.Legal
	Metrics        metrics.Groups              // the zero value counts nothing
	Ping           func(context.Context) error // of the database
}

// API is the HTTP interface of the auth service. It is safe for concurrent use.
type API struct {
	http           *httpx.API
	now            clock.Now
	pages          *web.Pages
	book           *web.Book
	own            httpx.Own
	receivers      []login.Receiver
	phonesURL      string
	verifyOnPublic bool // /internal/verify too
	stateMax       int
	ping           func(context.Context) error

	warnedRefused sync.Once // ensures one warning
	metrics       *metrics.Logins

	tenants   *tenant.Store
	logins    *login.Service
	signer    *token.Signer
	limits    *limits
	jwks      atomic.Pointer[jwksDocument]
	streams   *streams
	endpoints *webhooks.Endpoints
	clients   *logout.Clients
	reference *web.Reference
	legal     *web.Legal
	metadata  *httpx.Document
	openID    *httpx.Document
	openapi   http.HandlerFunc

	// The memory for bodies of senders that are not authenticated yet: of applications, of people who sign in to the
	// dashboard or send a form, and of requests to the internal listener.
	tokenBodies, formBodies, internalBodies intake.Budget
}

// New returns the interface.
func New(o Options) (*API, error) {
	if o.StateMax < maxState {
		return nil, fmt.Errorf("the longest state is %d characters, want at least %d", o.StateMax, maxState)
	}
	a := &API{
		now: o.Now, pages: o.Pages, book: o.Book, own: o.Own, receivers: slices.Clone(o.Receivers), phonesURL: o.PhonesURL, verifyOnPublic: o.VerifyOnPublic,
		stateMax: o.StateMax, metrics: o.Metrics.Logins, legal: o.Legal, ping: o.Ping,
		tenants: o.Tenants, logins: o.Logins, signer: o.Signer, endpoints: o.Endpoints, clients: o.Clients,
		limits: newLimits(o.Now, o.Limits), streams: newStreams(), reference: web.NewReference(o.Pages, apierror.Auth, o.Own.URL, o.OpenAPI),
	}
	a.http = &httpx.API{Write: a.writeError, SecureRedirect: web.Secure, Lang: web.Language, Own: o.Own, IsPage: isPage, Log: o.Log, Now: o.Now, Metrics: o.Metrics.HTTP.Service("auth"), Kinds: httpx.Kinds{
		JSON: apierror.AuthInvalidJSON, Member: apierror.AuthMalformedParameter, MediaType: apierror.AuthMediaType, TooLarge: apierror.AuthBodyTooLarge, Busy: apierror.AuthRateLimited,
		NotFound: apierror.AuthNotFound, Method: apierror.AuthMethod, Internal: apierror.AuthInternal, Unavailable: apierror.AuthStorageUnavailable,
	}}
	return a, a.prepareDocuments(o.OpenAPI)
}

// Busy returns a handler that refuses every request with 429 rate_limited.
func (a *API) Busy() http.Handler { return a.http.Busy() }

// Handler returns the handler of all endpoints that anyone can reach, with further routes.
func (a *API) Handler(further ...httpx.Route) http.Handler {
	return a.http.Handler(append(a.Routes(), further...))
}

// InternalHandler returns the handler of the endpoints of the internal listener.
func (a *API) InternalHandler() http.Handler { return a.http.Handler(a.Internal()) }

// Shared returns what the pages of the tenants' dashboard share with the endpoints: how errors are written, the limit of
// sign-ins, and the memory for forms.
func (a *API) Shared() (h *httpx.API, limitSignIn func(*http.Request) error, bodies *intake.Budget) {
	return a.http, a.limits.manageLogin, &a.formBodies
}
