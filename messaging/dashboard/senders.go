package dashboard

import (
	"net/http"
	"net/url"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/connections"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/sender"
	"example.com/griot/web"
)

const sendersPath = "/dashboard/senders"

func (d *Dashboard) sendersRoutes() []httpx.Route {
	return []httpx.Route{
		d.member("GET", sendersPath, account.MayManageSenders, d.senders),
		d.member("GET", sendersPath+"/{id}", account.MayManageSenders, d.sender),
		d.member("POST", sendersPath+"/{id}/pause", account.MayManageSenders, d.pauseSender(true, "?done=sender_paused")),
		d.member("POST", sendersPath+"/{id}/resume", account.MayManageSenders, d.pauseSender(false, "?done=sender_resumed")),
	}
}

func senderURL(id string) string { return sendersPath + "/" + url.PathEscape(id) }

const (
	pageSenders = "dashboard_senders" // senderList
	pageSender  = "dashboard_sender"  // senderDetails
)

// senderList is the page of the account's senders and the platform's.
type senderList struct {
	Rows  []senderRow
	Empty *web.Empty
	Ask   *requestForm
}

type senderRow struct {
	URL, Address string
	Channel      string
	Gateway      string
	Platform     bool
	State        web.Badge
	Health       string
	WarmUp       *warmUp
}

// A warmUp is the progress of a sender's warm-up.
type warmUp struct {
	Used, Limit int64
	Text, Until string
}

// senders handles GET /dashboard/senders.
func (d *Dashboard) senders(v *visit) error {
	ask, err := d.requestForm(v, false, nil)
	if err != nil {
		return err
	}
	return d.showSenders(v, http.StatusOK, ask)
}

// showSenders shows the page with a form for requesting another sender.
func (d *Dashboard) showSenders(v *visit, status int, ask *requestForm) error {
	all, err := d.o.Senders.List(v.r.Context(), v.caller)
	if err != nil {
		return err
	}
	page := &senderList{Ask: ask}
	for i := range all {
		page.Rows = append(page.Rows, rowOfSender(v, &all[i]))
	}
	if len(page.Rows) == 0 {
		page.Empty = &web.Empty{Icon: "phone", Title: v.lang.T("dashboard.senders.none"), Text: v.lang.T("dashboard.senders.none_text")}
	}
	return d.serve(v, status, pageSenders, sendersPath, page)
}

func rowOfSender(v *visit, s *sender.Info) senderRow {
	lang := v.lang
	return senderRow{
		URL: senderURL(s.ID), Address: phone.Grouped(s.Address), Channel: channelName(lang, s.Channel), Gateway: s.Gateway, Platform: s.AccountID == "",
		State: senderBadge(v, s), Health: senderHealth(lang, s), WarmUp: warmUpOf(lang, s.WarmUp),
	}
}

func senderBadge(v *visit, s *sender.Info) web.Badge {
	lang := v.lang
	switch {
	case s.Paused():
		return web.Badge{Text: lang.T("dashboard.senders.paused"), Tone: web.Warn}
	case s.State == gateway.Connected:
		return web.Badge{Text: connections.StateName(lang, s.State), Tone: web.Good}
	case s.State.Usable(), s.State == gateway.Pairing:
		return web.Badge{Text: connections.StateName(lang, s.State), Tone: web.Info}
	}
	return web.Badge{Text: stateUntil(v, s.ConnDetail), Tone: web.Bad}
}

// senderHealth describes the results of the latest attempts.
func senderHealth(lang i18n.Lang, s *sender.Info) string {
	switch h := s.Health; {
	case !h.PausedUntil.IsZero():
		return lang.T("dashboard.senders.rests", number(lang, int64(h.Failures)))
	case h.Failures == 1:
		return lang.T("dashboard.senders.failed_once")
	case h.Failures > 1:
		return lang.T("dashboard.senders.failing", number(lang, int64(h.Failures)))
	case !h.AcknowledgedAt.IsZero():
		return lang.T("dashboard.senders.works")
	}
	return lang.T("dashboard.senders.no_attempt")
}

func warmUpOf(lang i18n.Lang, w *sender.WarmUp) *warmUp {
	if w == nil {
		return nil
	}
	return &warmUp{w.Used, w.Limit, lang.T("dashboard.senders.warm_up_used", number(lang, w.Used), number(lang, w.Limit)), lang.T("dashboard.senders.warm_up_until", lang.Day(w.EndsAt.UTC()))}
}

