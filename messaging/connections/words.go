package connections

import (
	"example.com/griot/gateway"
	"example.com/griot/internal/i18n"
)

// StateName returns the name of a connection's state.
func StateName(lang i18n.Lang, s gateway.ConnState) string {
	return lang.Named("dashboard.senders.state_", string(s))
}

// ReasonText describes the reason for a connection's state in words if there are any, and otherwise with its code. It
// returns "" if the state needs no reason.
func ReasonText(lang i18n.Lang, d gateway.ConnDetail) string {
	switch key := "dashboard.senders.reason_" + d.Reason; {
	case d.Reason == "", d.Reason == string(d.State), d.Reason == "not_paired", d.Reason == "client_outdated":
		return ""
	case lang.Has(key):
		return lang.T(key)
	}
	return lang.T("dashboard.senders.reason", d.Reason)
}
