package api

import (
	"context"
	"log/slog"
	"net/http"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/intake"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/metrics"
	"example.com/griot/messaging/access"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/alerts"
	"example.com/griot/messaging/billing"
	"example.com/griot/messaging/closing"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/erasure"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/mail"
	"example.com/griot/messaging/mcp"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/otp"
	"example.com/griot/messaging/pairing"
	"example.com/griot/messaging/sender"
	"example.com/griot/messaging/stats"
	"example.com/griot/messaging/webhooks"
	"example.com/griot/web"
)

// Options contains the dependencies and settings of the API.
type Options struct {
	Ping      func(context.Context) error // of the database
	Directory *account.Directory
	Delivery  *delivery.Service
	Mail      *mail.Service
	Inbox     *inbox.Inbox
	OTP       *otp.Service
	Now       clock.Now
	Log       *slog.Logger
	Pages     *web.Pages
	Book      *web.Book
	URL       string // the base URL, without a slash at the end
	Version   string // of the program
	OpenAPI   []byte
	Operator  web.Operator
	// Terms and Privacy are the operator's own texts, with empty lines between paragraphs. If they are empty, Griot's texts are used.
	Terms, Privacy string
	Limits         *limit.Settings // limits for sign-in attempts; nil: neither these nor the plans' request rates are limited
	Endpoints      *webhooks.Endpoints
	Billing        *billing.Service
	Alerts         *alerts.Service
	Pairing        *pairing.Service
	Erasure        *erasure.Service
	OptOuts        *optout.Service
	Messages       *message.Reader
	Closing        *closing.Service
	Senders        *sender.Service
	Stats          *stats.Stats
	Metrics        *metrics.Service // counts requests; nil: no metrics
}

// An API is the messaging service over HTTP.
type API struct {
	o         Options
	own       httpx.Own
	http      *httpx.API
	sessions  *access.Service
	mcp       *mcp.Server
	reference *web.Reference
	legal     *web.Legal

	programStreams, pageStreams, pairingStreams *streams

	billingBodies intake.Budget // for events of the payment provider
}

// New returns the API.
func New(o Options) (*API, error) {
	a := &API{
		o:              o,
		programStreams: newStreams(maxPrograms, programsOfAccount, false), pageStreams: newStreams(maxPages, pagesOfPerson, true), pairingStreams: newStreams(maxPairings, pairingsOfPerson, true),
	}
	a.http = &httpx.API{Write: a.writeError, SecureRedirect: web.Secure, Lang: web.Language, Log: o.Log, Now: o.Now, Metrics: o.Metrics, Kinds: httpx.Kinds{
		JSON: apierror.InvalidJSON, Member: apierror.InvalidRequest, MediaType: apierror.UnsupportedMediaType, TooLarge: apierror.PayloadTooLarge, Busy: apierror.RateLimited,
		NotFound: apierror.NotFound, Method: apierror.MethodNotAllowed, Internal: apierror.Internal, Unavailable: apierror.StorageUnavailable,
	}}
	a.mcp = a.assistant()
	a.reference = web.NewReference(o.Pages, apierror.Messaging, o.URL, o.OpenAPI)
	a.legal = web.NewLegal(o.Pages, apierror.Messaging, o.URL, o.Operator, o.Terms, o.Privacy)
	var err error
	if o.URL != "" { // without one, only the table of routes is needed
		if a.own, err = httpx.ParseOwn(o.URL); err != nil {
			return nil, err
		}
		a.http.Own, a.http.IsPage = a.own, isPage
	}
	a.sessions = access.New(access.Options{Directory: o.Directory, Mail: o.Mail, Own: a.own, Limits: o.Limits, Now: o.Now})
	return a, nil
}

// Handler serves the routes, and the given additional ones, such as the dashboard's pages.
func (a *API) Handler(more ...httpx.Route) http.Handler {
	routes := append(a.Routes(), a.ownOrigin(a.guard().Anyone("", mcp.Path, a.refuseMethod)), a.guard().Anyone("", "/register", refuseRegistration))
	for _, route := range routes {
		// Assistants add a slash to the address that they are given, and don't follow redirects with a key.
		if route.Path == mcp.Path {
			route.Path += "/{$}"
			routes = append(routes, route)
		}
	}
	return a.http.Handler(append(routes, more...))
}

func (a *API) guard() *access.Guard { return &access.Guard{Service: a.sessions, HTTP: a.http} }

// HTTP returns the object that runs the handlers and converts their errors to responses.
func (a *API) HTTP() *httpx.API { return a.http }

// Sessions returns the service that identifies callers.
func (a *API) Sessions() *access.Service { return a.sessions }

