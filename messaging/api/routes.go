package api

import (
	"log/slog"
	"net/http"

	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/fault"
	"griot/internal/httpx"
	"griot/internal/limit"
	"griot/messaging/account"
	"griot/messaging/otp"
	"griot/messaging/send"
	"griot/messaging/stats"
	"griot/web"
)

// Options are what the surface is made of.
type Options struct {
	DB        *db.DB
	Directory *account.Directory
	Engine    *send.Engine
	OTP       *otp.Service
	Now       clock.Now
	Log       *slog.Logger
	Pages     *web.Pages
	URL       string // the base address, without a slash at its end
	OpenAPI   []byte
	Limits    bool // hold the plans' request rates
}

// API is the messaging house over HTTP.
type API struct {
	o     Options
	http  *httpx.API
	rates map[string]*limit.Limiter // by plan; nil: no limits
	stats *stats.Stats
}

// New returns the surface.
func New(o Options) (*API, error) {
	a := &API{o: o, stats: &stats.Stats{DB: o.DB, Now: o.Now}}
	a.http = &httpx.API{Write: a.writeError, Log: o.Log, Now: o.Now, Kinds: httpx.Kinds{
		JSON: fault.InvalidJSON, Member: fault.InvalidRequest, MediaType: fault.UnsupportedMediaType, TooLarge: fault.PayloadTooLarge,
		NotFound: fault.NotFound, Method: fault.MethodNotAllowed, Internal: fault.Internal, Unavailable: fault.StorageUnavailable,
	}}
	if o.Limits {
		a.rates = rates(o.Now)
	}
	return a, nil
}

// Handler serves the routes.
func (a *API) Handler() http.Handler { return a.http.Handler(a.Routes()) }

// Routes is the table of endpoints, in the order of document 2 §4; what the
// document does not have comes last.
func (a *API) Routes() []httpx.Route {
	return []httpx.Route{
		{Method: "POST", Path: "/api/send", Handler: a.http.Handle(a.send)},
		{Method: "POST", Path: "/api/send/batch", Handler: a.http.Handle(a.batch)},
		{Method: "GET", Path: "/api/status/{messageId}", Handler: a.http.Handle(a.status)},
		{Method: "GET", Path: "/api/partner/whatsapp/groups", Handler: a.http.Handle(a.groups)},
		{Method: "POST", Path: "/api/otp/send", Handler: a.http.Handle(a.otpSend)},
		{Method: "POST", Path: "/api/otp/verify", Handler: a.http.Handle(a.otpVerify)},
		{Method: "GET", Path: "/api/svc-analytics", Handler: a.http.Handle(a.analytics)},
		{Method: "GET", Path: "/api/svc-logs", Handler: a.http.Handle(a.logs)},
		{Method: "POST", Path: "/api/messages/{messageId}/cancel", Handler: a.http.Handle(a.cancel)},
		{Method: "GET", Path: "/healthz", Handler: a.http.Handle(a.health)},
		{Method: "GET", Path: "/openapi.yaml", Handler: httpx.NewDocument("application/yaml", a.o.OpenAPI, 0)},
		{Method: "GET", Path: "/docs/errors", Handler: a.http.Handle(a.errors)},
		{Method: "GET", Path: "/static/{path...}", Handler: a.o.Pages.Static(a.http.NotFound)},
	}
}
