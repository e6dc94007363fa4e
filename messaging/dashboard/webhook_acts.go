package dashboard

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/visible"
	"example.com/griot/messaging/webhooks"
	"example.com/griot/web"
)

// enableWebhook handles POST /dashboard/webhooks/enable.
func (d *Dashboard) enableWebhook(v *visit) error {
	if _, err := d.o.Endpoints.EnableFor(v.r.Context(), v.caller); err != nil {
		return d.refuseWebhook(v, err)
	}
	return v.see(webhooksPath + "?done=webhook_enabled")
}

// pingWebhook handles POST /dashboard/webhooks/ping. It redirects to the event, which shows the result.
func (d *Dashboard) pingWebhook(v *visit) error {
	p, err := d.o.Endpoints.PingFor(v.r.Context(), v.caller)
	if err != nil {
		return d.refuseWebhook(v, err)
	}
	return v.see(eventURL(p.ID) + "?done=pinged")
}

// resendFailed handles POST /dashboard/webhooks/resend-failed, for all stored events.
func (d *Dashboard) resendFailed(v *visit) error {
	if _, err := d.o.Endpoints.ResendFailedFor(v.r.Context(), v.caller, time.UnixMilli(0)); err != nil {
		return d.refuseWebhook(v, err)
	}
	return v.see(webhooksPath + "?done=resent_failed")
}

// rotateStreamSecret handles POST /dashboard/webhooks/stream-secret. Its response is the page with the secret, which
// has no address of its own.
func (d *Dashboard) rotateStreamSecret(v *visit) error {
	secret, err := d.o.Endpoints.RotateListenSecretFor(v.r.Context(), v.caller)
	if err != nil {
		return err
	}
	return d.showWebhooks(v, http.StatusOK, &webhooksPage{Secret: &web.Code{ID: "secret", Title: v.lang.T("dashboard.webhooks.secret"), Text: secret}})
}

// setWebhook handles POST /dashboard/webhooks. If it creates a secret, its response is the page with it, which is shown only
// then.
func (d *Dashboard) setWebhook(v *visit, form url.Values) error {
	to := visible.Trim(form.Get("url"))
	if to == "" { // removing the endpoint is a form of its own, with a confirmation
		return d.refuseURL(v, to)
	}
	_, secret, err := d.o.Endpoints.SetFor(v.r.Context(), v.caller, to)
	switch e, ok := refusal(err); {
	case ok && e.Field == "url":
		return d.refuseURL(v, to)
	case err != nil:
		return d.refuseWebhook(v, err)
	case secret != "":
		return d.showSigningSecret(v, secret)
	}
	return v.see(webhooksPath + "?done=webhook_set")
}

// refuseURL shows the page with a URL that can't be used.
func (d *Dashboard) refuseURL(v *visit, submitted string) error {
	own := ownEndpointOf(v.lang, nil)
	own.URL.Value, own.URL.Wrong = submitted, v.lang.T("dashboard.webhooks.url_wrong")
	return d.showWebhooks(v, http.StatusBadRequest, &webhooksPage{Own: own})
}

// removeWebhook handles POST /dashboard/webhooks/remove.
func (d *Dashboard) removeWebhook(v *visit) error {
	if _, _, err := d.o.Endpoints.SetFor(v.r.Context(), v.caller, ""); err != nil {
		return d.refuseWebhook(v, err)
	}
	return v.see(webhooksPath + "?done=webhook_removed")
}

// rotateWebhookSecret handles POST /dashboard/webhooks/rotate-secret.
func (d *Dashboard) rotateWebhookSecret(v *visit) error {
	secret, _, err := d.o.Endpoints.RotateSecretFor(v.r.Context(), v.caller)
	if err != nil {
		return d.refuseWebhook(v, err)
	}
	return d.showSigningSecret(v, secret)
}

// showSigningSecret shows the page with the endpoint's new secret.
func (d *Dashboard) showSigningSecret(v *visit, secret string) error {
	return d.showWebhooks(v, http.StatusOK, &webhooksPage{Signing: &web.Code{ID: "signing", Title: v.lang.T("dashboard.webhooks.secret"), Text: secret}})
}

// refuseWebhook shows the page with the error.
func (d *Dashboard) refuseWebhook(v *visit, err error) error {
	e, ok := refusal(err)
	if !ok {
		return err
	}
	page := &webhooksPage{list: list{Wrong: explain(v.lang, e)}}
	if e.Kind == apierror.Forbidden {
		page.Wrong = v.lang.T("dashboard.webhooks.operator_only")
	}
	return d.showWebhooks(v, e.Kind.Status, page)
}

