package dashboard

import (
	"net/http"

	"example.com/griot/internal/httpx"
	"example.com/griot/web"
)

const pageSuspended = "dashboard_suspended" // suspendedPage

// suspendedPage is the answer to members of a suspended account.
type suspendedPage struct {
	Alert   web.Alert
	Contact string // the operator's; empty: none is configured
}

// suspendedAlert shows when an operator has suspended the account, and why.
func suspendedAlert(v *visit) web.Alert {
	a := v.caller.Account
	return web.Alert{Tone: web.Bad, Title: v.lang.T("dashboard.suspended.since", v.lang.Date(a.SuspendedAt.In(v.zone()))), Text: a.SuspendedFor}
}

// showSuspended answers a request that suspended accounts can't make.
func (d *Dashboard) showSuspended(w http.ResponseWriter, r *http.Request) error {
	of, err := d.sessions.Current(r)
	if err != nil {
		return err
	}
	if of == nil || of.Caller == nil || !of.Caller.Account.Suspended() { // it has changed since
		return httpx.SeeOther(w, homePath)
	}
	v := &visit{w: w, r: r, caller: of.Caller, lang: web.Language(r), mode: modeOf(r, of.Caller.Account)}
	return d.serve(v, http.StatusForbidden, pageSuspended, "", suspendedPage{suspendedAlert(v), d.o.Contact})
}
