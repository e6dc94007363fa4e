package account_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
)

// sent returns the result of a request with a code: the token of a session, or "".
func (h *service) sent(token string, s *account.Session, opened bool, err error) string {
	h.t.Helper()
	if err != nil || opened != (token != "") || opened != (s != nil) {
		h.t.Fatalf("%v, %+v, %v", opened, s, err)
	}
	return token
}

// A browser that sends a code twice gets the session of the first request, for 30 seconds and while the session is open.
// Rules: M165.
func TestSignIn_SentTwice(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		in, email := account.NewSignIn(h.Directory, master, limit.Rate{}), h.a.Email
		b, current := in.Browser(""), ""
		give := func(b *account.Browser, digits string) string {
			t.Helper()
			return h.sent(in.Redeem(t.Context(), email, in.Browser(b.Cookie()), digits, current))
		}
		digits := h.code(in, email, b)
		for range 4 {
			give(b, messagingtest.WrongCode(digits))
		}
		first := give(b, digits)
		h.clock.Advance(forms.RepeatTime - time.Millisecond)
		if again := give(b, digits); first == "" || again != first {
			t.Errorf("the tokens %q and %q, want one session", first, again)
		}
		current = first
		if third := give(b, digits); third != first {
			t.Errorf("in the session: %q, want it to stay", third)
		}
		current = ""
		_, s, _, err := in.Redeem(t.Context(), email, in.Browser(b.Cookie()), digits, "")
		if err != nil || s.NewBrowser || s.Email != email || s.AccountID() != h.a.ID {
			t.Errorf("%+v, %v; want the same session, and no notice", s, err)
		}
		if got := give(in.Browser(""), digits); got != "" {
			t.Error("another browser has the session")
		}
		if got := give(b, messagingtest.WrongCode(digits)); got != "" { // the fifth wrong code
			t.Error("a wrong code has the session")
		}
		if got := give(b, digits); got != "" {
			t.Error("the code has more than five tries")
		}
		h.clock.Advance(time.Millisecond)
		if n, events := h.int(`SELECT count(*) FROM account_sessions`), h.int(`SELECT count(*) FROM account_audit_events WHERE action = 'session.opened'`); n != 1 || events != 1 {
			t.Errorf("%d sessions and %d events, want one", n, events)
		}

		digits = h.code(in, email, b)
		h.clock.Advance(account.CodeTime - time.Millisecond)
		first = give(b, digits)
		h.clock.Advance(time.Second)
		h.must(in.SweepMails(t.Context()))
		if again := give(b, digits); first == "" || again != first {
			t.Errorf("a code that expires between the requests: %q and %q, want one session", first, again)
		}
		h.clock.Advance(forms.RepeatTime - time.Second)
		if again := give(b, digits); again != "" {
			t.Error("after 30 seconds the code opens the session")
		}

		digits = h.code(in, email, b)
		token := give(b, digits)
		s, err = h.Session(t.Context(), token)
		h.must(err)
		h.must(h.CloseSession(t.Context(), s))
		if again := give(b, digits); again != "" {
			t.Error("the code opens the session again that was signed out")
		}
	})
}

// The master key can change between the two requests, and each can reach another node.
// Rules: M165.
func TestSignIn_SentTwiceWhileTheMasterKeyChanges(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		next, err := seal.ParseKey(seal.NewMasterKey())
		h.must(err)
		both := next.WithPrevious(master)
		old, fresh := account.NewSignIn(h.Directory, master, limit.Rate{}), account.NewSignIn(h.Directory, both, limit.Rate{})
		b := old.Browser("")
		digits := h.code(old, h.a.Email, b)
		first := h.sent(old.Redeem(t.Context(), h.a.Email, old.Browser(b.Cookie()), digits, ""))
		if !both.SealWith(next.Name()) {
			t.Fatal("the key does not change")
		}
		if again := h.sent(fresh.Redeem(t.Context(), h.a.Email, fresh.Browser(b.Cookie()), digits, "")); again != first {
			t.Errorf("%q and %q, want one session", first, again)
		}
	})
}

