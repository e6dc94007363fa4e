package dashboard

import (
	"net/http"

	"example.com/griot/internal/httpx"
	"example.com/griot/web"
)

const pageSuspended = "dashboard_suspended" // suspendedPage

// suspendedPage is the page for members of a suspended account.
type suspendedPage struct {
	Alert   web.Alert
	Contact string // the operator's contact; empty: not configured
}

// suspendedAlert shows that an operator has suspended the account, and the reason.
func suspendedAlert(v *visit) web.Alert {
	a := v.caller.Account
	return web.Alert{Tone: web.Bad, Title: v.lang.T("dashboard.suspended.since", v.lang.Date(a.SuspendedAt.In(v.zone()))), Text: a.SuspendedFor}
}

// showSuspended responds to a request that is not allowed for suspended accounts.
func (d *Dashboard) showSuspended(w http.ResponseWriter, r *http.Request) error {
	of, err := d.sessions.Current(r)
	if err != nil {
		return err
	}
	if of == nil || of.Caller == nil || !of.Caller.Account.Suspended() { // the suspension has ended since
		return httpx.SeeOther(w, homePath)
	}
	v := &visit{w: w, r: r, caller: of.Caller, lang: web.Language(r), mode: d.modeOf(r, of.Caller.Account)}
	return d.serve(v, http.StatusForbidden, pageSuspended, "", suspendedPage{suspendedAlert(v), d.o.Contact})
}
