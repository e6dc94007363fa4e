package account_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
)

// Rules: M165.
func TestSignIn_Codes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		in := account.NewSignIn(h.Directory, master, limit.Rate{})
		email, b := h.a.Email, in.Browser("")
		fresh := func() string {
			t.Helper()
			digits := h.code(in, "Owner@Example.COM ", b)
			if len(digits) != 6 {
				t.Fatalf("the code is %q", digits)
			}
			if n := h.int(`SELECT count(*) FROM sign_in_mails WHERE mac LIKE '%' || $1 || '%'`, digits); n != 0 {
				t.Error("the code is stored")
			}
			return digits
		}
		tries := func(email string, b *account.Browser, digits string, want bool) {
			t.Helper()
			token, s, opened, err := in.Redeem(t.Context(), email, b, digits, "")
			if err != nil || opened != want || (token != "") != want || (s != nil) != want {
				t.Errorf("opened %v, %v; want %v", opened, err, want)
			}
		}
		try := func(digits string, want bool) { t.Helper(); tries(email, b, digits, want) }
		try("000000", false) // there is no code yet
		digits := fresh()
		tries("eve@example.com", b, digits, false)
		for range 6 {
			tries(email, in.Browser(""), digits, false) // another browser, which does not count as a guess
		}
		try(messagingtest.WrongCode(digits), false)
		try(digits, true)
		h.clock.Advance(forms.RepeatTime)
		try(digits, false) // once

		digits = fresh()
		for range 5 {
			try(messagingtest.WrongCode(digits), false)
		}
		try(digits, false) // no tries are left

		digits = fresh()
		for range 4 {
			try(messagingtest.WrongCode(digits), false)
		}
		try(digits, true) // the fifth

		old := fresh()
		digits = fresh()
		h.clock.Advance(account.CodeTime - time.Millisecond)
		try(digits, true)
		try(old, true) // M100: another code does not change the lifetime of earlier ones
		h.clock.Advance(forms.RepeatTime)
		try(digits, false)
		try(old, false)

		old = fresh()
		h.clock.Advance(time.Minute)
		digits = fresh()
		h.clock.Advance(account.CodeTime - time.Minute)
		try(old, false)
		try(digits, true)

		digits = fresh()
		h.clock.Advance(account.CodeTime)
		try(digits, false)

		if digits := h.code(in, "nobody@example.com", b); digits != "" {
			t.Error("a code for nobody")
		}
		elsewhere, err := seal.ParseKey(seal.NewMasterKey())
		h.must(err)
		digits = fresh()
		if _, _, opened, err := account.NewSignIn(h.Directory, elsewhere, limit.Rate{}).Redeem(t.Context(), email, b, digits, ""); err != nil || opened {
			t.Errorf("under another master key: %v, %v", opened, err)
		}
	})
}

// A try counts for each valid code of the address in the browser, so several codes allow no more tries than one.
// Rules: M165.
func TestSignIn_TriesOfSeveralCodes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		in := account.NewSignIn(h.Directory, master, limit.Rate{})
		b, email := in.Browser(""), h.a.Email
		ask := func() string {
			h.clock.Advance(time.Millisecond)
			return h.code(in, email, in.Browser(b.Cookie()))
		}
		wrong := func(codes ...string) string {
			for guess := 0; ; guess++ {
				if digits := fmt.Sprintf("%06d", guess); !slices.Contains(codes, digits) {
					return digits
				}
			}
		}
		try := func(digits string) bool {
			t.Helper()
			_, _, opened, err := in.Redeem(t.Context(), email, in.Browser(b.Cookie()), digits, "")
			h.must(err)
			return opened
		}
		guess := func(times int, codes ...string) {
			t.Helper()
			for _, err := range callTogether(times, func(int) error {
				_, _, opened, err := in.Redeem(t.Context(), email, in.Browser(b.Cookie()), wrong(codes...), "")
				if opened {
					t.Error("a guess opened a session")
				}
				return err
			}) {
				h.must(err)
			}
		}
		first, second := ask(), ask()
		guess(8, first, second) // concurrently: five count
		if try(first) || try(second) {
			t.Error("two codes have more tries than one")
		}
		if n := h.int(`SELECT max(tries) FROM sign_in_mails`); n != 5 {
			t.Errorf("%d tries were counted for a code, want 5", n)
		}
		third := ask() // the latest is good again
		guess(4, first, second, third)
		fourth := ask()
		if !try(fourth) || !try(third) {
			t.Error("a right code was counted as a try of the other")
		}
		h.clock.Advance(account.CodeTime)

		var codes []string
		for range 12 {
			codes = append(codes, ask())
		}
		if n := h.int(`SELECT count(*) FROM sign_in_mails WHERE mac <> '' AND expires_at > $1`, db.Ms(h.clock.Now())); n != 10 {
			t.Errorf("%d codes are valid, want the latest ten", n)
		}
		if !slices.Contains(codes[2:], codes[0]) && try(codes[0]) || !try(codes[2]) {
			t.Error("want the latest ten codes, and those only")
		}
		other := in.Browser("") // the codes of another browser have separate tries and limits
		digits := h.code(in, email, other)
		guess(5, codes...)
		if _, _, opened, err := in.Redeem(t.Context(), email, other, digits, ""); err != nil || !opened {
			t.Errorf("in another browser: %v, %v", opened, err)
		}
	})
}

