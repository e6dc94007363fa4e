package api

import (
	"log/slog"
	"net/http"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/intake"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/metrics"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/alerts"
	"example.com/griot/messaging/billing"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/events"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/mail"
	"example.com/griot/messaging/mcp"
	"example.com/griot/messaging/otp"
	"example.com/griot/messaging/pairing"
	"example.com/griot/messaging/privacy"
	"example.com/griot/messaging/stats"
	"example.com/griot/web"
)

// Options are what the surface is made of.
type Options struct {
	DB        *db.DB
	Directory *account.Directory
	Engine    *delivery.Service
	Mail      *mail.Service
	Inbox     *inbox.Inbox
	OTP       *otp.Service
	Now       clock.Now
	Log       *slog.Logger
	Pages     *web.Pages
	Book      *web.Book
	URL       string // the base address, without a slash at its end
	OpenAPI   []byte
	Operator  web.Operator
	// Terms and Privacy are the operator's own texts, with empty lines between
	// paragraphs; empty for the ones that come with Griot.
	Terms, Privacy string
	Limits         bool            // hold the plans' request rates, and how often people try to sign in:
	Rates          *limit.Settings // this often; nil: by default
	Endpoints      *events.Endpoints
	Billing        *billing.Service // nil: an operator sets plans
	Alerts         *alerts.Service  // nil: alerts are listed, and nobody mails them
	Pairing        *pairing.Service // nil: numbers are linked, and nobody follows it
	MaxCounted     int              // messages that a series looks at; 0: [stats.MaxCounted]
	People         *privacy.Service
	Metrics        *metrics.Service // counts requests; nil: nobody does
}

// API is the messaging service over HTTP.
type API struct {
	o         Options
	own       httpx.Own
	http      *httpx.API
	rates     *rates
	signIns   *signInLimits
	stats     *stats.Stats
	mcp       *mcp.Server
	reference *web.Reference
	legal     *web.Legal
	listeners *listenerCounts

	pairingStreams *listenerCounts

	unauthenticatedBodies intake.Budget // bodies of those who aren't signed in yet
	billingBodies         intake.Budget // events of the payment provider
}

// New returns the surface.
func New(o Options) (*API, error) {
	a := &API{o: o, stats: &stats.Stats{DB: o.DB, Now: o.Now, MaxCounted: o.MaxCounted}, listeners: newListenerCounts(500, 5), pairingStreams: newListenerCounts(100, 3)}
	a.http = &httpx.API{Write: a.writeError, Log: o.Log, Now: o.Now, Metrics: o.Metrics, Kinds: httpx.Kinds{
		JSON: fault.InvalidJSON, Member: fault.InvalidRequest, MediaType: fault.UnsupportedMediaType, TooLarge: fault.PayloadTooLarge, Busy: fault.RateLimited,
		NotFound: fault.NotFound, Method: fault.MethodNotAllowed, Internal: fault.Internal, Unavailable: fault.StorageUnavailable,
	}}
	if o.Limits {
		if o.Rates == nil {
			o.Rates = new(limit.Defaults())
		}
		a.rates, a.signIns = newRates(o.Now), newSignInLimits(o.Now, o.Rates)
	}
	if a.o.Billing == nil {
		a.o.Billing = billing.New(billing.Options{DB: o.DB, Directory: o.Directory, Now: o.Now, Log: o.Log})
	}
	if a.o.Alerts == nil {
		a.o.Alerts = alerts.New(alerts.Options{DB: o.DB, Directory: o.Directory, Engine: o.Engine, Now: o.Now, Log: o.Log, URL: o.URL})
	}
	if a.o.Pairing == nil {
		a.o.Pairing = pairing.New(pairing.Options{DB: o.DB, Directory: o.Directory, Engine: o.Engine, Now: o.Now, Log: o.Log, URL: o.URL})
	}
	a.mcp = a.assistant()
	a.reference = web.NewReference(o.Pages, fault.Messaging, o.URL, o.OpenAPI)
	a.legal = web.NewLegal(o.Pages, fault.Messaging, o.URL, o.Operator, o.Terms, o.Privacy)
	if o.URL == "" { // only the table of routes is wanted
		return a, nil
	}
	var err error
	a.own, err = httpx.ParseOwn(o.URL)
	return a, err
}

// Handler serves the routes, and more: the dashboard's pages.
func (a *API) Handler(more ...httpx.Route) http.Handler {
	// The assistant endpoint refuses the other methods itself, after it has looked at where they come from.
	routes := append(a.Routes(), httpx.Route{Path: mcp.Path, Handler: a.simulating(a.mcp)})
	return a.own.RedirectPages(isPage, withSource(a.http.Handler(append(routes, more...))))
}

// Busy refuses every request: 429 rate_limited.
func (a *API) Busy() http.Handler { return a.http.Busy() }