// Busy returns a handler that refuses every request with 429 rate_limited.
func (a *API) Busy() http.Handler { return a.http.Busy() }

// Routes returns the table of endpoints.
func (a *API) Routes() []httpx.Route { return append(a.fixedRoutes(), a.ownURLRoutes()...) }

// ownURLRoutes returns the endpoints with which accounts set their own URL. Without that setting, their addresses respond
// like any other that doesn't exist.
func (a *API) ownURLRoutes() []httpx.Route {
	if !a.o.Endpoints.AccountsSetURL {
		return nil
	}
	g := a.guard()
	return []httpx.Route{
		g.Route("PUT", "/api/webhooks", account.MaySetWebhook, a.webhookSet),
		g.Route("POST", "/api/webhooks/rotate-secret", account.MaySetWebhook, a.webhookRotate),
	}
}

// fixedRoutes returns the endpoints that don't depend on settings.
func (a *API) fixedRoutes() []httpx.Route {
	g := a.guard()
	return []httpx.Route{
		g.Route("POST", "/api/send", account.MaySend, a.send),
		g.Route("POST", "/api/send/batch", account.MaySend, a.batch),
		g.Route("GET", "/api/status/{messageId}", account.MayReadMessages, a.status),
		g.Route("GET", "/api/me", account.MayReadProfile, a.me),
		g.Route("GET", "/api/partner/whatsapp/groups", account.MayListGroups, a.groups),
		g.Route("POST", "/api/otp/send", account.MaySendCodes, a.otpSend),
		g.Route("POST", "/api/otp/verify", account.MayVerifyCodes, a.otpVerify),
		g.Route("GET", "/api/svc-analytics", account.MayReadAccountStatistics, a.analytics),
		g.Route("GET", "/api/svc-logs", account.MayReadMessages, a.logs),
		g.Route("GET", "/api/svc-logs.csv", account.MayExportMessages, a.exportLogs),
		g.Route("GET", "/api/inbox/conversations", account.MayReadInbox, withInbox(a.conversations)),
		g.Route("GET", "/api/inbox/conversations/{id}/messages", account.MayReadInbox, withInbox(a.conversation)),
		g.Route("POST", "/api/inbox/conversations/{id}/read", account.MayReadInbox, withInbox(a.markRead)),
		g.Route("POST", "/api/inbox/conversations/{id}/reply", account.MayReply, withInbox(a.reply)),
		g.Route("GET", "/api/inbox/revision", account.MayReadInbox, withInbox(a.revision)),
		g.Route("GET", "/api/inbox/messages", account.MayReadInbox, withInbox(a.searchInbox)),
		g.Route("GET", "/api/media/{id}", account.MayReadInbox, withInbox(a.media)),
		g.Route("POST", "/api/inbox/conversations/{id}/unread", account.MayReadInbox, withInbox(a.markUnread)),
		a.ownOrigin(g.Route("POST", mcp.Path, account.MayCallTools, withInbox(a.mcp.Serve))),
		g.Route("POST", "/api/messages/{messageId}/cancel", account.MayCancelMessages, a.cancel),
		g.Route("GET", "/api/webhooks", account.MayManageWebhooks, a.webhookState),
		g.Route("GET", "/api/webhooks/events", account.MayManageWebhooks, a.webhookEvents),
		g.Route("GET", "/api/webhooks/events/{eventId}", account.MayManageWebhooks, a.webhookEvent),
		g.Route("POST", "/api/webhooks/events/{eventId}/resend", account.MayManageWebhooks, a.webhookResend),
		g.Route("POST", "/api/webhooks/resend-failed", account.MayManageWebhooks, a.webhookResendFailed),
		g.Route("POST", "/api/webhooks/ping", account.MayManageWebhooks, a.webhookPing),
		g.Route("POST", "/api/webhooks/enable", account.MayManageWebhooks, a.webhookEnable),
		a.http.WithoutHead(g.Route("GET", "/api/webhooks/stream", account.MayListen, a.WebhookStream)),
		g.Route("POST", "/api/webhooks/stream/rotate-secret", account.MayManageWebhooks, a.webhookStreamSecret),
		g.Route("GET", "/api/senders", account.MayManageSenders, a.senders),
		g.Route("GET", "/api/senders/{id}", account.MayManageSenders, a.sender),
		g.Route("POST", "/api/senders/{id}/pause", account.MayManageSenders, a.pauseSender),
		g.Route("POST", "/api/senders/{id}/resume", account.MayManageSenders, a.resumeSender),
		g.Route("POST", "/api/senders/{id}/pair", account.MayPairSenders, a.startPairing),
		g.Route("DELETE", "/api/senders/{id}/pair", account.MayPairSenders, a.cancelPairing),
		a.http.WithoutHead(g.Route("GET", "/api/senders/{id}/pair/events", account.MayPairSenders, a.pairingStream)),
		g.Person("GET", "/api/session", a.showSession),
		g.Anyone("POST", "/api/session", a.requestCode),
		g.Person("PATCH", "/api/session", a.chooseAccount),
		g.Person("DELETE", "/api/session", a.signOut),
		g.Anyone("POST", "/api/session/verify", a.verifyCode),
		g.Anyone("POST", "/api/session/invitation", a.acceptInvitation),
		g.Route("GET", "/api/projects", account.MayListProjects, a.listProjects),
		g.Route("POST", "/api/projects", account.MayChangeProjects, a.createProject),
		g.Route("PATCH", "/api/projects/{id}", account.MayChangeProjects, a.renameProject),
		g.Route("DELETE", "/api/projects/{id}", account.MayDeleteProjects, a.deleteProject),
		g.Route("GET", "/api/keys", account.MayListKeys, a.listKeys),
		g.Route("POST", "/api/keys", account.MayChangeKeys, a.createKey),
		g.Route("POST", "/api/keys/{id}/rotate", account.MayChangeKeys, a.rotateKey),
		g.Route("PATCH", "/api/keys/{id}", account.MayGrantTools, a.changeKey),
		g.Route("DELETE", "/api/keys/{id}", account.MayChangeKeys, a.revokeKey),
		g.Route("GET", "/api/members", account.MayListMembers, a.listMembers),
		g.Route("POST", "/api/members", account.MayChangeMembers, a.inviteMember),
		g.Route("DELETE", "/api/members/{id}", account.MayChangeMembers, a.removeMember),
		g.Route("PATCH", "/api/members/{id}", account.MayChangeMembers, a.changeMember),
		g.Route("POST", "/api/invitations/{id}/resend", account.MayChangeMembers, a.resendInvitation),
		g.Route("DELETE", "/api/invitations/{id}", account.MayChangeMembers, a.revokeInvitation),
		g.Route("GET", "/api/opt-outs", account.MayManageOptOuts, a.optOuts),
		g.Route("POST", "/api/opt-outs", account.MayManageOptOuts, a.addOptOut),
		g.Route("DELETE", "/api/opt-outs/{id}", account.MayManageOptOuts, a.removeOptOut),
		g.Route("POST", "/api/people/export", account.MayManagePeople, a.exportPerson),
		g.Route("POST", "/api/people/erase", account.MayManagePeople, a.erasePerson),
		g.Route("GET", "/api/stats", account.MayReadStatistics, a.seriesStats),
		g.Route("GET", "/api/otp/stats", account.MayReadAccountStatistics, a.otpStats),
		g.Person("POST", "/api/account", a.createAccount),
		g.Route("PATCH", "/api/account", account.MayChangeAccount, a.changeAccount),
		g.Route("POST", "/api/account/transfer", account.MayTransferAccount, a.transferAccount),
		g.Route("POST", "/api/account/close", account.MayCloseAccount, a.closeAccount),
		g.Route("GET", "/api/key", account.MayReadKey, a.describeKey),
		g.Route("GET", "/api/presets", account.MayListPresets, a.presets),
		g.Route("GET", "/api/audit", account.MayReadAudit, a.audit),
		g.Route("GET", "/api/alerts", account.MayReadAlerts, a.alerts),
		g.Route("GET", "/api/billing", account.MayReadBilling, a.billing),
		g.Route("POST", "/api/billing/checkout", account.MayBuyPlans, a.billingCheckout),
		g.Route("POST", "/api/billing/portal", account.MayBuyPlans, a.billingPortal),
		{Method: "POST", Path: "/billing/stripe/events", Access: httpx.Callers("the payment provider, by its signature"), Handler: a.http.Handle(a.billingEvent)},
		g.Anyone("GET", "/healthz", a.health),
		{Method: "GET", Path: "/openapi.yaml", Access: httpx.Anyone, Handler: httpx.NewDocument("application/yaml", a.o.OpenAPI, 0)},
		g.Anyone("GET", "/terms", a.legal.Terms),
		g.Anyone("GET", "/privacy", a.legal.Privacy),
		g.Anyone("GET", "/docs/errors", a.reference.Errors),
		g.Anyone("GET", "/docs", a.o.Book.Contents),
		g.Anyone("GET", "/docs/{page...}", a.bookPage),
		g.Anyone("GET", "/docs/reference", a.reference.Index),
		g.Anyone("GET", "/docs/reference/{name}", a.referencePage),
		{Method: "GET", Path: "/static/{path...}", Access: httpx.Anyone, Handler: a.o.Pages.Static(a.http.NotFound)},
	}
}
