package dashboard_test

import (
	"net/http"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
)

func TestPairing_WithoutScripts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		sender := "/dashboard/senders/" + w.Sender(messagingtest.WhatsApp)
		pair := sender + "/pair"
		w.Gateway.SetState(messagingtest.WhatsApp, gateway.LoggedOut)
		p.Holds(p.Get(sender), "It was unlinked", "no "+pair, "no choose Link a phone")
		p.Wants(p.Get(pair), http.StatusConflict, "support linking on this page")

		w.Gateway.Pairings.Offered.Store(true)
		p.Holds(p.Get(sender), `href="`+pair+`"`, "choose Link a phone")
		first := p.Get(pair)
		p.Holds(first, "Show a QR code", "Get a code", "no http-equiv", "no data-events", "Passkeys")
		if got := first.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("it may be cached: %q", got)
		}
		p.Wants(p.Post(pair, "method", "smoke"), http.StatusBadRequest, "Show a QR code")
		p.Wants(p.Post(pair, "method", "qr"), http.StatusSeeOther, pair)
		p.Holds(p.Get(pair), `<svg class="qr"`, `fill="#fff"`, `http-equiv="refresh"`, "Refresh", "Point the camera", "no 2@1")
		p.Wants(p.Post(pair, "method", "code"), http.StatusSeeOther, pair)
		p.Holds(p.Get(pair), "ABCD-0002", "Link with phone number instead", `no class="qr"`)
		p.Wants(p.Post(pair+"/cancel"), http.StatusSeeOther, sender+"?done=pairing_cancelled")
		p.Holds(p.Get(pair), "Linking was canceled.", "Show a QR code")

		for reason, text := range map[string]string{
			gateway.PairingPasskey: "your service operator can link the number with it", gateway.PairingPasskeyFail: "in a form that the gateway can't read", gateway.PairingWrongNumber: "A phone with another number", gateway.PairingExpired: "The code expired",
			gateway.PairingAlreadyThere: "already linked", gateway.PairingProvider: "WhatsApp refused", "too_many_devices": "the reason too_many_devices",
		} {
			w.Gateway.Pairings.Set(messagingtest.WhatsApp, gateway.PairingProgress{State: gateway.PairingFailed, Reason: reason})
			p.Holds(p.Get(pair), "The number was not linked.", text, "Show a QR code")
		}
		w.Gateway.Pairings.Set(messagingtest.WhatsApp, gateway.PairingProgress{State: gateway.PairingStarting})
		p.Holds(p.Get(pair), "Requesting a code", `http-equiv="refresh"`)
		w.Gateway.Pairings.Set(messagingtest.WhatsApp, gateway.PairingProgress{State: gateway.PairingDone})
		p.Holds(p.Get(pair), "The number is linked.", "no Show a QR code", "no http-equiv")
		w.Gateway.Pairings.FailWith(&gateway.Error{Class: gateway.Temporary, Code: "provider_unavailable"})
		p.Wants(p.Get(pair), http.StatusServiceUnavailable, "responding. Try again in a moment.")

		platform, err := w.Directory.Senders(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		p.Wants(p.Get("/dashboard/senders/"+platform[0].ID+"/pair"), http.StatusForbidden, "forbidden")
		p.Wants(p.Get("/dashboard/senders/none/pair"), http.StatusNotFound, "sender_not_found")
		w.Clock.Advance(account.RecentCode)
		p.Wants(p.Get(pair), http.StatusSeeOther, "/dashboard/confirm?next=")
		p.Wants(p.Post(pair, "method", "qr"), http.StatusSeeOther, "/dashboard/confirm?next=")
	})
}
