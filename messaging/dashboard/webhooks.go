package dashboard

import (
	"net/http"
	"net/url"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/webhooks"
	"example.com/griot/web"
)

const webhooksPath = "/dashboard/webhooks"

func (d *Dashboard) webhooksRoutes() []httpx.Route {
	routes := []httpx.Route{
		d.member("GET", webhooksPath, account.MayManageWebhooks, d.webhooks),
		d.member("POST", webhooksPath+"/enable", account.MayManageWebhooks, d.enableWebhook),
		d.member("POST", webhooksPath+"/ping", account.MayManageWebhooks, d.pingWebhook),
		d.member("POST", webhooksPath+"/resend-failed", account.MayManageWebhooks, d.resendFailed),
		d.member("POST", webhooksPath+"/stream-secret", account.MayManageWebhooks, d.rotateStreamSecret),
		d.member("GET", webhooksPath+"/{eventId}", account.MayManageWebhooks, d.webhookEvent),
		d.member("POST", webhooksPath+"/{eventId}/resend", account.MayManageWebhooks, d.resendEvent),
	}
	if d.o.Endpoints.AccountsSetURL {
		routes = append(
			routes,
			d.form(webhooksPath, account.MaySetWebhook, d.setWebhook),
			d.member("POST", webhooksPath+"/remove", account.MaySetWebhook, d.removeWebhook),
			d.member("POST", webhooksPath+"/rotate-secret", account.MaySetWebhook, d.rotateWebhookSecret),
		)
	}
	return routes
}

const (
	pageWebhooks        = "dashboard_webhooks" // webhooksPage
	webhookEventsOnPage = 50
)

// webhooksPage is the page of the account's endpoint, its stream, and its events, newest first.
type webhooksPage struct {
	list
	Endpoint *endpoint // nil: none
	Delivery web.Select
	Live     bool // the list is refreshed while the page is open
	Rows     []eventRow
	Secret   *web.Code // the stream's new secret, shown only now
	Signing  *web.Code // the same of the endpoint
	Listen   *web.Code
	Own      *ownEndpoint // nil: only the operator sets the URL
	Ask      *requestForm // nil: the account sets it
}

// An ownEndpoint is the form with which the owner sets the URL.
type ownEndpoint struct {
	URL   web.Field
	Fixed bool // an operator has disabled the endpoint, so the owner can't change it
	Set   bool // the account has an endpoint, which can be removed
}

// An endpoint is the URL that events are posted to, with its state.
type endpoint struct {
	URL     string
	State   web.Badge
	Problem *web.Alert
	Enable  bool // the owner can enable it
	Facts   []fact
}

type eventRow struct {
	URL, Type, ID string
	Delivery      web.Badge
	At            time.Time
	Tries         string
	Reason        *web.Reason // of a failed message; nil: none
	MessageURL    string      // the page of the event's message; empty: none
}

// webhooks handles GET /dashboard/webhooks.
func (d *Dashboard) webhooks(v *visit) error {
	return d.showWebhooks(v, http.StatusOK, &webhooksPage{})
}

// showWebhooks fills in the page and serves it.
func (d *Dashboard) showWebhooks(v *visit, status int, page *webhooksPage) error {
	q := v.r.URL.Query()
	state, err := d.o.Endpoints.StateFor(v.r.Context(), v.caller)
	if err != nil {
		return err
	}
	if state != nil && state.URL != "" {
		page.Endpoint = d.endpointOf(v, state)
	}
	if d.o.Endpoints.AccountsSetURL {
		own := ownEndpointOf(v.lang, state)
		if page.Own != nil { // its URL was refused
			own.URL = page.Own.URL
		}
		page.Own = own
	}
	f := &webhooks.Filter{Delivery: webhooks.Delivery(q.Get("delivery")), Before: q.Get("cursor"), Limit: webhookEventsOnPage}
	if f.Delivery != "" && !f.Delivery.Valid() {
		q.Del("delivery")
		f.Delivery, page.Wrong, status = "", v.lang.T("dashboard.logs.wrong"), http.StatusBadRequest
	}
	if f.Before != "" && !webhooks.ValidID(f.Before) {
		f.Before, page.Wrong, status = "", explain(v.lang, apierror.InvalidCursor.Err()), http.StatusBadRequest
	}
	list, next, err := d.o.Endpoints.EventsFor(v.r.Context(), v.caller, f)
	if err != nil {
		return err
	}
	streamed, err := d.o.Endpoints.Streamed(v.r.Context(), v.caller, list)
	if err != nil {
		return err
	}
	for _, e := range list {
		page.Rows = append(page.Rows, rowOfEvent(v, e, streamed[e.ID]))
	}
	page.Filtered, page.Live, page.AllURL = f.Delivery != "", f.Before == "" && v.r.Method == http.MethodGet, v.url(webhooksPath)
	page.Delivery = deliverySelect(v.lang, f.Delivery)
	none := web.Empty{Icon: "webhook", Title: v.lang.T("dashboard.webhooks.none"), Text: v.lang.T("dashboard.webhooks.none_text")}
	page.finish(v, len(page.Rows), f.Before, next, v.placeIn(webhooksPath, q, "delivery"), "dashboard.webhooks.list_", none)
	page.Listen = d.listenCode(v)
	if page.Ask == nil && page.Own == nil {
		if page.Ask, err = d.requestForm(v, true, nil); err != nil {
			return err
		}
	}
	return d.serve(v, status, pageWebhooks, webhooksPath, page)
}

