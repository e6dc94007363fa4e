package health

import (
	"example.com/griot/gateway"
	"example.com/griot/internal/i18n"
)

// StateName names the state of a connection.
func StateName(lang i18n.Lang, s gateway.ConnState) string {
	return lang.Named("dashboard.senders.state_", string(s))
}

// ReasonText says why a connection is in its state: in words where there are some, else by the code; empty where the
// state says it all.
func ReasonText(lang i18n.Lang, d gateway.ConnDetail) string {
	switch key := "dashboard.senders.reason_" + d.Reason; {
	case d.Reason == "", d.Reason == string(d.State), d.Reason == "not_paired", d.Reason == "client_outdated":
		return ""
	case lang.Has(key):
		return lang.T(key)
	}
	return lang.T("dashboard.senders.reason", d.Reason)
}