// Rules: M165.
func TestSignIn_ACodeIsOneSessionHoweverManyTry(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		in := account.NewSignIn(h.Directory, master, limit.Rate{})
		b := in.Browser("")
		digits := h.code(in, h.a.Email, b)
		tokens := make([]string, 4)
		for _, err := range callTogether(4, func(i int) (err error) {
			tokens[i], _, _, err = in.Redeem(t.Context(), h.a.Email, in.Browser(b.Cookie()), digits, "")
			return err
		}) {
			h.must(err)
		}
		if n := h.int(`SELECT count(*) FROM account_sessions`); n != 1 || tokens[0] == "" || len(slices.Compact(tokens)) != 1 {
			t.Errorf("%d sessions with the tokens %q, want one that all of them open", n, tokens)
		}
	})
}

// The database limits mails regardless of the nodes' own limits: a fixed number in any hour, and five tries per code.
func TestSignIn_SoManyMailsInAnyHour(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		in := account.NewSignIn(h.Directory, master, limit.Rate{Times: 5, Period: time.Hour})
		asked := func(b func() *account.Browser) (n int, wait time.Duration) {
			waits := make([]time.Duration, 8)
			for _, err := range callTogether(8, func(i int) (err error) {
				_, waits[i], err = in.RequestCode(t.Context(), h.a.Email, b())
				return err
			}) {
				h.must(err)
			}
			for _, w := range waits {
				if w == 0 {
					n++
				}
				wait = max(wait, w)
			}
			return n, wait
		}
		strange := func() *account.Browser { return in.Browser("") }
		known := in.Browser("")
		if _, _, opened, err := in.Redeem(t.Context(), h.a.Email, known, h.code(in, h.a.Email, known), ""); err != nil || !opened {
			t.Fatal(opened, err)
		}
		ours := func() *account.Browser { return in.Browser(known.Cookie()) }
		h.clock.Advance(20 * time.Minute)
		if n, wait := asked(strange); n != 4 || wait != 40*time.Minute {
			t.Errorf("%d more mails, wait %v; want 4, and 40m", n, wait)
		}
		if n, wait := asked(ours); n != 5 || wait != time.Hour {
			t.Errorf("a known browser: %d mails, wait %v; want 5, and 1h", n, wait)
		}
		h.clock.Advance(40*time.Minute - time.Millisecond)
		if n, _ := asked(strange); n != 0 {
			t.Errorf("%d more", n)
		}
		h.clock.Advance(time.Millisecond)
		if n, wait := asked(strange); n != 1 || wait != 20*time.Minute {
			t.Errorf("an hour after the first: %d mails, wait %v; want 1, and 20m", n, wait)
		}
		h.clock.Advance(20 * time.Minute)
		if n, _ := asked(strange); n != 4 {
			t.Errorf("an hour after the other four: %d", n)
		}
		rows := h.int(`SELECT count(*) FROM sign_in_mails`)
		h.clock.Advance(40*time.Minute - time.Millisecond)
		h.must(in.SweepMails(t.Context()))
		if n := h.int(`SELECT count(*) FROM sign_in_mails`); rows != 10 || n != 5 {
			t.Errorf("of %d rows %d are left; want of 10 those of the last hour, 5", rows, n)
		}
		h.clock.Advance(time.Hour)
		h.must(in.SweepMails(t.Context()))
		if n := h.int(`SELECT count(*) FROM sign_in_mails`); n != 0 {
			t.Errorf("%d rows: what is over stays", n)
		}
	})
}

func TestSession_WhatItLooksAt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		second := h.account("second@example.com", "pro")
		token := h.signIn(h.a.Email)
		at := func(token string) string {
			t.Helper()
			s, err := h.Session(t.Context(), token)
			h.must(err)
			switch {
			case s == nil:
				return "over"
			case s.Caller == nil:
				return "no account"
			}
			return fmt.Sprint(s.Caller.Account.Name, s.Caller.Account.ID == h.a.ID, s.Caller.Owner())
		}
		want := func(token, account string) {
			t.Helper()
			if got := at(token); got != account {
				t.Errorf("the session opens %q, want %q", got, account)
			}
		}
		want(token, "Boutiquetrue true")
		want("x", "over")
		h.clock.Advance(time.Hour)
		s, m := h.addMember(second, h.a.Email)
		of, err := h.Affiliations(t.Context(), h.a.Email)
		if err != nil || len(of) != 2 || of[0].Role != account.RoleOwner || of[0].AccountID != h.a.ID || of[1].Role != account.RoleDeveloper || of[1].AccountID != second.ID {
			t.Errorf("%v, %+v", err, of)
		}
		third := h.account("third@example.com", "free")
		for id, want := range map[string]bool{second.ID: true, third.ID: false, "": false} {
			if found, err := h.SwitchAccount(t.Context(), s, id); err != nil || found != want {
				t.Errorf("look at %q: %v, %v", id, found, err)
			}
		}
		want(token, "Boutiquetrue true") // another browser
		away := "away@example.com"       // the owner has another address now, and the old one cannot sign in
		if _, err := h.Change(t.Context(), h.a.ID, &account.Change{Email: &away}); err != nil {
			t.Fatal(err)
		}
		want(token, "no account")
		if _, _, err := h.RemoveMember(t.Context(), second.ID, m.ID); err != nil {
			t.Fatal(err)
		}
		next := h.signIn(second.Email)
		h.clock.Advance(account.SessionTime - time.Millisecond)
		want(next, "Boutiquefalse true")
		h.clock.Advance(time.Millisecond)
		want(next, "over")
		last, err := h.Session(t.Context(), h.signIn(second.Email))
		h.must(err)
		h.must(h.CloseSession(t.Context(), last))
		h.must(h.CloseSession(t.Context(), last))
		if n := h.int(`SELECT count(*) FROM account_sessions WHERE email = $1 AND expires_at > $2`, second.Email, db.Ms(h.clock.Now())); n != 0 {
			t.Errorf("%d sessions are open", n)
		}
	})
}
