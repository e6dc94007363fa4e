package dashboard

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"example.com/griot/internal/i18n"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/counts"
	"example.com/griot/messaging/message"
	"example.com/griot/web"
)

// A teller converts a message's timeline to sentences.
type teller struct {
	lang    i18n.Lang
	zone    *time.Location
	m       *message.Message
	steps   []message.Step
	senders []account.Sender
}

// leaves reports whether a step's message changed to another route.
func leaves(s *message.Step) bool { return s.Kind == message.NoteLeft || s.Kind == message.NoteLate }

// why explains why the message failed, or why its channel differs from the requested one. It returns nil if neither applies.
func (t *teller) why() *web.Alert {
	if f := t.m.Failure; f != nil && (t.m.Status == message.Failed || t.m.Status == message.Expired) {
		_, cause, advice := t.lang.Reason(f.Code, string(f.Class))
		return &web.Alert{Tone: web.Bad, Title: cmp.Or(cause, f.Text()), Text: advice, URL: web.ReasonURL(f.Code, string(f.Class)), Action: t.lang.T("dashboard.why.code", f.Code)}
	}
	name := channelName(t.lang, t.m.Channel)
	title := t.lang.T("dashboard.why.title", name)
	for i := len(t.steps) - 1; i >= 0; i-- {
		s := &t.steps[i]
		if !leaves(s) {
			continue
		}
		from, name := channelName(t.lang, s.Channel), channelName(t.lang, s.To)
		switch {
		case s.To == s.Channel:
			return &web.Alert{Tone: web.Info, Title: t.lang.T("dashboard.why.title_sender"), Text: t.lang.T("dashboard.why.other_sender", reason(t.lang, s.Failure))}
		case s.Kind == message.NoteLate:
			return &web.Alert{Tone: web.Info, Title: title, Text: t.lang.T("dashboard.why.late", from, name)}
		}
		return &web.Alert{Tone: web.Info, Title: title, Text: t.lang.T("dashboard.why.refused", from, reason(t.lang, s.Failure), name)}
	}
	if t.m.RequestedChannel == message.Auto && t.m.ForID() {
		return &web.Alert{Tone: web.Info, Title: title, Text: t.lang.T("dashboard.why.no_number")}
	}
	if t.m.RequestedChannel == message.Auto && t.m.Status != message.Sandbox {
		return &web.Alert{Tone: web.Info, Title: title, Text: t.lang.T("dashboard.why.auto")}
	}
	return nil
}

// timeline returns the steps, each with its exact time and, from the second on, the time since the previous step.
func (t *teller) timeline() []web.Step {
	list := make([]web.Step, 0, len(t.steps))
	for i := range t.steps {
		step := t.step(i)
		if s := &t.steps[i]; !s.Known() { // of an earlier or a newer version, so the page has no text for it
			step.Text = strings.TrimSpace(step.Text + " " + s.Sentence())
		}
		step.At, step.Exact = time.UnixMilli(t.steps[i].At), true
		if i > 0 {
			since := step.At.Sub(list[i-1].At)
			step.Since = "+" + duration(t.lang, &since)
		}
		if f := t.steps[i].Failure; f != nil {
			step.Of, step.OfURL = t.lang.T("dashboard.why.code", f.Code), web.ReasonURL(f.Code, string(f.Class))
		}
		list = append(list, step)
	}
	if i := t.pricedStep(); i >= 0 {
		list[i].Text = strings.TrimSpace(list[i].Text + " " + price(t.lang, t.m.Price))
	}
	return list
}

// pricedStep returns the step that shows the message's price: that of its delivery, otherwise the last one. It returns
// -1 if the price is unknown.
func (t *teller) pricedStep() int {
	if t.m.Price == "" {
		return -1
	}
	if i := slices.IndexFunc(t.steps, func(s message.Step) bool { return s.Status == message.Delivered || s.Status == message.Read }); i >= 0 {
		return i
	}
	return len(t.steps) - 1
}

// price says in words what a provider has reported about a price.
func price(lang i18n.Lang, p message.Price) string {
	key := "dashboard.price.free"
	if p.Charged() {
		key = "dashboard.price.charged"
	}
	return lang.T(key, priceCategory(lang, cmp.Or(p.Category(), counts.OtherCategory)))
}