// senderDetails is the page of a sender with its state, its queue, and its actions.
type senderDetails struct {
	senderRow

	Paused      *web.Alert
	Down        *web.Alert
	PauseURL    string // empty: it is paused, or does not belong to the account
	ResumeURL   string
	PairURL     string // empty: its gateway does not support pairing
	Facts       []fact
	Queue       []web.Stat // empty: a sender of the platform
	LastFailure *lastFailure
	History     []web.Step // the latest states of its connection
}

// A lastFailure is the latest message of a sender that failed.
type lastFailure struct {
	URL, To, Reason string
	Links           *web.Reason
	At              time.Time
}

// sender handles GET /dashboard/senders/:id.
func (d *Dashboard) sender(v *visit) error {
	s, err := d.o.Senders.Find(v.r.Context(), v.caller, v.r.PathValue("id"))
	if err != nil {
		return err
	}
	page := &senderDetails{senderRow: rowOfSender(v, &s.Info), Facts: senderFacts(v, s)}
	switch {
	case s.Paused() && s.AccountID == "":
		page.Paused = &web.Alert{Tone: web.Warn, Title: v.lang.T("dashboard.senders.paused_title"), Text: v.lang.T("dashboard.senders.platform_paused", v.moment(s.PausedAt))}
	case s.Paused():
		page.Paused = &web.Alert{Tone: web.Warn, Title: v.lang.T("dashboard.senders.paused_title"), Text: v.lang.T("dashboard.senders.paused_text", v.moment(s.PausedAt))}
		page.ResumeURL = page.URL + "/resume"
	case s.AccountID != "":
		page.PauseURL = page.URL + "/pause"
	}
	if d.o.Pairing.OfferedFor(v.r.Context(), s.Sender) {
		page.PairURL = page.URL + "/pair"
	}
	if !s.Paused() && !s.State.Usable() {
		page.Down = downAlert(v, s.ConnDetail, page.PairURL != "")
	}
	if s.Queue != nil {
		page.Queue = []web.Stat{
			{Label: v.lang.T("dashboard.senders.ready"), Value: depth(v.lang, s.Queue.Ready), Note: v.lang.T("dashboard.senders.ready_note")},
			{Label: v.lang.T("dashboard.senders.later"), Value: depth(v.lang, s.Queue.Later), Note: v.lang.T("dashboard.senders.later_note")},
		}
	}
	if m := s.LastFailure; m != nil {
		page.LastFailure = &lastFailure{URL: messageURL(m.ID), To: shownAddress(m.To), Reason: reason(v.lang, m.Failure), Links: v.reasonLinks(m.Failure.Code, string(m.Failure.Class)), At: m.FailedAt}
	}
	page.History = stateSteps(v, s.History)
	return d.serve(v, http.StatusOK, pageSender, sendersPath, page)
}

// depth formats the number of waiting messages, which is counted up to a maximum.
func depth(lang i18n.Lang, n int) string {
	if n >= outbox.MaxDepth {
		return "≥ " + number(lang, outbox.MaxDepth)
	}
	return number(lang, int64(n))
}

func senderFacts(v *visit, s *sender.Details) []fact {
	lang := v.lang
	list := []fact{
		{Label: lang.T("dashboard.senders.channel"), Value: channelName(lang, s.Channel)},
		{Label: lang.T("dashboard.senders.gateway"), Value: s.Gateway, Mono: true},
		{Label: lang.T("dashboard.senders.connection"), Value: stateUntil(v, s.ConnDetail)},
	}
	list = append(list, timed(
		fact{Label: lang.T("dashboard.senders.since"), At: s.Since},
		fact{Label: lang.T("dashboard.senders.last_sent"), At: s.Health.AcknowledgedAt},
		fact{Label: lang.T("dashboard.senders.last_failed"), At: s.Health.FailedAt},
		fact{Label: lang.T("dashboard.senders.rests_until"), At: s.Health.PausedUntil},
	)...)
	return append(list, fact{Label: lang.T("dashboard.senders.id"), Value: s.ID, Mono: true})
}

// pauseSender handles POST /dashboard/senders/:id/pause, or resume.
func (d *Dashboard) pauseSender(pause bool, done string) func(*visit) error {
	return func(v *visit) error {
		id := v.r.PathValue("id")
		return v.seeAfter(d.o.Directory.SetPausedFor(v.r.Context(), v.caller, id, pause), senderURL(id)+done)
	}
}