// Rules: M166.
func TestInvitations_SentTwice(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		in, email := account.NewSignIn(h.Directory, master, limit.Rate{}), "awa@example.com"
		invite := func() (i *account.Invitation, token, digits string) {
			t.Helper()
			i, token = h.NewInvitation(h.a.ID, email, account.Membership{})
			digits = in.AddCode(i)
			h.must(d.Write(t.Context(), func(tx *db.Tx) error { return account.Invite(tx, i, i.Event(t.Context())) }))
			return i, token, digits
		}
		joined := func(want int) {
			t.Helper()
			members, events := h.int(`SELECT count(*) FROM members WHERE removed_at IS NULL`), h.int(`SELECT count(*) FROM account_audit_events WHERE action = 'member.joined'`)
			if members != 1 || events != want {
				t.Errorf("%d members and %d events, want 1 and %d", members, events, want)
			}
		}
		remove := func() {
			t.Helper()
			members, err := h.Members(t.Context(), h.a.ID)
			h.must(err)
			_, _, err = h.RemoveMember(t.Context(), h.a.ID, members[0].ID)
			h.must(err)
		}

		_, token, digits := invite()
		b := in.Browser("")
		give := func(b *account.Browser, digits string) string {
			t.Helper()
			return h.sent(in.AcceptByCode(t.Context(), token, in.Browser(b.Cookie()), digits, ""))
		}
		for range 4 {
			give(b, messagingtest.WrongCode(digits))
		}
		tokens := make([]string, 3)
		waittest.Together(3, func(i int) { tokens[i] = give(b, digits) })
		if tokens[0] == "" || tokens[1] != tokens[0] || tokens[2] != tokens[0] {
			t.Errorf("at once: %q, want one session", tokens)
		}
		h.clock.Advance(forms.RepeatTime - time.Millisecond)
		if again := give(b, digits); again != tokens[0] {
			t.Errorf("%q, want the session again", again)
		}
		joined(1)
		if got := give(in.Browser(""), digits); got != "" { // this is the fifth wrong try
			t.Error("another browser has the session")
		}
		if got := give(b, digits); got != "" {
			t.Error("the code has more than five tries")
		}
		remove()

		_, token, digits = invite()
		first := give(b, digits)
		remove()
		if again := give(b, digits); first == "" || again != "" {
			t.Errorf("%q, and %q after the member was removed", first, again)
		}
		_, token, digits = invite()
		first = give(b, digits)
		h.clock.Advance(forms.RepeatTime)
		if again := give(b, digits); first == "" || again != "" {
			t.Errorf("%q, and %q after 30 seconds", first, again)
		}
		remove()

		i, token, digits := invite()
		s, other := h.session(email), h.session(email)
		for _, err := range callTogether(3, func(int) error { _, err := h.AcceptOffer(t.Context(), s, i.ID); return err }) {
			h.must(err)
		}
		joined(4)
		for name, accept := range map[string]func(s *account.Session) error{
			"offer": func(s *account.Session) error { _, err := h.AcceptOffer(t.Context(), s, i.ID); return err },
			"token": func(s *account.Session) error { _, err := h.Accept(t.Context(), s, token); return err },
		} {
			h.must(accept(s))
			if err := accept(other); !errors.Is(err, account.ErrNoInvitation) && !errors.Is(err, account.ErrInvitationUsed) {
				t.Errorf("%s in another session: %v", name, err)
			}
		}
		if got := give(b, digits); got != "" {
			t.Error("the code opens a session after the invitation was accepted otherwise")
		}
		remove()
		if _, err := h.AcceptOffer(t.Context(), s, i.ID); !errors.Is(err, account.ErrNoInvitation) {
			t.Errorf("after the member was removed: %v", err)
		}
		i, _, _ = invite()
		s = h.session(email)
		_, err := h.AcceptOffer(t.Context(), s, i.ID)
		h.must(err)
		h.clock.Advance(forms.RepeatTime)
		if _, err := h.AcceptOffer(t.Context(), s, i.ID); !errors.Is(err, account.ErrNoInvitation) {
			t.Errorf("after 30 seconds: %v", err)
		}
	})
}

