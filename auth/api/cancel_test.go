package api_test

import (
	"errors"
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// A code that was handed back late is valid after the time to hand back, and can still be canceled.
// Rules: L77.
func TestCancel_ACodeThatWasHandedBackLate(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Public, tenant.Live)
		b := s.browser()
		loginID := b.start(a)
		s.accepted("yes", alice, b.words(loginID))
		s.Clock.Advance(119 * time.Second)
		code := b.code(loginID)
		s.Clock.Advance(30 * time.Second)
		if !s.message("no", alice, "STOP") {
			t.Error("STOP was not accepted")
		}
		if got := b.poll(loginID); got["status"] != "EXPIRED" || got["endedBy"] != "person" {
			t.Errorf("got %v, want EXPIRED by the person", got)
		}
		s.exchange("/token", exchange(a, code)).refused(t, 400, "invalid_grant", "code_expired")
	})
}

// Rules: L77.
func TestCancel_UndoesWhatAPhoneHasProved(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Public, tenant.Live)
		proved := func(from string) (*browser, string) {
			b := s.browser()
			loginID := b.start(a)
			s.accepted("m"+loginID, from, b.words(loginID))
			return b, loginID
		}
		revoked := func(loginID string) bool {
			return s.count(`SELECT count(*) FROM login_sessions WHERE id = $1 AND token_revoked = 1`, loginID) == 1
		}
		old, oldID := proved(alice)
		s.redeemed(a, old.code(oldID))
		s.Clock.Advance(15*time.Minute + time.Millisecond)
		edge, edgeID := proved(alice)
		s.redeemed(a, edge.code(edgeID))
		s.Clock.Advance(15 * time.Minute)
		waiting, waitingID := proved(alice)
		handed, handedID := proved(alice)
		code := handed.code(handedID)
		theirs, theirsID := proved(bob)
		pending := s.browser()
		pendingID := pending.start(a)

		if !s.message("cancel", alice, " ¡Nôn!\n") {
			t.Error("the cancellation was not accepted")
		}
		for name, l := range map[string]struct {
			b    *browser
			id   string
			want string
		}{
			"the one that waits for its hand-back": {waiting, waitingID, "EXPIRED"}, "the one with a code": {handed, handedID, "EXPIRED"},
			"another phone's": {theirs, theirsID, "VERIFIED"}, "an unproved one": {pending, pendingID, "PENDING"}, "a redeemed one": {edge, edgeID, "CONSUMED"},
		} {
			if got := l.b.poll(l.id)["status"]; got != l.want {
				t.Errorf("%s is %v, want %s", name, got, l.want)
			}
		}
		s.exchange("/token", exchange(a, code)).refused(t, 400, "invalid_grant", "code_expired")
		if revoked(oldID) || !revoked(edgeID) || revoked(theirsID) {
			t.Errorf("revoked: old %v, of 15 minutes %v, another's %v", revoked(oldID), revoked(edgeID), revoked(theirsID))
		}
		events := func(typ string) int {
			return s.count(`SELECT count(*) FROM audit_events WHERE type = $1 AND phone = '+223*****210' AND tenant_id = $2`, typ, s.Tenant.ID)
		}
		if events("login.canceled") != 2 || events("token.revoked") != 1 {
			t.Errorf("%d login.canceled, %d token.revoked", events("login.canceled"), events("token.revoked"))
		}
		before := s.rows()
		if !s.message("cancel", alice, "non") { // delivered a second time
			t.Error("the repeated message was not accepted")
		}
		if s.message("cancel 2", alice, "STOP") {
			t.Error("a second STOP was accepted, with nothing to cancel")
		}
		if after := s.rows(); after != before {
			t.Errorf("stored something: %s, before %s", after, before)
		}
		later, laterID := proved(alice)
		if !s.message("cancel", alice, "non") || later.poll(laterID)["status"] != "VERIFIED" {
			t.Errorf("a repeated message has ended a login that began after it: %v", later.poll(laterID))
		}
	})
}

// Rules: L9, L77.
func TestCancel_TakesThatWordOnly(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Public, tenant.Live)
	b := s.browser()
	loginID := b.start(a)
	s.accepted("m", alice, b.words(loginID))
	good := gateway.Inbound{ID: "c", Gateway: receiverGateway, Channel: gateway.WhatsApp, From: alice, To: receiverNumber, Text: "stop", At: s.Clock.Now()}
	for name, change := range map[string]func(*gateway.Inbound){
		"more than the word": func(in *gateway.Inbound) { in.Text = "stop it" },
		"half a word":        func(in *gateway.Inbound) { in.Text = "stopp" },
		"nothing":            func(in *gateway.Inbound) { in.Text = "" },
		"SMS":                func(in *gateway.Inbound) { in.Channel = gateway.SMS },
		"another number":     func(in *gateway.Inbound) { in.To = "22370000009" },
		"another gateway":    func(in *gateway.Inbound) { in.Gateway = "wa2" },
		"another phone":      func(in *gateway.Inbound) { in.From = bob },
	} {
		in := good
		change(&in)
		if taken, err := s.auth.Logins.Inbound(t.Context(), in); taken || err != nil && !errors.Is(err, gateway.ErrForeign) || b.poll(loginID)["status"] != "VERIFIED" {
			t.Errorf("%s: taken %v, %v", name, taken, err)
		}
	}
	for i, text := range []string{"STOP", "Cancel.", "*NON*", "« non »", "ｓｔｏｐ", "nón 👋🏾"} {
		if i > 0 {
			loginID = b.start(a)
			s.accepted("m"+text, alice, b.words(loginID))
		}
		good.ID, good.Text = "c"+text, text
		if taken, err := s.auth.Logins.Inbound(t.Context(), good); !taken || err != nil || b.poll(loginID)["status"] != "EXPIRED" {
			t.Errorf("%q: taken %v, %v", text, taken, err)
		}
	}
}
