package dashboard

import (
	"io"
	"net/http"
	"slices"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/sms"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/web"
)

const pageMessage = "dashboard_message" // messageDetails

// messageDetails is the page of a message with its status and the reasons for it.
type messageDetails struct {
	To, Subject, Text string
	Hidden            bool   // WhatsApp hides the recipient's number
	NoText            string // the reason why there is no text
	HTMLURL           string // the preview of an email; empty: none
	Status            web.Badge
	CreatedAt         time.Time
	Wrong             string
	Why               *web.Alert
	Steps             []web.Step
	Facts             []fact
	CancelURL         string // empty: it cannot be canceled
	AgainURL          string // empty: not available to the caller's role, or its person was erased
	LogsURL           string
	Curl              web.Code
}

// A fact is a line with a text or a time.
type fact struct {
	Label, Value string
	Mono         bool // the text is for programs
	At           time.Time
}

// timed returns those facts that have a time.
func timed(list ...fact) []fact {
	return slices.DeleteFunc(list, func(f fact) bool { return f.At.IsZero() })
}

// message handles GET /dashboard/messages/:id.
func (d *Dashboard) message(v *visit) error {
	m, err := d.find(v, v.r.PathValue("messageId"))
	if err != nil {
		return err
	}
	return d.showMessage(v, http.StatusOK, m, "")
}

// cancel handles POST /dashboard/messages/:id/cancel.
func (d *Dashboard) cancel(v *visit) error {
	m, err := d.find(v, v.r.PathValue("messageId"))
	if err != nil {
		return err
	}
	_, err = d.o.Delivery.Cancel(v.r.Context(), v.caller, m)
	if is(err, apierror.NotCancelable) { // the message was sent first
		if m, err = d.find(v, m.ID); err != nil {
			return err
		}
		return d.showMessage(v, http.StatusConflict, m, v.lang.T("dashboard.fault.not_cancelable"))
	}
	if err != nil {
		return err
	}
	return v.see(messageURL(m.ID) + "?done=canceled")
}

func (d *Dashboard) find(v *visit, id string) (*message.Message, error) {
	return d.o.Messages.Find(v.r.Context(), v.caller, id)
}

func (d *Dashboard) showMessage(v *visit, status int, m *message.Message, wrong string) error {
	steps, err := m.Timeline.Steps()
	if err != nil {
		return err
	}
	said := v.r.URL.Query().Get("done")
	v.quiet = said == "sent" && endedUnsent(m) || said == "canceled" && m.Status != message.Canceled
	v.mode = web.LiveMode
	if m.Status == message.Sandbox {
		v.mode = web.TestMode
	}
	t := &teller{lang: v.lang, zone: v.zone(), m: m, steps: steps, senders: v.caller.Account.Senders}
	page := &messageDetails{
		To: shownAddress(m.To), Hidden: m.ForID(), Status: statusBadge(v.lang, m.Status), CreatedAt: m.CreatedAt, Wrong: wrong, Why: t.why(), Steps: t.timeline(), Facts: facts(v, m), LogsURL: v.url(logsPath),
	}
	if page.NoText = hiddenText(v, m); page.NoText == "" {
		page.Subject, page.Text = m.Content.Subject, m.Content.Text
		if v.frames = m.Content.HTML != "" && m.Channel == gateway.Email; v.frames {
			page.HTMLURL = messageURL(m.ID) + "/html"
		}
	}
	if account.MaySendByHand.Allows(v.caller.Role) && !m.Erased() {
		page.AgainURL = v.url(sendPath + "?from=" + m.ID)
	}
	cancelable := m.Status == message.Scheduled || m.Status == message.Queued
	if cancelable && account.MayCancelMessages.Allows(v.caller.Role) {
		page.CancelURL = messageURL(m.ID) + "/cancel"
	}
	body := &sendBody{To: m.To, Channel: m.RequestedChannel, Subject: page.Subject, Message: page.Text, MediaURL: m.Options.MediaURL, GroupID: m.Options.GroupID, Sandbox: m.Status == message.Sandbox, Metadata: m.Metadata}
	if page.NoText != "" {
		body.Message = "…"
	}
	if !m.Erased() {
		page.Curl = web.Code{ID: "again", Title: "curl", Text: curl(d.o.URL, "$GRIOT_API_KEY", body)}
	}
	return d.serve(v, status, pageMessage, logsPath, page)
}

// hiddenText explains why the caller cannot see a message's content. It returns "" if they can.
func hiddenText(v *visit, m *message.Message) string {
	switch {
	case m.Erased():
		return v.lang.T("dashboard.privacy.message_erased")
	case m.Sensitive:
		return v.lang.T("dashboard.message.sensitive")
	case !message.ShowsText(v.caller, m):
		return v.lang.T("dashboard.message.conversation")
	case m.Content.Text == "" && m.Content.Subject == "" && m.Content.HTML == "":
		return v.lang.T("dashboard.message.no_text")
	}
	return ""
}