// Concurrent requests of one form create one key, and each of them shows it.
// Rules: M169.
func TestForms_SentAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		h.Signup = account.SignupOpen
		keys := master.Secret("forms")
		form := func(session string) forms.Creation {
			formID := id.New(h.clock.Now())
			return forms.Creation{ID: formID, Seeds: keys.MACs(formID, session)}
		}
		at := func(what string, call func() (string, error)) (secret string) {
			t.Helper()
			secrets := make([]string, 4)
			for _, err := range callTogether(4, func(i int) (err error) { secrets[i], err = call(); return err }) {
				h.must(err)
			}
			if secret = secrets[0]; secret == "" || len(slices.Compact(secrets)) != 1 || !h.opens(secret) {
				t.Errorf("%s: %q, want one key", what, secrets)
			}
			return secret
		}
		spec := account.KeySpec{Form: form("a"), AccountID: h.a.ID, Kind: account.Live}
		at("a key", func() (string, error) { _, secret, err := h.MakeKey(t.Context(), spec); return secret, err })
		if n := h.int(`SELECT count(*) FROM account_audit_events WHERE action = 'key.created'`); n != 1 {
			t.Errorf("%d events, want one", n)
		}
		foreign := spec
		foreign.Form.Seeds = keys.MACs(spec.Form.ID, "another session")
		if _, _, err := h.MakeKey(t.Context(), foreign); !errors.Is(err, account.ErrKeyMade) {
			t.Errorf("another session: %v", err)
		}
		theirs := spec
		theirs.AccountID = h.account("other@example.com", "free").ID
		if _, _, err := h.MakeKey(t.Context(), theirs); !errors.Is(err, account.ErrKeyMade) {
			t.Errorf("another account: %v", err)
		}
		rotate, old := form("a"), spec.Form.ID
		at("a rotation", func() (string, error) {
			r, err := h.RotateKey(t.Context(), h.a.ID, "", old, time.Hour, rotate)
			if err != nil {
				return "", err
			}
			if r.Replaced.ID != old || r.Replaced.ExpiresAt.IsZero() || r.Key.ID != rotate.ID {
				t.Errorf("%+v took the place of %+v", r.Key, r.Replaced)
			}
			return r.Secret, nil
		})
		if _, err := h.RotateKey(t.Context(), h.a.ID, "", rotate.ID, 0, forms.Creation{ID: old}); !errors.Is(err, account.ErrKeyMade) {
			t.Errorf("with another key's id: %v", err)
		}
		found, err := h.RevokeKey(t.Context(), h.a.ID, "", rotate.ID)
		if err != nil || !found {
			t.Fatal(found, err)
		}
		if _, err := h.RotateKey(t.Context(), h.a.ID, "", old, time.Hour, rotate); !errors.Is(err, account.ErrKeyInactive) {
			t.Errorf("after the key was revoked: %v", err)
		}

		signUp, s := form("a"), h.session("awa@example.com")
		at("a sign-up", func() (string, error) {
			own := *s
			_, secret, err := h.SignUp(t.Context(), &own, "Boutique", i18n.EN, signUp)
			if errors.Is(err, account.ErrEmailTaken) || errors.Is(err, account.ErrSignupClosed) {
				_, secret, err = h.SignedUp(t.Context(), &own, signUp)
			}
			return secret, err
		})
		h.clock.Advance(forms.RepeatTime)
		if a, secret, err := h.SignedUp(t.Context(), s, signUp); a != nil || secret != "" || err != nil {
			t.Errorf("after 30 seconds: %+v, %v", a, err)
		}
		if _, _, err := h.SignUp(t.Context(), h.session("eve@example.com"), "Hers", i18n.EN, signUp); !errors.Is(err, account.ErrKeyMade) || h.int(`SELECT count(*) FROM accounts WHERE name = 'Hers'`) != 0 {
			t.Errorf("with another key's id: %v", err)
		}
	})
}
