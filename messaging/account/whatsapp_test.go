package account_test

import (
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/limit"
	"example.com/griot/messaging/account"
)

// byWhatsApp signs in a number's owner and returns the session's token.
func (h *service) byWhatsApp(subject string) (token string) {
	h.t.Helper()
	in := account.NewSignIn(h.Directory, master, limit.Rate{})
	token, _, how, err := in.OpenLinked(h.t.Context(), "https://login.example.com", subject, in.Browser(""))
	if err != nil || how != account.Opened {
		h.t.Fatalf("signing in by WhatsApp: %v, %v", how, err)
	}
	return token
}

func (h *service) link(s *account.Session, subject string) {
	h.t.Helper()
	linked, err := h.LinkWhatsApp(h.t.Context(), s, account.WhatsAppLink{Issuer: "https://login.example.com", Subject: subject})
	if err != nil || !linked {
		h.t.Fatal(linked, err)
	}
}

func (h *service) signedIn(token string) bool {
	h.t.Helper()
	s, err := h.Session(h.t.Context(), token)
	h.must(err)
	return s != nil
}

// When a number is removed or replaced, its other sessions end, but not the session of the person who does this.
func TestUnlinkWhatsApp_EndsTheSessionsThatTheNumberOpened(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "pro")
		member, _ := h.addMember(h.a, "member@example.com")
		h.link(member, "member")
		others := h.byWhatsApp("member")
		byCode := h.signIn(h.a.Email)
		s, err := h.Session(t.Context(), byCode)
		h.must(err)
		h.link(s, "first")
		lost := h.byWhatsApp("first")
		h.link(s, "first") // the same again
		if !h.signedIn(lost) {
			t.Error("linking a number again ends its sessions")
		}
		h.link(s, "second")
		if h.signedIn(lost) {
			t.Error("the session of a number that was replaced goes on")
		}
		lost, own := h.byWhatsApp("second"), h.byWhatsApp("second")
		removing, err := h.Session(t.Context(), own)
		h.must(err)
		if was, err := h.UnlinkWhatsApp(t.Context(), removing); err != nil || was == nil {
			t.Fatal(was, err)
		}
		if h.signedIn(lost) {
			t.Error("the session of a number that was removed goes on")
		}
		for what, token := range map[string]string{"by code": byCode, "by another's number": others, "that removed it": own} {
			if !h.signedIn(token) {
				t.Errorf("the session %s has ended", what)
			}
		}
	})
}