// Routes is the table of endpoints: those of the base first, then those that came later.
func (a *API) Routes() []httpx.Route {
	return []httpx.Route{
		{Method: "POST", Path: "/api/send", Handler: a.http.Handle(a.send)},
		{Method: "POST", Path: "/api/send/batch", Handler: a.http.Handle(a.batch)},
		{Method: "GET", Path: "/api/status/{messageId}", Handler: a.http.Handle(a.status)},
		{Method: "GET", Path: "/api/me", Handler: a.http.Handle(a.me)},
		{Method: "GET", Path: "/api/partner/whatsapp/groups", Handler: a.http.Handle(a.groups)},
		{Method: "POST", Path: "/api/otp/send", Handler: a.http.Handle(a.otpSend)},
		{Method: "POST", Path: "/api/otp/verify", Handler: a.http.Handle(a.otpVerify)},
		{Method: "GET", Path: "/api/svc-analytics", Handler: a.http.Handle(a.analytics)},
		{Method: "GET", Path: "/api/svc-logs", Handler: a.http.Handle(a.logs)},
		{Method: "GET", Path: "/api/svc-logs.csv", Handler: a.http.Handle(a.exportLogs)},
		{Method: "GET", Path: "/api/inbox/conversations", Handler: a.http.Handle(a.conversations)},
		{Method: "GET", Path: "/api/inbox/conversations/{id}/messages", Handler: a.http.Handle(a.conversation)},
		{Method: "POST", Path: "/api/inbox/conversations/{id}/read", Handler: a.http.Handle(a.markRead)},
		{Method: "POST", Path: "/api/inbox/conversations/{id}/reply", Handler: a.http.Handle(a.reply)},
		{Method: "GET", Path: "/api/inbox/revision", Handler: a.http.Handle(a.revision)},
		{Method: "GET", Path: "/api/inbox/messages", Handler: a.http.Handle(a.searchInbox)},
		{Method: "GET", Path: "/api/media/{id}", Handler: a.http.Handle(a.media)},
		{Method: "POST", Path: "/api/inbox/conversations/{id}/unread", Handler: a.http.Handle(a.markUnread)},
		{Method: "POST", Path: mcp.Path, Handler: a.simulating(a.mcp)},
		{Method: "POST", Path: "/api/messages/{messageId}/cancel", Handler: a.http.Handle(a.cancel)},
		{Method: "GET", Path: "/api/webhooks", Handler: a.http.Handle(a.webhookState)},
		{Method: "GET", Path: "/api/webhooks/events", Handler: a.http.Handle(a.webhookEvents)},
		{Method: "GET", Path: "/api/webhooks/events/{eventId}", Handler: a.http.Handle(a.webhookEvent)},
		{Method: "POST", Path: "/api/webhooks/events/{eventId}/resend", Handler: a.http.Handle(a.webhookResend)},
		{Method: "POST", Path: "/api/webhooks/resend-failed", Handler: a.http.Handle(a.webhookResendFailed)},
		{Method: "POST", Path: "/api/webhooks/ping", Handler: a.http.Handle(a.webhookPing)},
		{Method: "POST", Path: "/api/webhooks/enable", Handler: a.http.Handle(a.webhookEnable)},
		{Method: "GET", Path: "/api/webhooks/stream", Handler: a.http.Handle(a.webhookStream)},
		{Method: "POST", Path: "/api/webhooks/stream/rotate-secret", Handler: a.http.Handle(a.webhookStreamSecret)},
		{Method: "GET", Path: "/api/senders", Handler: a.http.Handle(a.senders)},
		{Method: "GET", Path: "/api/senders/{id}", Handler: a.http.Handle(a.sender)},
		{Method: "POST", Path: "/api/senders/{id}/pause", Handler: a.http.Handle(a.pauseSender)},
		{Method: "POST", Path: "/api/senders/{id}/resume", Handler: a.http.Handle(a.resumeSender)},
		{Method: "POST", Path: "/api/senders/{id}/pair", Handler: a.http.Handle(a.startPairing)},
		{Method: "DELETE", Path: "/api/senders/{id}/pair", Handler: a.http.Handle(a.cancelPairing)},
		{Method: "GET", Path: "/api/senders/{id}/pair/events", Handler: a.http.Handle(a.pairingStream)},
		{Method: "GET", Path: "/api/session", Handler: a.http.Handle(a.showSession)},
		{Method: "POST", Path: "/api/session", Handler: a.http.LimitUnauthenticated(&a.unauthenticatedBodies, a.http.Handle(a.requestCode))},
		{Method: "PATCH", Path: "/api/session", Handler: a.http.Handle(a.chooseAccount)},
		{Method: "DELETE", Path: "/api/session", Handler: a.http.Handle(a.signOut)},
		{Method: "POST", Path: "/api/session/verify", Handler: a.http.LimitUnauthenticated(&a.unauthenticatedBodies, a.http.Handle(a.verifyCode))},
		{Method: "POST", Path: "/api/session/invitation", Handler: a.http.LimitUnauthenticated(&a.unauthenticatedBodies, a.http.Handle(a.acceptInvitation))},
		{Method: "GET", Path: "/api/projects", Handler: a.http.Handle(a.listProjects)},
		{Method: "POST", Path: "/api/projects", Handler: a.http.Handle(a.createProject)},
		{Method: "PATCH", Path: "/api/projects/{id}", Handler: a.http.Handle(a.renameProject)},
		{Method: "DELETE", Path: "/api/projects/{id}", Handler: a.http.Handle(a.deleteProject)},
		{Method: "GET", Path: "/api/keys", Handler: a.http.Handle(a.listKeys)},
		{Method: "POST", Path: "/api/keys", Handler: a.http.Handle(a.createKey)},
		{Method: "POST", Path: "/api/keys/{id}/rotate", Handler: a.http.Handle(a.rotateKey)},
		{Method: "DELETE", Path: "/api/keys/{id}", Handler: a.http.Handle(a.revokeKey)},
		{Method: "GET", Path: "/api/members", Handler: a.http.Handle(a.listMembers)},
		{Method: "POST", Path: "/api/members", Handler: a.http.Handle(a.inviteMember)},
		{Method: "DELETE", Path: "/api/members/{id}", Handler: a.http.Handle(a.removeMember)},
		{Method: "PATCH", Path: "/api/members/{id}", Handler: a.http.Handle(a.changeMember)},
		{Method: "POST", Path: "/api/invitations/{id}/resend", Handler: a.http.Handle(a.resendInvitation)},
		{Method: "DELETE", Path: "/api/invitations/{id}", Handler: a.http.Handle(a.revokeInvitation)},
		{Method: "GET", Path: "/api/opt-outs", Handler: a.http.Handle(a.optOuts)},
		{Method: "POST", Path: "/api/opt-outs", Handler: a.http.Handle(a.addOptOut)},
		{Method: "DELETE", Path: "/api/opt-outs/{id}", Handler: a.http.Handle(a.removeOptOut)},
		{Method: "POST", Path: "/api/people/export", Handler: a.http.Handle(a.exportPerson)},
		{Method: "POST", Path: "/api/people/erase", Handler: a.http.Handle(a.erasePerson)},
		{Method: "GET", Path: "/api/stats", Handler: a.http.Handle(a.seriesStats)},
		{Method: "GET", Path: "/api/otp/stats", Handler: a.http.Handle(a.otpStats)},
		{Method: "POST", Path: "/api/account", Handler: a.http.Handle(a.createAccount)},
		{Method: "PATCH", Path: "/api/account", Handler: a.http.Handle(a.changeAccount)},
		{Method: "POST", Path: "/api/account/transfer", Handler: a.http.Handle(a.transferAccount)},
		{Method: "POST", Path: "/api/account/close", Handler: a.http.Handle(a.closeAccount)},
		{Method: "GET", Path: "/api/key", Handler: a.http.Handle(a.describeKey)},
		{Method: "GET", Path: "/api/presets", Handler: a.http.Handle(a.presets)},
		{Method: "GET", Path: "/api/audit", Handler: a.http.Handle(a.audit)},
		{Method: "GET", Path: "/api/alerts", Handler: a.http.Handle(a.alerts)},
		{Method: "GET", Path: "/api/billing", Handler: a.http.Handle(a.billing)},
		{Method: "POST", Path: "/api/billing/checkout", Handler: a.http.Handle(a.billingCheckout)},
		{Method: "POST", Path: "/api/billing/portal", Handler: a.http.Handle(a.billingPortal)},
		{Method: "POST", Path: "/billing/stripe/events", Handler: a.http.Handle(a.billingEvent)},
		{Method: "GET", Path: "/healthz", Handler: a.http.Handle(a.health)},
		{Method: "GET", Path: "/openapi.yaml", Handler: httpx.NewDocument("application/yaml", a.o.OpenAPI, 0)},
		{Method: "GET", Path: "/terms", Handler: a.http.Handle(a.legal.Terms)},
		{Method: "GET", Path: "/privacy", Handler: a.http.Handle(a.legal.Privacy)},
		{Method: "GET", Path: "/docs/errors", Handler: a.http.Handle(a.reference.Errors)},
		{Method: "GET", Path: "/docs", Handler: a.http.Handle(a.o.Book.Contents)},
		{Method: "GET", Path: "/docs/{page...}", Handler: a.http.Handle(a.bookPage)},
		{Method: "GET", Path: "/docs/reference", Handler: a.http.Handle(a.reference.Index)},
		{Method: "GET", Path: "/docs/reference/{name}", Handler: a.http.Handle(a.referencePage)},
		{Method: "GET", Path: "/static/{path...}", Handler: a.o.Pages.Static(a.http.NotFound)},
	}
}
