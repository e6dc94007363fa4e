package account_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/limit"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
)

// newcomer returns a browser at a client address that asks for a code for an address without an account.
func newcomer(in *account.SignIn, client string) *account.Browser {
	b := in.Browser("")
	b.Client = client
	return b
}

func TestSignUp_WhoMay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "pro")
		member, _ := h.addMember(h.a, "member@example.com")
		owner := h.session(h.a.Email)
		i, _ := h.NewInvitation(h.a.ID, "invited@example.com", account.Membership{})
		h.must(h.StoreInvitation(t.Context(), i))
		invited := h.session("invited@example.com")
		h.Signup = account.SignupOpen
		anybody := h.session("new@example.com")
		for setting, want := range map[account.Signup][4]bool{
			"": {}, account.SignupClosed: {}, account.SignupInvite: {false, true, true, false}, account.SignupOpen: {false, true, true, true},
		} {
			h.Signup = setting
			for i, s := range []*account.Session{owner, member, invited, anybody} {
				if may, err := h.MaySignUp(t.Context(), s); err != nil || may != want[i] {
					t.Errorf("%q, %s: %v, %v; want %v", setting, s.Email, may, err, want[i])
				}
				if _, _, err := h.SignUp(t.Context(), s, "Mine", i18n.EN, forms.Creation{}); !want[i] && !errors.Is(err, account.ErrSignupClosed) {
					t.Errorf("%q, %s signs up: %v, want ErrSignupClosed", setting, s.Email, err)
				} else if want[i] && err != nil {
					t.Errorf("%q, %s signs up: %v", setting, s.Email, err)
				}
				if want[i] { // reset for the other settings
					h.must(h.db.Write(t.Context(), func(tx *db.Tx) error {
						_, err := tx.Exec(`UPDATE accounts SET email = id WHERE email = $1`, s.Email)
						return err
					}))
				}
			}
		}
	})
}

func TestSignUp_MakesAnAccountWithATestKey(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "pro")
		h.Signup = account.SignupOpen
		token := h.signIn("Awa@Example.com")
		s, err := h.Session(t.Context(), token)
		h.must(err)
		a, key, err := h.SignUp(t.Context(), s, "Boutique Awa", i18n.EN, forms.Creation{})
		h.must(err)
		if a.Name != "Boutique Awa" || a.Email != "awa@example.com" || a.Lang != i18n.EN || a.Plan.Name != "free" || !h.opens(key) {
			t.Errorf("made %+v, and the key works: %v", a, h.opens(key))
		}
		if c, err := h.Authenticate(t.Context(), key); err != nil || c.Kind != account.Test || c.Account.ID != a.ID {
			t.Errorf("the key is %+v, %v; want a test key of the account", c, err)
		}
		s, err = h.Session(t.Context(), token)
		h.must(err)
		if s.Caller == nil || s.Caller.Account.ID != a.ID || !s.Caller.Owner() {
			t.Errorf("the session is %+v, want the owner's of the account", s)
		}
		if _, _, err := h.SignUp(t.Context(), s, "Another", i18n.EN, forms.Creation{}); !errors.Is(err, account.ErrSignupClosed) {
			t.Errorf("a second account: %v, want ErrSignupClosed", err)
		}
		for _, action := range []string{audit.AccountCreated, audit.KeyCreated, audit.SessionOpened} {
			if n := h.int(`SELECT count(*) FROM account_audit_events WHERE account_id = $1 AND action = $2 AND actor = 'owner' AND actor_email = 'awa@example.com'`, a.ID, action); n != 1 {
				t.Errorf("%d events %s by the owner, want 1", n, action)
			}
		}
	})
}

// Of two concurrent forms, only one creates an account.
func TestSignUp_OnceAtATime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "pro")
		h.Signup = account.SignupOpen
		s := h.session("awa@example.com")
		made := 0
		for _, err := range callTogether(8, func(int) error {
			own := *s
			_, _, err := h.SignUp(t.Context(), &own, "Boutique", i18n.FR, forms.Creation{})
			return err
		}) {
			if err == nil {
				made++
			} else if !errors.Is(err, account.ErrEmailTaken) && !errors.Is(err, account.ErrSignupClosed) {
				t.Error(err)
			}
		}
		if n := h.int(`SELECT count(*) FROM accounts WHERE email = 'awa@example.com'`); made != 1 || n != 1 || h.int(`SELECT count(*) FROM api_keys`) != 1 {
			t.Errorf("%d made, %d stored; want one account with one key", made, n)
		}
	})
}

func TestSignUp_CodesToNewAddressesAreBounded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "pro")
		h.Signup = account.SignupOpen
		in := account.NewSignIn(h.Directory, master, limit.Rate{})
		in.LimitSignUps(limit.Rate{Times: 2, Period: 24 * time.Hour}, 4)
		n := 0
		asks := func(client string) (got bool, err error) {
			n++
			c, wait, err := in.RequestCode(t.Context(), fmt.Sprintf("new%d@example.com", n), newcomer(in, client))
			if err != nil || wait > 0 {
				t.Fatal(wait, err)
			}
			digits, err := in.NewDigits(t.Context(), c)
			return digits != "", err
		}
		for i, want := range []struct {
			client string
			got    bool
			err    error
		}{
			{"192.0.2.1", true, nil},
			{"192.0.2.1", true, nil},
			{"192.0.2.1", false, nil}, // the limit of one client
			{"192.0.2.2", true, nil},
			{"192.0.2.3", true, nil},
			{"192.0.2.4", false, account.ErrSignupsUsedUp},
			{"192.0.2.5", false, nil}, // the limit of all clients
		} {
			if got, err := asks(want.client); got != want.got || !errors.Is(err, want.err) {
				t.Errorf("%d by %s: %v, %v; want %v, %v", i, want.client, got, err, want.got, want.err)
			}
		}
		if h.code(in, h.a.Email, newcomer(in, "192.0.2.4")) == "" {
			t.Error("an owner gets no code when the sign-ups are used up")
		}
		h.clock.Advance(24 * time.Hour)
		if got, err := asks("192.0.2.6"); !got || err != nil {
			t.Errorf("the next day: %v, %v; want a code", got, err)
		}
		h.clock.Advance(10 * 24 * time.Hour)
		if got, err := asks("192.0.2.7"); !got || err != nil || h.int(`SELECT count(*) FROM sign_up_days`) != 1 {
			t.Errorf("ten days later: %v, %v, %d days are kept; want a code, and one", got, err, h.int(`SELECT count(*) FROM sign_up_days`))
		}
		h.Signup = account.SignupInvite
		if got, err := asks("192.0.2.8"); got || err != nil {
			t.Errorf("where new addresses may not sign up: %v, %v; want no code", got, err)
		}
	})
}
