package dashboard

import (
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/messaging/connections"
	"example.com/griot/web"
)

// stateUntil returns the name of a state, with its end if that is known.
func stateUntil(v *visit, d gateway.ConnDetail) string {
	if d.Until.IsZero() {
		return connections.StateName(v.lang, d.State)
	}
	return v.lang.T("dashboard.senders.until", connections.StateName(v.lang, d.State), v.moment(d.Until))
}

// downAlert explains a state that keeps a sender from sending, and how to continue. pairs reports whether the sender
// can be linked from this page.
func downAlert(v *visit, d gateway.ConnDetail, pairs bool) *web.Alert {
	lang := v.lang
	key := "dashboard.senders.about_" + string(d.State)
	if pairs && lang.Has(key+"_pair") {
		key += "_pair"
	}
	text := []string{connections.ReasonText(lang, d)}
	if lang.Has(key) {
		text = append(text, lang.T(key))
	}
	tone := web.Warn
	if !d.Accepts() {
		tone = web.Bad
		text = append(text, lang.T("dashboard.senders.down_text"))
	}
	return &web.Alert{Tone: tone, Title: stateUntil(v, d) + ".", Text: strings.TrimSpace(strings.Join(text, " "))}
}

// stateSteps returns the latest states of a connection.
func stateSteps(v *visit, history []connections.Change) (steps []web.Step) {
	for _, c := range history {
		tone := web.Bad
		switch c.State {
		case gateway.Connected:
			tone = web.Good
		case gateway.Connecting, gateway.Pairing:
			tone = web.Info
		case gateway.Disconnected, gateway.Restricted, gateway.LoggedOut, gateway.Banned, gateway.Outdated:
		}
		steps = append(steps, web.Step{At: c.At, Title: stateUntil(v, c.ConnDetail), Text: connections.ReasonText(v.lang, c.ConnDetail), Tone: tone})
	}
	return steps
}
