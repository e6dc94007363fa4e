package dashboard

import (
	"net/http"
	"net/url"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/qrcode"
	"example.com/griot/messaging/account"
	"example.com/griot/web"
)

func (d *Dashboard) pairingRoutes() []httpx.Route {
	return []httpx.Route{
		d.member("GET", sendersPath+"/{id}/pair", account.MayPairSenders, d.showPairing),
		d.form(sendersPath+"/{id}/pair", account.MayPairSenders, d.startPairing),
		d.member("POST", sendersPath+"/{id}/pair/cancel", account.MayPairSenders, d.cancelPairing),
	}
}

const pagePairing = "dashboard_pairing" // pairingPage

// pairingPage is the page for linking a sender's number to a phone. Its code is only for the owner, and is not stored.
type pairingPage struct {
	Address, SenderURL string
	Events             string // the stream of changes, while the pairing is in progress
	State              string
	Starting           bool
	QR                 *qrPicture
	Code               string
	ExpiresAt          time.Time
	Paired             bool
	Alert              *web.Alert
}

// A qrPicture is a QR code as an SVG, with its size in units and in CSS pixels.
type qrPicture struct {
	Size, Width int
	Path        string
}

const qrWidth = 300 // the available width on the page, in CSS pixels

// showPairing handles GET /dashboard/senders/:id/pair.
func (d *Dashboard) showPairing(v *visit) error {
	now, err := d.o.Pairing.ProgressFor(v.r.Context(), v.caller, v.r.PathValue("id"))
	return d.servePairing(v, now, err)
}

// startPairing handles POST /dashboard/senders/:id/pair.
func (d *Dashboard) startPairing(v *visit, form url.Values) error {
	id := v.r.PathValue("id")
	now, err := d.o.Pairing.StartFor(v.r.Context(), v.caller, id, gateway.PairingMethod(form.Get("method")))
	if err != nil {
		return d.servePairing(v, now, err)
	}
	return v.see(senderURL(id) + "/pair")
}

// cancelPairing handles POST /dashboard/senders/:id/pair/cancel.
func (d *Dashboard) cancelPairing(v *visit) error {
	id := v.r.PathValue("id")
	now, err := d.o.Pairing.CancelFor(v.r.Context(), v.caller, id)
	switch {
	case err != nil:
		return d.servePairing(v, now, err)
	case now.State == gateway.PairingDone: // the phone was linked first
		return v.see(senderURL(id) + "/pair")
	}
	return v.see(senderURL(id) + "?done=pairing_cancelled")
}

// servePairing shows the progress of a pairing, or the reason why its gateway cannot report it.
func (d *Dashboard) servePairing(v *visit, now gateway.PairingProgress, err error) error {
	id := v.r.PathValue("id")
	page := &pairingPage{SenderURL: senderURL(id)}
	for _, s := range v.caller.Account.Senders {
		if s.ID == id {
			page.Address = phone.Grouped(s.Address)
		}
	}
	if err != nil {
		e, ok := refusal(err)
		if !ok || page.Address == "" || e.Kind == apierror.Forbidden {
			return err
		}
		httpx.SetRetryAfter(v.w.Header(), e.RetryAfter)
		page.Alert = &web.Alert{Tone: web.Bad, Text: explain(v.lang, e)}
		return d.serve(v, e.Kind.Status, pagePairing, sendersPath, page)
	}
	page.State, page.ExpiresAt = string(now.State), now.ExpiresAt
	switch now.State {
	case gateway.PairingNone:
	case gateway.PairingStarting:
		page.Starting = true
	case gateway.PairingWaiting:
		page.Code = now.Code
		if now.QR != "" {
			code, err := qrcode.New(now.QR)
			if err != nil {
				return err
			}
			page.QR = &qrPicture{code.Size(), code.Width(qrWidth), code.Path()}
		}
	case gateway.PairingDone:
		page.Paired = true
	case gateway.PairingFailed:
		page.Alert = &web.Alert{Tone: web.Warn, Title: v.lang.T("dashboard.pairing.failed"), Text: pairingReason(v.lang, now.Reason)}
	}
	if now.State.UnderWay() {
		page.Events = "/api/senders/" + id + "/pair/events"
	}
	return d.serve(v, http.StatusOK, pagePairing, sendersPath, page)
}

// pairingReason explains why a pairing has failed and how to continue.
func pairingReason(lang i18n.Lang, reason string) string {
	if key := "dashboard.pairing.reason_" + reason; lang.Has(key) {
		return lang.T(key)
	}
	return lang.T("dashboard.pairing.reason_other", reason)
}
