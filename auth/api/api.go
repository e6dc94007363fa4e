package api

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.com/griot/auth/dashboard"
	"example.com/griot/auth/events"
	"example.com/griot/auth/login"
	"example.com/griot/auth/logout"
	"example.com/griot/auth/tenant"
	"example.com/griot/auth/token"
	"example.com/griot/gateway"
	"example.com/griot/gateway/identity"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/intake"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/metrics"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/webhook"
	"example.com/griot/web"
)

// Options are the dependencies and settings of the service.
type Options struct {
	DB        *db.DB
	Key       *seal.Key
	Now       clock.Now
	Log       *slog.Logger
	Pages     *web.Pages
	Book      *web.Book
	URL       string // the public address: an http or https origin without a path
	Receivers []login.Receiver
	Limits    *limit.Settings // nil: nothing is limited
	// VerifyOnPublic also answers /internal/verify on the public listener, to this machine only (`griot dev`).
	VerifyOnPublic bool
	PhonesURL      string // address of the page of the virtual phones, if they stand in for WhatsApp; empty: they don't
	Accounts       string // address of the accounts' dashboard, to which the tenants' one leads; empty: unknown
	OpenAPI        []byte // served at /openapi.yaml
	StateMax       int    // the longest state, in characters; at least 256
	Operator       web.Operator
	// Terms and Privacy are the operator's own texts, with empty lines between
	// paragraphs. If one is empty, Griot's own is used.
	Terms, Privacy string
	Webhooks       Webhooks
	Resolver       *net.Resolver   // looks up the records of tenants' domains; nil: the system's
	Metrics        metrics.Groups  // the zero value counts nothing
	KeepAudit      time.Duration   // how long audit events are kept; 0: permanently
	Identity       *identity.Store // the numbers of people whose number WhatsApp hides
	Gateways       *gateway.Set    // of the receivers
	AskForNumber   func() bool     // reports whether people whose number WhatsApp hides are asked for it; nil: never
	ConfirmSignIn  func() bool     // reports whether a message that proves a login gets a reply; nil: never
}

// Webhooks are the settings of the tenants' webhooks.
type Webhooks struct {
	Dial   safedial.Options // allowed targets
	Timing webhook.Timing   // zero: that of production
	Agent  string           // User-Agent
	Keep   time.Duration    // how long events are kept; 0: permanently
}

// API is the auth service. It is safe for concurrent use.
type API struct {
	http           *httpx.API
	db             *db.DB
	now            clock.Now
	pages          *web.Pages
	book           *web.Book
	own            httpx.Own
	receivers      []login.Receiver
	phonesURL      string
	verifyOnPublic bool // /internal/verify too
	stateMax       int

	warnedRefused sync.Once // ensures one warning
	metrics       *metrics.Logins

	tenants    *tenant.Store
	logins     *login.Service
	signer     *token.Signer
	limits     *limits
	jwks       atomic.Pointer[jwksDocument]
	streams    *streams
	endpoints  *events.Endpoints
	clients    *logout.Clients
	dashboard  *dashboard.Dashboard
	dispatcher *webhook.Dispatcher // of the tenants' events
	logouts    *webhook.Dispatcher // of logout tokens
	reference  *web.Reference
	legal      *web.Legal
	metadata   *httpx.Document
	openID     *httpx.Document
	openapi    http.HandlerFunc

	// The memory for bodies of senders that are not authenticated yet: of applications, of people who sign in to the
	// dashboard or send a form, and of requests to the internal listener.
	tokenBodies, formBodies, internalBodies intake.Budget
}

// New returns the service. It writes nothing except the signing key, if none exists.
func New(ctx context.Context, o Options) (*API, error) {
	own, err := httpx.ParseOwn(o.URL)
	if err != nil {
		return nil, err
	}
	if o.StateMax < maxState {
		return nil, fmt.Errorf("the longest state is %d characters, want at least %d", o.StateMax, maxState)
	}
	signer, err := token.Open(ctx, o.DB, o.Key, o.Now)
	if err != nil {
		return nil, err
	}
	signer.Log = o.Log
	a := &API{
		db: o.DB, now: o.Now, pages: o.Pages, book: o.Book, own: own, receivers: slices.Clone(o.Receivers), phonesURL: o.PhonesURL, verifyOnPublic: o.VerifyOnPublic,
		stateMax: o.StateMax, metrics: o.Metrics.Logins,
		legal:   web.NewLegal(o.Pages, fault.Auth, own.URL, o.Operator, o.Terms, o.Privacy),
		tenants: tenant.New(o.DB, o.Now), signer: signer, streams: newStreams(),
	}
	a.legal.Replies = o.ConfirmSignIn
	a.tenants.Resolver = o.Resolver
	signal, logouts := &webhook.Signal{}, &webhook.Signal{}
	notify := func() {
		signal.Notify()
		logouts.Notify()
	}
	a.logins = login.New(login.Options{DB: o.DB, Key: o.Key, Now: o.Now, Issuer: own.URL, Receivers: o.Receivers, Notify: notify, KeepAudit: o.KeepAudit, Metrics: o.Metrics.Logins, Tenants: a.tenants, Identity: o.Identity, Gateways: o.Gateways, Ask: o.AskForNumber, Reply: o.ConfirmSignIn})
	a.openWebhooks(&o, signal)
	a.openLogouts(&o, logouts)
	a.limits = newLimits(o.Now, o.Limits)
	a.http = &httpx.API{Write: a.writeError, SecureRedirect: web.Secure, Log: o.Log, Now: o.Now, Metrics: o.Metrics.HTTP.Service("auth"), Kinds: httpx.Kinds{
		JSON: fault.AuthInvalidJSON, Member: fault.AuthMalformedParameter, MediaType: fault.AuthMediaType, TooLarge: fault.AuthBodyTooLarge, Busy: fault.AuthRateLimited,
		NotFound: fault.AuthNotFound, Method: fault.AuthMethod, Internal: fault.AuthInternal, Unavailable: fault.AuthStorageUnavailable,
	}}
	a.reference = web.NewReference(o.Pages, fault.Auth, own.URL, o.OpenAPI)
	a.dashboard = dashboard.New(dashboard.Options{
		HTTP: a.http, Own: own, Pages: o.Pages, Key: o.Key, Now: o.Now, Tenants: a.tenants, Logins: a.logins, Endpoints: a.endpoints, Clients: a.clients, LimitSignIn: a.limits.manageLogin, Bodies: &a.formBodies, Accounts: o.Accounts,
	})
	if err := a.prepareDocuments(o.OpenAPI); err != nil {
		return nil, err
	}
	return a, nil
}

// Dashboard returns the tenants' dashboard, which [API.Public] serves too.
func (a *API) Dashboard() *dashboard.Dashboard { return a.dashboard }

// Busy returns a handler that refuses every request with 429 rate_limited.
func (a *API) Busy() http.Handler { return a.http.Busy() }

// Public returns the handler of all endpoints that anyone can reach.
func (a *API) Public() http.Handler {
	return a.own.RedirectPages(isPage, web.Secure, a.http.Handler(append(a.Routes(), a.dashboard.Routes()...)))
}
