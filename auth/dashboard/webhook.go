package dashboard

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/visible"
	"example.com/griot/internal/webhook"
	"example.com/griot/web"
)

const webhookPath = Home + "/webhook"

func (d *Dashboard) webhookRoutes() []httpx.Route {
	return []httpx.Route{
		d.page(webhookPath, d.webhook),
		d.form(webhookPath, d.setWebhook),
		d.form(webhookPath+"/ping", d.pingWebhook),
		d.form(webhookPath+"/enable", d.enableWebhook),
		d.form(webhookPath+"/rotate", d.rotateWebhook),
		d.page(webhookPath+"/events/{eventId}", d.webhookEvent),
		d.form(webhookPath+"/events/{eventId}/resend", d.resendWebhookEvent),
	}
}

const (
	pageTenantWebhook      = "tenant_webhook"       // endpoint
	pageTenantWebhookEvent = "tenant_webhook_event" // webhookEvent

	webhookEventsOnPage = 25
)

// endpoint is the page about a tenant's endpoint, its health, and the latest events.
type endpoint struct {
	URL, Address string
	Form         web.Field  // of the address
	Empty        *web.Empty // instead of all except the form: there is no endpoint
	State        web.Badge
	Problem      *web.Alert
	Secret       *web.Code // shown once; nil otherwise
	CanEnable    bool
	Facts        []fact
	Delivery     web.Select
	Filtered     bool
	Rows         []webhookRow
	Pages        web.Pagination
}

// fact is a labeled value; a time is shown as one.
type fact struct {
	Label, Value string
	At           time.Time
}

type webhookRow struct {
	URL, ID, Type string
	Delivery      web.Badge
	Tries         int // number of failed attempts
	At            time.Time
}

// webhook handles GET /dashboard/webhook.
func (d *Dashboard) webhook(w http.ResponseWriter, r *http.Request, v *visit) error {
	s, err := d.Endpoints.State(r.Context(), v.tenant.ID)
	if err != nil {
		return err
	}
	return d.showWebhook(w, r, v, http.StatusOK, s, "")
}

// showWebhook shows an endpoint. refused is a submitted address that can't be used; empty: none was sent.
func (d *Dashboard) showWebhook(w http.ResponseWriter, r *http.Request, v *visit, status int, s *webhook.State, refused string) error {
	shown := d.taken(w, r, v)
	page := &endpoint{URL: webhookPath, Form: web.Field{
		ID: "url", Name: "url", Type: "url", Label: v.lang.T("tenant.webhook.address"), Value: refused, Hint: v.lang.T("tenant.webhook.address_hint"), Placeholder: "https://",
	}}
	if refused != "" {
		page.Form.Wrong = v.lang.T("tenant.webhook.address_wrong")
	}
	if s == nil || s.URL == "" {
		page.Empty = &web.Empty{Icon: "webhook", Title: v.lang.T("tenant.webhook.empty_title"), Text: v.lang.T("tenant.webhook.empty_text")}
		return d.show(w, r, v, status, pageTenantWebhook, shown, page)
	}
	if refused == "" {
		page.Form.Value = s.URL
	}
	if s.DisabledFor == webhook.ForOperator {
		page.Form = web.Field{} // it can't be changed
	}
	page.describe(v, s, d.Now())
	if shown.Secret != "" {
		page.Secret = &web.Code{ID: "secret", Title: v.lang.T("tenant.webhook.secret"), Text: shown.Secret}
	}
	if err := d.listWebhookEvents(r, v, page); err != nil {
		return err
	}
	return d.show(w, r, v, status, pageTenantWebhook, shown, page)
}

// disabledTexts are the sentences that explain why an endpoint is disabled.
var disabledTexts = map[string]string{
	webhook.ForGone: "tenant.webhook.disabled_gone", webhook.ForFailing: "tenant.webhook.disabled_failing", webhook.ForOperator: "tenant.webhook.disabled_operator",
}

// describe adds the health of the deliveries to the endpoint.
func (p *endpoint) describe(v *visit, s *webhook.State, now time.Time) {
	lang := v.lang
	p.Address, p.State = s.URL, web.Badge{Text: lang.T("tenant.webhook.on"), Tone: web.Good}
	switch {
	case !s.DisabledAt.IsZero():
		p.State = web.Badge{Text: lang.T("tenant.webhook.off"), Tone: web.Bad}
		p.CanEnable = s.DisabledFor != webhook.ForOperator
		p.Problem = &web.Alert{Tone: web.Bad, Text: lang.T(disabledTexts[s.DisabledFor])}
	case s.PausedUntil.After(now):
		p.State = web.Badge{Text: lang.T("tenant.webhook.paused"), Tone: web.Warn}
		p.Problem = &web.Alert{Tone: web.Warn, Text: lang.T("tenant.webhook.paused_text")}
	case !s.FailingSince.IsZero():
		p.State = web.Badge{Text: lang.T("tenant.webhook.failing"), Tone: web.Warn}
	}
	p.Facts = []fact{
		{Label: lang.T("tenant.webhook.last_success"), At: s.LastSuccessAt},
		{Label: lang.T("tenant.webhook.last_failure"), At: s.LastFailureAt},
		{Label: lang.T("tenant.webhook.last_status"), Value: orDash(s.LastStatus)},
		{Label: lang.T("tenant.webhook.waiting"), Value: waiting(s.Pending)},
	}
	if s.PreviousUntil.After(now) {
		p.Facts = append(p.Facts, fact{Label: lang.T("tenant.webhook.previous_until"), At: s.PreviousUntil})
	}
}