const pageWebhookEvent = "dashboard_webhook_event" // eventDetails

// eventDetails is the page of an event, with its body and the result of each attempt.
type eventDetails struct {
	Row       eventRow
	Wrong     string
	Resends   bool // an endpoint exists
	Facts     []fact
	Body      web.Code
	Attempts  []attemptRow
	NoAttempt string // the reason why there is none
	Live      bool   // it will change soon
}

type attemptRow struct {
	At      time.Time
	Result  web.Badge
	Status  string
	Latency string
	Error   string
	Answer  string
}

// webhookEvent handles GET /dashboard/webhooks/:eventId.
func (d *Dashboard) webhookEvent(v *visit) error {
	e, err := d.o.Endpoints.EventFor(v.r.Context(), v.caller, v.r.PathValue("eventId"))
	if err != nil {
		return err
	}
	return d.showEvent(v, http.StatusOK, e, "")
}

func (d *Dashboard) showEvent(v *visit, status int, e *webhooks.Stored, wrong string) error {
	lang := v.lang
	tries, err := d.o.Endpoints.AttemptsFor(v.r.Context(), v.caller, e.ID)
	if err != nil {
		return err
	}
	streamed, err := d.o.Endpoints.Streamed(v.r.Context(), v.caller, []*webhooks.Stored{e})
	if err != nil {
		return err
	}
	page := &eventDetails{
		Row: rowOfEvent(v, e, streamed[e.ID]), Wrong: wrong, Body: web.Code{ID: "body", Title: "JSON", Text: indented(e.Body)}, Live: e.Delivery == webhooks.Pending, Resends: v.caller.Account.WebhookURL != "",
		Facts: []fact{{Label: lang.T("dashboard.webhooks.type"), Value: e.Type, Mono: true}, {Label: lang.T("dashboard.webhooks.id"), Value: e.ID, Mono: true}, {Label: lang.T("dashboard.webhooks.at"), At: e.At}},
	}
	page.Facts = append(page.Facts, timed(
		fact{Label: lang.T("dashboard.webhooks.streamed_at"), At: streamed[e.ID]},
		fact{Label: lang.T("dashboard.webhooks.delivered_at"), At: e.DeliveredAt},
		fact{Label: lang.T("dashboard.webhooks.failed_at"), At: e.FailedAt},
		fact{Label: lang.T("dashboard.webhooks.next_try"), At: e.NextTryAt},
	)...)
	for _, t := range tries {
		page.Attempts = append(page.Attempts, attemptOf(lang, t))
	}
	if len(tries) == 0 {
		page.NoAttempt = lang.T("dashboard.webhooks.no_attempt")
		switch _, got := streamed[e.ID]; {
		case e.Delivery == webhooks.NotSent && got:
			page.NoAttempt = lang.T("dashboard.webhooks.streamed_text")
		case e.Delivery == webhooks.NotSent:
			page.NoAttempt = lang.T("dashboard.webhooks.not_sent_text")
		}
	}
	return d.serve(v, status, pageWebhookEvent, webhooksPath, page)
}

func attemptOf(lang i18n.Lang, t *webhooks.Attempt) attemptRow {
	row := attemptRow{At: t.At, Latency: duration(lang, &t.Latency), Answer: t.Answer, Result: web.Badge{Text: lang.T("dashboard.webhooks.delivery_delivered"), Tone: web.Good}}
	if t.Status != 0 {
		row.Status = strconv.Itoa(t.Status)
	}
	if t.Error != "" {
		row.Error = lang.Named("dashboard.webhooks.error_", t.Error)
		row.Result = web.Badge{Text: lang.T("dashboard.webhooks.delivery_failed"), Tone: web.Bad}
	}
	return row
}

// indented formats a body for reading. The signed body is a single line.
func indented(body string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(body), "", "  "); err != nil {
		return body
	}
	return b.String()
}

// resendEvent handles POST /dashboard/webhooks/:eventId/resend.
func (d *Dashboard) resendEvent(v *visit) error {
	e, err := d.o.Endpoints.ResendFor(v.r.Context(), v.caller, v.r.PathValue("eventId"))
	if err != nil {
		return err
	}
	return v.see(eventURL(e.ID) + "?done=resent")
}
