package dashboard

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/isotime"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/whatsappid"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/web"
)

const sendPath = "/dashboard/send"

func (d *Dashboard) sendRoutes() []httpx.Route {
	return []httpx.Route{
		d.member("GET", sendPath, account.MaySendByHand, d.showSend),
		d.form(sendPath, account.MaySendByHand, d.send),
		d.form(sendPath+"/preview", account.MaySendByHand, d.preview),
	}
}

const pageSend = "dashboard_send" // sendForm

// A sendForm is the form for one message, with the expected result.
type sendForm struct {
	Action, PreviewURL string
	Key                string // each form sends only once, even if its button is pressed repeatedly
	To, Subject, At    web.Field
	Channel, Preset    web.Select
	ChosenPreset       string      // empty: none
	Variables          []web.Field // of the chosen preset
	Locale             *web.Select // of the chosen preset; nil: the person writes the text
	Project            *web.Select // for a developer
	Text, TextWrong    string
	Simulated          bool
	TestRecipients     []testRecipient // in TEST
	SimulatedOnly      string          // the reason why the message is always simulated; empty: it is not
	Wrong              string
	Ways               *waysOn // next steps after the error in Wrong; nil: none
	Preview            *preview
}

// showSend handles GET /dashboard/send. The parameter from identifies a message to send again.
func (d *Dashboard) showSend(v *visit) error {
	form := url.Values{"channel": {string(message.Auto)}}
	if from := v.r.URL.Query().Get("from"); from != "" {
		m, err := d.find(v, from)
		if err != nil {
			return err
		}
		form.Set("to", m.To)
		form.Set("channel", string(m.RequestedChannel))
		if !m.Sensitive {
			form.Set("message", m.Content.Text)
			form.Set("subject", m.Content.Subject)
		}
		if m.Status == message.Sandbox {
			form.Set("sandbox", "on")
		}
	}
	page, _, err := d.sendForm(v, form)
	if is(err, apierror.ProjectNotFound) { // a developer needs one first
		return v.see(projectsPath)
	}
	if err != nil {
		return err
	}
	return d.serve(v, http.StatusOK, pageSend, sendPath, page)
}

// sendForm returns the form with its values, and the caller who sends with it.
func (d *Dashboard) sendForm(v *visit, form url.Values) (*sendForm, *account.Caller, error) {
	lang, c := v.lang, *v.caller
	p := &sendForm{
		Action: v.url(sendPath), PreviewURL: v.url(sendPath + "/preview"), Key: form.Get("key"),
		To:      web.Field{ID: "to", Name: "to", Label: lang.T("dashboard.send.to"), Value: form.Get("to"), Hint: lang.T("dashboard.send.to_hint"), Required: true, Focus: reads(v.r), Placeholder: "+223 76 00 00 01"},
		Subject: web.Field{ID: "subject", Name: "subject", Label: lang.T("dashboard.send.subject"), Value: form.Get("subject"), Hint: lang.T("dashboard.send.subject_hint")},
		At:      web.Field{ID: "at", Name: "at", Type: "datetime-local", Label: lang.T("dashboard.send.at"), Value: form.Get("at"), Hint: lang.T("dashboard.send.at_hint", v.zone())},
		Channel: channelSelect(lang, gateway.Channel(form.Get("channel")), lang.T("dashboard.channel_auto"), message.Auto),
		Text:    form.Get("message"), Simulated: form.Get("sandbox") != "",
	}
	p.Channel.Hint = lang.T("dashboard.send.channel_hint")
	d.choosePreset(lang, p, form)
	if p.Key == "" {
		p.Key = newKey(d)
	}
	if v.simulated() {
		p.SimulatedOnly, p.Simulated, p.TestRecipients = lang.T("dashboard.send.test_mode"), true, testRecipients(lang)
	}
	if c.OwnProjectsOnly() {
		projects, err := d.ownProjects(v.r.Context(), v.caller)
		if err != nil {
			return nil, nil, err
		}
		p.SimulatedOnly, p.Simulated = lang.T("dashboard.send.developer"), true
		c.ProjectID, p.Project = chosenProject(lang, projects, form.Get("project"))
		if c.ProjectID == "" {
			return nil, nil, apierror.ProjectNotFound.Err()
		}
	}
	return p, &c, nil
}

// A testRecipient is a recipient that selects a simulated outcome.
type testRecipient struct{ Address, Channels, Outcome string }

// testRecipients lists the recipients that select an outcome.
func testRecipients(lang i18n.Lang) (out []testRecipient) {
	for _, s := range message.Simulations() {
		channels := make([]string, len(s.Channels))
		for i, c := range s.Channels {
			channels[i] = channelName(lang, c)
		}
		out = append(out, testRecipient{s.Address, strings.Join(channels, ", "), outcomeText(lang, &s)})
	}
	return out
}

func newKey(d *Dashboard) string { return "dashboard-" + id.New(d.o.Now()) }

// requestOf converts the form to a request. Only an email has the subject, whose field is hidden for others.
func (d *Dashboard) requestOf(v *visit, p *sendForm, form url.Values) *message.Request {
	out := &message.Request{
		Channel: channelFor(gateway.Channel(form.Get("channel")), strings.TrimSpace(form.Get("to"))),
		Sandbox: p.Simulated, IdempotencyKey: p.Key, Source: message.SourceDashboard,
	}
	if out.Channel == gateway.Email {
		out.Content.Subject = form.Get("subject")
	}
	if p.Locale == nil {
		out.Content.Text = p.Text
	} else {
		out.Preset, out.Variables = form.Get("preset"), p.variables(form)
	}
	out.To, out.Wrong = v.recipient(out.Channel, form.Get("to"))
	var err error
	if out.ScheduledAt, err = d.sendTime(v, form.Get("at")); err != nil && out.Wrong == nil {
		out.Wrong = err
	}
	return out
}