// inFrame marks the route of a part of a page, which is no page of its own.
func inFrame(route httpx.Route) httpx.Route {
	route.NoPage = true
	return route
}

// messageHTML handles GET /dashboard/messages/:id/html, for a frame on the message's page. With source=1, it responds with plain text.
func (d *Dashboard) messageHTML(v *visit) error {
	m, err := d.find(v, v.r.PathValue("messageId"))
	if err == nil && (m.Content.HTML == "" || hiddenText(v, m) != "") {
		err = apierror.MessageNotFound.Err()
	}
	if err != nil {
		return err
	}
	if v.r.URL.Query().Get("source") == "" {
		return httpx.WriteMail(v.w, m.Content.HTML)
	}
	httpx.Inert(v.w.Header(), "text/plain; charset=utf-8", httpx.MailPolicy)
	_, err = io.WriteString(v.w, m.Content.HTML)
	return err
}

// endedUnsent reports whether a message has ended without success.
func endedUnsent(m *message.Message) bool {
	return m.Status.HasFailed() || m.Status == message.Canceled
}

// simulatedOutcome returns the outcome that the events of a simulated message report, with its reason. It returns "" for
// a real message, and for one without events or without its recipient.
func simulatedOutcome(lang i18n.Lang, a *account.Account, m *message.Message) string {
	if m.Status != message.Sandbox || m.Options.Quiet || m.Erased() {
		return ""
	}
	s := message.SimulationOf(m.Channel, m.To)
	if last := len(s.Statuses) - 1; a.MutesReads && s.Statuses[last] == message.Read {
		s.Statuses = s.Statuses[:last]
	}
	return outcomeText(lang, &s)
}

// outcomeText returns a simulated outcome, with its reason.
func outcomeText(lang i18n.Lang, s *message.Simulation) string {
	outcome := capitalized(statusName(lang, s.Outcome()))
	if s.Failure == nil {
		return outcome
	}
	return outcome + ". " + reason(lang, s.Failure)
}

// facts returns further details of a message.
func facts(v *visit, m *message.Message) []fact {
	lang := v.lang
	list := []fact{{Label: lang.T("dashboard.message.channel"), Value: channelName(lang, m.Channel)}}
	if m.RequestedChannel != m.Channel {
		list = append(list, fact{Label: lang.T("dashboard.message.requested"), Value: channelName(lang, m.RequestedChannel)})
	}
	if m.ForID() {
		list = append(list, fact{Label: lang.T("dashboard.message.whatsapp_id"), Value: m.To, Mono: true})
	}
	if outcome := simulatedOutcome(lang, v.caller.Account, m); outcome != "" {
		list = append(list, fact{Label: lang.T("dashboard.message.outcome"), Value: outcome})
	}
	if m.From != "" {
		list = append(list, fact{Label: lang.T("dashboard.message.from"), Value: phone.Grouped(m.From)})
	}
	cost := lang.T("dashboard.message.cost_none")
	switch {
	case m.ChargedDay == 0 && endedUnsent(m):
		cost = lang.T("dashboard.message.cost_unsent")
	case m.ChargedDay != 0:
		cost = lang.T("dashboard.message.cost_one", lang.Date(time.Unix(m.ChargedDay*24*60*60, 0).UTC()))
	}
	list = append(list, fact{Label: lang.T("dashboard.message.cost"), Value: cost})
	if m.Channel == gateway.SMS && m.Content.Text != "" {
		encoding, count, _ := sms.Measure(m.Content.Text)
		list = append(list, fact{Label: lang.T("dashboard.message.segments"), Value: number(lang, int64(count)) + " (" + string(encoding) + ")"})
	}
	list = append(list,
		fact{Label: lang.T("dashboard.message.attempts"), Value: number(lang, int64(m.Calls))},
		fact{Label: lang.T("dashboard.message.source"), Value: string(m.Source), Mono: true})
	if !m.ScheduledAt.IsZero() {
		list = append(list, fact{Label: lang.T("dashboard.message.scheduled"), Value: v.moment(m.ScheduledAt)})
	}
	if m.Status.Open() {
		list = append(list, fact{Label: lang.T("dashboard.message.expires"), Value: v.moment(m.ExpiresAt)})
	}
	list = append(list, fact{Label: lang.T("dashboard.message.id"), Value: m.ID, Mono: true})
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range m.Metadata {
			if !yield(name) {
				return
			}
		}
	}) {
		list = append(list, fact{Label: name, Value: m.Metadata[name], Mono: true})
	}
	return list
}