// priceCategory returns the name of a category of prices: the provider's own word if Griot has no name for it.
func priceCategory(lang i18n.Lang, category string) string {
	switch category {
	case "marketing":
		return lang.T("dashboard.price.marketing")
	case "utility":
		return lang.T("dashboard.price.utility")
	case "authentication":
		return lang.T("dashboard.price.authentication")
	case "service":
		return lang.T("dashboard.price.service")
	case counts.OtherCategory:
		return lang.T("dashboard.price.other")
	}
	return category
}

// step converts one step.
func (t *teller) step(i int) web.Step {
	s := &t.steps[i]
	by, because := channelName(t.lang, s.Channel), reason(t.lang, s.Failure)
	if leaves(s) {
		goesOn := t.lang.T("dashboard.step.goes_on", channelName(t.lang, s.To))
		if s.Kind == message.NoteLate {
			return web.Step{Tone: web.Warn, Title: t.lang.T("dashboard.step.late", by), Text: goesOn}
		}
		return web.Step{Tone: web.Warn, Title: t.lang.T("dashboard.step.refused", by), Text: because + " " + goesOn}
	}
	switch s.Status {
	case message.Scheduled:
		return web.Step{Title: t.lang.T("dashboard.step.scheduled"), Text: t.lang.T("dashboard.step.scheduled_for", t.lang.Moment(t.m.ScheduledAt.In(t.zone)))}
	case message.Queued:
		return t.queued(i, by, because)
	case message.Sending:
		switch {
		case s.Failure != nil:
			return web.Step{Tone: web.Warn, Title: t.lang.T("dashboard.step.unknown"), Text: because}
		case i == 0:
			return web.Step{Title: t.lang.T("dashboard.step.accepted"), Text: t.lang.T("dashboard.step.handed", by, t.from(s))}
		}
		return web.Step{Title: t.lang.T("dashboard.step.sending", by), Text: t.from(s)}
	case message.Sent:
		if s.Kind == message.NoteStays {
			return web.Step{Tone: web.Warn, Title: t.lang.T("dashboard.step.late", by), Text: t.lang.T("dashboard.step.stays", by)}
		}
		return web.Step{Tone: web.Info, Title: t.lang.T("dashboard.step.sent", by), Text: t.from(s)}
	case message.Failed:
		return web.Step{Tone: web.Bad, Title: t.lang.T("dashboard.step.failed"), Text: because}
	case message.Expired:
		return web.Step{Tone: web.Bad, Title: t.lang.T("dashboard.step.expired"), Text: because}
	case message.Delivered:
		return web.Step{Tone: web.Good, Title: t.lang.T("dashboard.step.delivered", by)}
	case message.Read:
		return web.Step{Tone: web.Good, Title: t.lang.T("dashboard.step.read")}
	case message.Canceled:
		return web.Step{Title: t.lang.T("dashboard.step.canceled")}
	case message.Sandbox:
		return web.Step{Tone: web.Warn, Title: t.lang.T("dashboard.step.sandbox"), Text: t.lang.T("dashboard.step.sandbox_text")}
	}
	return web.Step{Title: statusName(t.lang, s.Status), Text: because}
}

func (t *teller) queued(i int, by, because string) web.Step {
	switch s := &t.steps[i]; {
	case s.Kind == message.NoteRetry:
		return web.Step{Tone: web.Warn, Title: t.lang.T("dashboard.step.retry", by), Text: because}
	case s.Kind == message.NoteUnseen:
		return web.Step{Tone: web.Warn, Title: t.lang.T("dashboard.step.unseen")}
	case s.Kind == message.NoteWarmUp:
		return web.Step{Title: t.lang.T("dashboard.step.warm_up")}
	case i == 0:
		return web.Step{Title: t.lang.T("dashboard.step.accepted"), Text: t.lang.T("dashboard.step.waits", by)}
	}
	return web.Step{Title: t.lang.T("dashboard.step.waits", by), Text: because}
}

// from returns the name of a step's sender.
func (t *teller) from(s *message.Step) string {
	for i := range t.senders {
		if t.senders[i].ID == s.Sender {
			return t.lang.T("dashboard.step.from", phone.Grouped(t.senders[i].Address))
		}
	}
	return ""
}