// sendTime reads the time at which a message is to be sent, in the account's time zone; empty: now. A past time is returned
// with an error, because a message that was to be sent yesterday is a mistake, unless the form has sent it in time.
func (d *Dashboard) sendTime(v *visit, typed string) (time.Time, error) {
	if typed == "" {
		return time.Time{}, nil
	}
	at, err := isotime.ParseIn(typed, v.zone())
	if err != nil || !at.After(d.o.Now()) {
		err = apierror.InvalidRequest.On("scheduledAt")
	}
	return at, err
}

// recipient reads the recipient that a person types. A number without its plus is one of the account's country. Only a
// number can be unreadable here.
func (v *visit) recipient(channel gateway.Channel, typed string) (to string, err error) {
	to = strings.TrimSpace(typed)
	if to == "" || channel == gateway.Email || strings.Contains(to, "@") || whatsappid.Is(to) {
		return to, nil
	}
	n, err := v.region().Read(to)
	if err != nil {
		return to, unread("to", err)
	}
	return n.E164(), nil
}

// contact converts a typed number or address to look up, like [phone.Contact]. A number without its plus is one of the
// account's country, or a whole number. Only a number can be unreadable here.
func (v *visit) contact(typed string) (to string, err error) {
	n, err := v.region().Read(typed)
	if err == nil {
		return n.E164(), nil
	}
	if _, isNumber := phone.Part(typed); isNumber {
		if _, whole := phone.Lookup(typed); whole != nil {
			return "", unread("address", err)
		}
	}
	return phone.Contact(typed), nil
}

// search returns the text of a search for people. A whole number without its plus is one of the account's country, if
// its digits aren't a part of that number because of the prefix of national calls.
func (v *visit) search(text string) string {
	digits, isNumber := phone.Part(text)
	if n, err := v.region().Read(text); err == nil && isNumber && !strings.Contains(string(n), digits) {
		return n.E164()
	}
	return text
}

// region returns the account's country, or the zero region if it has none.
func (v *visit) region() phone.Region {
	region, _ := phone.ParseRegion(v.caller.Account.Country)
	return region
}

// channelFor returns the channel for a recipient. For an email address, automatic is email, as in the CLI.
func channelFor(asked gateway.Channel, to string) gateway.Channel {
	if asked == message.Auto && strings.Contains(to, "@") && !whatsappid.Is(to) {
		return gateway.Email
	}
	return asked
}

// send handles POST /dashboard/send. It works like POST /api/send.
func (d *Dashboard) send(v *visit, form url.Values) error {
	page, sender, err := d.sendForm(v, form)
	if err != nil {
		return err
	}
	if err := message.CheckIdempotencyKey(page.Key); err != nil {
		return err
	}
	res, err := d.o.Delivery.Submit(v.r.Context(), sender, d.requestOf(v, page, form))
	if is(err, apierror.MessageFailed) { // the same form has sent it, and its page shows the reason for the failure
		if e, ok := refusal(err); ok {
			if failed, ok := e.Extra["messageId"].(string); ok {
				return v.see(messageURL(failed))
			}
		}
	}
	if err != nil {
		return d.refuseSend(v, page, form, err)
	}
	if res.PayloadMismatch {
		page.Key, page.Wrong = newKey(d), v.lang.T("dashboard.send.changed")
		return d.serve(v, http.StatusConflict, pageSend, sendPath, page)
	}
	return v.see(messageURL(res.Message.ID) + "?done=sent")
}

// refuseSend shows the form again, with the error next to its field.
func (d *Dashboard) refuseSend(v *visit, page *sendForm, form url.Values, err error) error {
	e, ok := refusal(err)
	if !ok {
		return err
	}
	httpx.SetRetryAfter(v.w.Header(), e.RetryAfter)
	fields := map[string]*string{"to": &page.To.Wrong, "email": &page.To.Wrong, "message": &page.TextWrong, "subject": &page.Subject.Wrong, "channel": &page.Channel.Wrong, "scheduledAt": &page.At.Wrong}
	for i := range page.Variables {
		fields["presetVariables."+strings.TrimPrefix(page.Variables[i].Name, variablePrefix)] = &page.Variables[i].Wrong
	}
	blame(e, explain(v.lang, e), fields, &page.Wrong)
	page.Ways = d.waysOn(v, e, form)
	return d.serve(v, e.Kind.Status, pageSend, sendPath, page)
}

// A waysOn contains an owner's next steps after a message was refused.
type waysOn struct {
	Simulate    bool   // the same form can be sent in TEST
	URL, Action string // the page for resolving the problem
}

// waysOn returns the next steps after the refusal of a form, or nil if there are none.
func (d *Dashboard) waysOn(v *visit, e *apierror.Error, form url.Values) *waysOn {
	w, text := &waysOn{Simulate: true}, func(key string) string { return v.lang.T(key) }
	switch e.Kind {
	case apierror.GatewayNotConnected:
		w.URL, w.Action = sendersPath+"#ask", text("dashboard.requests.ask_sender")
		for _, s := range v.caller.Account.Senders {
			if form.Get("channel") != string(gateway.SMS) && form.Get("channel") != string(gateway.Email) && d.o.Pairing.OfferedFor(v.r.Context(), s) {
				w.URL, w.Action = senderURL(s.ID)+"/pair", text("dashboard.requests.link_number")
			}
		}
	case apierror.SenderPaused:
		w.URL, w.Action = sendersPath, text("dashboard.nav.senders")
	case apierror.QuotaExceeded:
		w.URL, w.Action = billingPath, text("dashboard.billing.see_plans")
	default:
		return nil
	}
	return w
}