func orDash(n int) string {
	if n == 0 {
		return "–"
	}
	return strconv.Itoa(n)
}

// waiting returns the number of queued events, which is counted up to a bound.
func waiting(n int) string {
	if n > webhook.MaxPending {
		return "> " + strconv.Itoa(webhook.MaxPending)
	}
	return strconv.Itoa(n)
}

func (d *Dashboard) listWebhookEvents(r *http.Request, v *visit, page *endpoint) error {
	q := r.URL.Query()
	f := &webhook.Filter{OwnerID: v.tenant.ID, Delivery: webhook.Delivery(q.Get("delivery")), Before: q.Get("before"), Limit: webhookEventsOnPage}
	if !f.Delivery.Valid() {
		f.Delivery = ""
	}
	if !webhook.ValidID(f.Before) {
		f.Before = ""
	}
	page.Filtered = f.Delivery != "" || f.Before != ""
	page.Delivery = web.Select{ID: "delivery", Name: "delivery", Label: v.lang.T("tenant.webhook.delivery"), Options: []web.Option{{Label: v.lang.T("tenant.events.all")}}}
	for _, state := range []webhook.Delivery{webhook.Delivered, webhook.Pending, webhook.Failed} {
		page.Delivery.Options = append(page.Delivery.Options, web.Option{Value: string(state), Label: deliveryBadge(v.lang, state).Text, Selected: state == f.Delivery})
	}
	found, next, err := d.Endpoints.Events(r.Context(), f)
	if err != nil {
		return err
	}
	for _, s := range found {
		page.Rows = append(page.Rows, webhookRow{URL: webhookPath + "/events/" + s.ID, ID: s.ID, Type: s.Type, Delivery: deliveryBadge(v.lang, s.Delivery), Tries: s.Tries, At: s.At})
	}
	if next != "" {
		older := url.Values{"before": {next}}
		if f.Delivery != "" {
			older.Set("delivery", string(f.Delivery))
		}
		page.Pages.OlderURL = httpx.WithQuery(webhookPath, older)
	}
	return nil
}

func deliveryBadge(lang i18n.Lang, state webhook.Delivery) web.Badge {
	texts := map[webhook.Delivery]string{
		webhook.Delivered: "tenant.delivery.delivered", webhook.Failed: "tenant.delivery.failed", webhook.Pending: "tenant.delivery.pending", webhook.NotSent: "tenant.delivery.not_sent",
	}
	tones := map[webhook.Delivery]web.Tone{webhook.Delivered: web.Good, webhook.Failed: web.Bad, webhook.Pending: web.Info}
	return web.Badge{Text: lang.T(texts[state]), Tone: tones[state]}
}

// setWebhook handles POST /dashboard/webhook. It sets or removes the address, and shows a new secret once.
func (d *Dashboard) setWebhook(w http.ResponseWriter, r *http.Request, v *visit) error {
	in, err := d.HTTP.ReadForm(w, r)
	if err != nil {
		return err
	}
	address := visible.Trim(in.Get("url"))
	if address != "" && d.Endpoints.CheckURL(address) != nil {
		s, err := d.Endpoints.State(r.Context(), v.tenant.ID)
		if err != nil {
			return err
		}
		return d.showWebhook(w, r, v, http.StatusBadRequest, s, address)
	}
	secret, err := d.Endpoints.SetOwn(r.Context(), v.tenant.ID, address)
	if err != nil {
		return err
	}
	return d.done(w, v, webhookPath, once{Done: "tenant.done.saved", Secret: secret})
}

// pingWebhook handles POST /dashboard/webhook/ping. It sends a test event and shows it.
func (d *Dashboard) pingWebhook(w http.ResponseWriter, r *http.Request, v *visit) error {
	eventID, err := d.Endpoints.PingOwn(r.Context(), v.tenant.ID)
	if err != nil {
		return err
	}
	return d.done(w, v, webhookPath+"/events/"+eventID, once{Done: "tenant.done.pinged"})
}

// enableWebhook handles POST /dashboard/webhook/enable.
func (d *Dashboard) enableWebhook(w http.ResponseWriter, r *http.Request, v *visit) error {
	if _, err := d.Endpoints.EnableOwn(r.Context(), v.tenant.ID); err != nil {
		return err
	}
	return d.done(w, v, webhookPath, once{Done: "tenant.done.webhook_enabled"})
}

// rotateWebhook handles POST /dashboard/webhook/rotate. It shows the new secret once.
func (d *Dashboard) rotateWebhook(w http.ResponseWriter, r *http.Request, v *visit) error {
	secret, _, err := d.Endpoints.RotateOwn(r.Context(), v.tenant.ID)
	if err != nil {
		return err
	}
	return d.done(w, v, webhookPath, once{Done: "tenant.done.rotated", Secret: secret})
}
