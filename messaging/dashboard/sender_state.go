package dashboard

import (
	"strings"

	"griot/gateway"
	"griot/internal/i18n"
	"griot/messaging/health"
	"griot/web"
)

func stateName(lang i18n.Lang, s gateway.ConnState) string {
	switch s {
	case gateway.Disconnected:
		return lang.T("dashboard.senders.disconnected")
	case gateway.Pairing:
		return lang.T("dashboard.senders.pairing")
	case gateway.Connecting:
		return lang.T("dashboard.senders.connecting")
	case gateway.Connected:
		return lang.T("dashboard.senders.connected")
	case gateway.Restricted:
		return lang.T("dashboard.senders.restricted")
	case gateway.LoggedOut:
		return lang.T("dashboard.senders.logged_out")
	case gateway.Banned:
		return lang.T("dashboard.senders.banned")
	case gateway.Outdated:
		return lang.T("dashboard.senders.outdated")
	}
	return string(s)
}

// stateUntil names a state, with its end where that is known.
func stateUntil(lang i18n.Lang, d gateway.ConnDetail) string {
	if d.Until.IsZero() {
		return stateName(lang, d.State)
	}
	return lang.T("dashboard.senders.until", stateName(lang, d.State), moment(lang, d.Until))
}

// stateReason says why a connection is in its state: in words where there are some, else by the code; empty where the
// state says it all.
func stateReason(lang i18n.Lang, d gateway.ConnDetail) string {
	switch key := "dashboard.senders.reason_" + d.Reason; {
	case d.Reason == "", d.Reason == string(d.State), d.Reason == "not_paired", d.Reason == "client_outdated":
		return ""
	case lang.Has(key):
		return lang.T(key)
	}
	return lang.T("dashboard.senders.reason", d.Reason)
}

// downAlert says what a state means that keeps a sender from sending, and what can be done; pairs is whether it can be linked
// from here.
func downAlert(lang i18n.Lang, d gateway.ConnDetail, pairs bool) *web.Alert {
	key := "dashboard.senders.about_" + string(d.State)
	if pairs && lang.Has(key+"_pair") {
		key += "_pair"
	}
	text := []string{stateReason(lang, d)}
	if lang.Has(key) {
		text = append(text, lang.T(key))
	}
	text = append(text, lang.T("dashboard.senders.down_text"))
	return &web.Alert{Tone: web.Bad, Title: stateUntil(lang, d) + ".", Text: strings.TrimSpace(strings.Join(text, " "))}
}

// stateSteps shows the latest states of a connection.
func stateSteps(lang i18n.Lang, history []health.Change) (steps []web.Step) {
	for _, c := range history {
		tone := web.Bad
		switch c.State {
		case gateway.Connected:
			tone = web.Good
		case gateway.Connecting, gateway.Pairing:
			tone = web.Info
		case gateway.Disconnected, gateway.Restricted, gateway.LoggedOut, gateway.Banned, gateway.Outdated:
		}
		steps = append(steps, web.Step{At: c.At, Title: stateUntil(lang, c.ConnDetail), Text: stateReason(lang, c.ConnDetail), Tone: tone})
	}
	return steps
}
