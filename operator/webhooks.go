package operator

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/webhook"
	messagingadmin "example.com/griot/messaging/admin"
	"example.com/griot/web"
)

const (
	webhooksPath = Home + "/webhooks"
	resendSince  = 3 * 24 * time.Hour // what was given up since then is delivered again
)

func (p *Pages) webhooksRoutes() []httpx.Route {
	at := webhooksPath + "/{account}"
	return []httpx.Route{
		{Method: "GET", Path: webhooksPath, Handler: p.page(p.webhooks)},
		{Method: "GET", Path: at, Handler: p.page(p.webhook)},
		{Method: "POST", Path: at, Handler: p.form(p.setWebhook)},
		{Method: "POST", Path: at + "/enable", Handler: p.form(p.changeWebhook("webhooks.enable", "operator.done.webhook_on"))},
		{Method: "POST", Path: at + "/disable", Handler: p.form(p.changeWebhook("webhooks.disable", "operator.done.webhook_off"))},
		{Method: "POST", Path: at + "/rotate", Handler: p.form(p.changeWebhook("webhooks.rotate-secret", "operator.done.rotated"))},
		{Method: "POST", Path: at + "/ping", Handler: p.form(p.pingWebhook)},
		{Method: "POST", Path: at + "/resend-failed", Handler: p.form(p.resendFailed)},
		{Method: "POST", Path: at + "/events/{event}/resend", Handler: p.form(p.resendEvent)},
	}
}

func webhookPath(accountID string) string { return webhooksPath + "/" + url.PathEscape(accountID) }

// webhooks lists the accounts' endpoints.
func (p *Pages) webhooks(v *visit) error {
	found, err := verb[[]messagingadmin.Endpoint](v, "webhooks.endpoints", messagingadmin.PageInput{After: v.r.URL.Query().Get("before"), Limit: listed + 1})
	if err != nil {
		return err
	}
	page, next := web.OperatorWebhooks{}, ""
	if len(found) > listed {
		found = found[:listed]
		next = found[listed-1].AccountID
	}
	page.Pages = v.older(webhooksPath, next)
	for i := range found {
		page.Endpoints = append(page.Endpoints, v.endpointLine(webhookPath(found[i].AccountID), found[i].Account, &found[i].View))
	}
	return v.show(web.PageOperatorWebhooks, page)
}

func (v *visit) endpointLine(at, name string, e *webhook.View) web.OperatorEndpoint {
	out := web.OperatorEndpoint{At: at, Name: name, URL: e.URL, Enabled: e.Enabled, Pending: pending(e.Pending), State: v.endpointState(e), LastStatus: e.LastStatus}
	for to, from := range map[*time.Time]*time.Time{&out.LastSuccessAt: e.LastSuccessAt, &out.LastFailureAt: e.LastFailureAt, &out.FailingSince: e.FailingSince, &out.PreviousUntil: e.PreviousSecret} {
		if from != nil {
			*to = *from
		}
	}
	return out
}

func pending(n int) string {
	if n > webhook.MaxPending {
		return fmt.Sprint(webhook.MaxPending, "+")
	}
	return fmt.Sprint(n)
}

func (v *visit) endpointState(e *webhook.View) web.Badge {
	switch {
	case e.URL == "":
		return web.Badge{Text: v.lang.T("operator.webhook.none")}
	case !e.Enabled:
		reason := map[string]string{webhook.ForGone: "operator.webhook.gone", webhook.ForFailing: "operator.webhook.gave_up"}[e.DisabledFor]
		if reason == "" {
			reason = "operator.webhook.off"
		}
		return web.Badge{Text: v.lang.T(reason), Tone: web.Bad}
	case e.PausedUntil != nil:
		return web.Badge{Text: v.lang.T("operator.webhook.paused"), Tone: web.Warn}
	case e.FailingSince != nil:
		return web.Badge{Text: v.lang.T("operator.webhook.failing"), Tone: web.Warn}
	}
	return web.Badge{Text: v.lang.T("operator.webhook.on"), Tone: web.Good}
}