// ownEndpointOf returns the form with the stored URL.
func ownEndpointOf(lang i18n.Lang, s *webhook.State) *ownEndpoint {
	f := &ownEndpoint{URL: web.Field{
		ID: "url", Name: "url", Type: "url", Label: lang.T("dashboard.webhooks.url"), Hint: lang.T("dashboard.webhooks.url_hint"), Placeholder: "https://", Required: true,
	}}
	if s != nil {
		f.URL.Value, f.Set, f.Fixed = s.URL, s.URL != "", s.DisabledFor == webhook.ForOperator
	}
	return f
}

// listenCode returns the command that forwards events to a program on the owner's machine.
func (d *Dashboard) listenCode(v *visit) *web.Code {
	return &web.Code{ID: "listen", Title: v.lang.T("dashboard.webhooks.listen_title"), Text: "griot listen --forward-to http://localhost:3000/webhooks --url " + d.o.URL}
}

// rowOfEvent returns the row of an event. A program got it at streamed, if that is not zero.
func rowOfEvent(v *visit, e *webhooks.Stored, streamed time.Time) eventRow {
	lang := v.lang
	row := eventRow{URL: eventURL(e.ID), Type: e.Type, ID: e.ID, Delivery: deliveryBadge(lang, e.Delivery), At: e.At}
	if e.Delivery == webhooks.NotSent && !streamed.IsZero() {
		row.Delivery = web.Badge{Text: lang.T("dashboard.webhooks.delivery_streamed"), Tone: web.Good}
	}
	switch {
	case e.Tries == 1:
		row.Tries = lang.T("dashboard.webhooks.tried_once")
	case e.Tries > 1:
		row.Tries = lang.T("dashboard.webhooks.tried", number(lang, int64(e.Tries)))
	}
	if of, code := webhooks.About(e.Body); of != "" {
		if row.MessageURL = messageURL(of); code != "" {
			row.Reason = v.reasonLinks(code, "")
		}
	}
	return row
}

func eventURL(id string) string { return webhooksPath + "/" + url.PathEscape(id) }

func deliveryBadge(lang i18n.Lang, s webhooks.Delivery) web.Badge {
	tones := map[webhooks.Delivery]web.Tone{webhooks.Pending: web.Info, webhooks.Delivered: web.Good, webhooks.Failed: web.Bad}
	return web.Badge{Text: deliveryName(lang, s), Tone: tones[s]}
}

func deliveryName(lang i18n.Lang, s webhooks.Delivery) string {
	return lang.Named("dashboard.webhooks.delivery_", string(s))
}

func deliverySelect(lang i18n.Lang, chosen webhooks.Delivery) web.Select {
	s := web.Select{ID: "delivery", Name: "delivery", Label: lang.T("dashboard.webhooks.delivery"), Options: []web.Option{{Label: lang.T("dashboard.logs.any")}}}
	for _, e := range []webhooks.Delivery{webhooks.Pending, webhooks.Delivered, webhooks.Failed, webhooks.NotSent} {
		s.Options = append(s.Options, web.Option{Value: string(e), Label: deliveryName(lang, e), Selected: e == chosen})
	}
	return s
}

func (d *Dashboard) endpointOf(v *visit, s *webhook.State) *endpoint {
	lang := v.lang
	now := d.o.Now()
	e := &endpoint{URL: s.URL, State: web.Badge{Text: lang.T("dashboard.webhooks.enabled"), Tone: web.Good}}
	switch {
	case !s.DisabledAt.IsZero():
		e.State = web.Badge{Text: lang.T("dashboard.webhooks.disabled"), Tone: web.Bad}
		e.Enable = s.DisabledFor != webhook.ForOperator
		e.Problem = &web.Alert{Tone: web.Bad, Title: lang.T("dashboard.webhooks.disabled_title"), Text: disabledReason(v, s)}
	case !s.FailingSince.IsZero():
		e.State = web.Badge{Text: lang.T("dashboard.webhooks.failing"), Tone: web.Warn}
		e.Problem = &web.Alert{Tone: web.Warn, Title: lang.T("dashboard.webhooks.failing"), Text: lang.T("dashboard.webhooks.failing_text", v.moment(s.FailingSince))}
	}
	e.Facts = append(e.Facts, timed(
		fact{Label: lang.T("dashboard.webhooks.last_success"), At: s.LastSuccessAt},
		fact{Label: lang.T("dashboard.webhooks.last_failure"), At: s.LastFailureAt},
		fact{Label: lang.T("dashboard.webhooks.paused_until"), At: future(now, s.PausedUntil)},
		fact{Label: lang.T("dashboard.webhooks.previous_until"), At: future(now, s.PreviousUntil)},
	)...)
	pending := number(lang, int64(s.Pending))
	if s.Pending > webhook.MaxPending {
		pending = "> " + number(lang, webhook.MaxPending)
	}
	reads := lang.T("dashboard.webhooks.reads_off")
	if s.Choice {
		reads = lang.T("dashboard.webhooks.reads_on")
	}
	e.Facts = append(e.Facts, fact{Label: lang.T("dashboard.webhooks.waiting"), Value: pending}, fact{Label: lang.T("dashboard.webhooks.reads"), Value: reads})
	return e
}

// future returns a time, or the zero time if it has passed.
func future(now, at time.Time) time.Time {
	if at.After(now) {
		return at
	}
	return time.Time{}
}

func disabledReason(v *visit, s *webhook.State) string {
	lang, at := v.lang, v.moment(s.DisabledAt)
	switch s.DisabledFor {
	case webhook.ForGone:
		return lang.T("dashboard.webhooks.gone", at)
	case webhook.ForOperator:
		return lang.T("dashboard.webhooks.by_operator", at)
	}
	return lang.T("dashboard.webhooks.gave_up", at)
}