// webhook shows one account's endpoint and its latest events.
func (p *Pages) webhook(v *visit) error {
	e, err := verb[messagingadmin.Endpoint](v, "webhooks.show", messagingadmin.OfAccount{Account: v.r.PathValue("account")})
	if err != nil {
		return err
	}
	at, q := webhookPath(e.AccountID), v.r.URL.Query()
	in := messagingadmin.WebhookEventsInput{Account: e.AccountID, Delivery: q.Get("delivery"), Before: q.Get("before"), Limit: listed + 1}
	found, err := verb[[]messagingadmin.Event](v, "webhooks.list", in)
	if err != nil {
		return err
	}
	page := web.OperatorWebhook{OperatorEndpoint: v.endpointLine(at, e.Account, &e.View), WebhooksURL: webhooksPath, AccountURL: accountPath(e.AccountID), Tabs: web.Tabs{Label: v.lang.T("operator.webhook.events")}}
	next := ""
	if len(found) > listed {
		found = found[:listed]
		next = found[listed-1].ID
	}
	page.Pages = v.older(at, next)
	for _, s := range []struct{ delivery, label string }{{"", "operator.webhook.all"}, {"pending", "operator.webhook.pending"}, {"failed", "operator.webhook.failed"}, {"delivered", "operator.webhook.delivered"}, {"not_sent", "operator.webhook.not_sent"}} {
		tab := web.Tab{URL: at, Label: v.lang.T(s.label), Current: s.delivery == in.Delivery}
		if s.delivery != "" {
			tab.URL = httpx.WithQuery(at, url.Values{"delivery": {s.delivery}})
		}
		page.Tabs.Items = append(page.Tabs.Items, tab)
	}
	for i := range found {
		page.Events = append(page.Events, v.eventLine(at, &found[i]))
	}
	return v.show(web.PageOperatorWebhook, page)
}

func (v *visit) eventLine(at string, e *messagingadmin.Event) web.OperatorEvent {
	out := web.OperatorEvent{ID: e.ID, Type: e.Type, At: e.CreatedAt, Tries: e.FailedTries, ResendURL: at + "/events/" + url.PathEscape(e.ID) + "/resend"}
	switch e.Delivery {
	case "pending":
		out.State = web.Badge{Text: v.lang.T("operator.webhook.pending"), Tone: web.Info}
	case "delivered":
		out.State = web.Badge{Text: v.lang.T("operator.webhook.delivered"), Tone: web.Good}
	case "failed":
		out.State = web.Badge{Text: v.lang.T("operator.webhook.failed"), Tone: web.Bad}
	default:
		out.State = web.Badge{Text: v.lang.T("operator.webhook.not_sent")}
	}
	return out
}

// setWebhook sets where an account's events go, which the form asks to confirm.
func (p *Pages) setWebhook(v *visit) error {
	in, err := p.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	accountID := v.r.PathValue("account")
	if in.Get("confirm") != "yes" {
		return v.leave(webhookPath(accountID), once{wrong: "operator.confirm.missing"})
	}
	return act(v, webhookPath(accountID), "webhooks.set", messagingadmin.SetInput{Account: accountID, URL: strings.TrimSpace(in.Get("url"))}, endpointDone("operator.done.saved"))
}

// endpointDone is what the page after a change of an endpoint says, with a secret that was made.
func endpointDone(key string) func(messagingadmin.Endpoint) once {
	return func(e messagingadmin.Endpoint) once {
		return once{done: key, secret: e.Secret, title: "webhook secret"}
	}
}

func (p *Pages) changeWebhook(name, key string) visitHandler {
	return func(v *visit) error {
		accountID := v.r.PathValue("account")
		return act(v, webhookPath(accountID), name, messagingadmin.OfAccount{Account: accountID}, endpointDone(key))
	}
}

func (p *Pages) pingWebhook(v *visit) error {
	accountID := v.r.PathValue("account")
	return act(v, webhookPath(accountID), "webhooks.ping", messagingadmin.OfAccount{Account: accountID}, done("operator.done.pinged"))
}

func (p *Pages) resendFailed(v *visit) error {
	accountID := v.r.PathValue("account")
	return act(v, webhookPath(accountID), "webhooks.resend-failed", messagingadmin.SinceInput{Account: accountID, Since: p.o.Now().Add(-resendSince)}, done("operator.done.resent"))
}

func (p *Pages) resendEvent(v *visit) error {
	accountID := v.r.PathValue("account")
	return act(v, webhookPath(accountID), "webhooks.resend", messagingadmin.EventInput{Account: accountID, ID: v.r.PathValue("event")}, done("operator.done.resent"))
}
