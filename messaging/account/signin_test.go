package account_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"griot/internal/db"
	"griot/internal/db/dbtest"
	"griot/internal/seal"
	"griot/messaging/account"
)

// wrong returns a code that is not the right one.
func wrong(digits string) string {
	if digits == "000000" {
		return "000001"
	}
	return "000000"
}

func TestSignIn_Codes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newHouse(t, d, "free")
		in := account.NewSignIn(h.Directory, master)
		email := h.a.Email
		fresh := func() string {
			t.Helper()
			c, digits, err := in.Code(t.Context(), "Owner@Example.COM ")
			if err != nil || c == nil || len(digits) != 6 {
				t.Fatal(c, digits, err)
			}
			h.must(h.db.Write(t.Context(), c.Keep))
			if n := h.int(`SELECT count(*) FROM sign_in_codes WHERE mac LIKE '%' || $1 || '%'`, digits); n != 0 {
				t.Error("the code is stored")
			}
			return digits
		}
		try := func(email, digits string, want bool) {
			t.Helper()
			token, s, opened, err := in.Open(t.Context(), email, digits)
			if err != nil || opened != want || (token != "") != want || (s != nil) != want {
				t.Errorf("opened %v, %v; want %v", opened, err, want)
			}
		}
		try(email, "000000", false) // there is none yet
		digits := fresh()
		try("eve@example.com", digits, false)
		try(email, wrong(digits), false)
		try(email, digits, true)
		try(email, digits, false) // once

		digits = fresh()
		for range 5 {
			try(email, wrong(digits), false)
		}
		try(email, digits, false) // the tries are spent

		digits = fresh()
		for range 4 {
			try(email, wrong(digits), false)
		}
		try(email, digits, true) // the fifth

		old := fresh()
		digits = fresh()
		if old != digits {
			try(email, old, false)
		}
		h.clock.Advance(account.CodeTime - time.Millisecond)
		try(email, digits, true)

		h.clock.Advance(time.Hour)
		digits = fresh()
		h.clock.Advance(account.CodeTime)
		try(email, digits, false)

		if c, _, err := in.Code(t.Context(), "nobody@example.com"); err != nil || c != nil {
			t.Errorf("a code for nobody: %v, %v", c, err)
		}
		elsewhere, err := seal.ParseKey(seal.NewMasterKey())
		h.must(err)
		digits = fresh()
		if _, _, opened, err := account.NewSignIn(h.Directory, elsewhere).Open(t.Context(), email, digits); err != nil || opened {
			t.Errorf("under another master key: %v, %v", opened, err)
		}
	})
}

func TestSignIn_ACodeIsOneSessionHoweverManyTry(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newHouse(t, d, "free")
		in := account.NewSignIn(h.Directory, master)
		c, digits, err := in.Code(t.Context(), h.a.Email)
		h.must(err)
		h.must(h.db.Write(t.Context(), c.Keep))
		opened := make([]bool, 4)
		for _, err := range together(4, func(i int) (err error) {
			_, _, opened[i], err = in.Open(background(), h.a.Email, digits)
			return err
		}) {
			h.must(err)
		}
		if n := h.int(`SELECT count(*) FROM account_sessions`); n != 1 {
			t.Errorf("%d sessions, %v", n, opened)
		}
	})
}

// Guesses are bounded by the database, whatever the node's own limits: five tries
// a code, and five codes in ten minutes.
func TestSignIn_FiveCodesInTenMinutes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newHouse(t, d, "free")
		in := account.NewSignIn(h.Directory, master)
		kept := func() int {
			n := 0
			for _, err := range together(8, func(int) error {
				c, _, err := in.Code(background(), h.a.Email)
				if err != nil {
					return err
				}
				return h.db.Write(background(), c.Keep)
			}) {
				if err == nil {
					n++
				} else if !errors.Is(err, account.ErrTooManyCodes) {
					t.Error(err)
				}
			}
			return n
		}
		if n := kept(); n != 5 {
			t.Errorf("%d codes", n)
		}
		h.clock.Advance(10*time.Minute - time.Millisecond)
		if n := kept(); n != 0 {
			t.Errorf("%d more", n)
		}
		h.clock.Advance(time.Millisecond)
		if n := kept(); n != 5 {
			t.Errorf("%d codes in the next ten minutes", n)
		}
		h.clock.Advance(25 * time.Hour)
		other := h.account("other@example.com", "free")
		c, _, err := in.Code(t.Context(), other.Email)
		h.must(err)
		h.must(h.db.Write(t.Context(), c.Keep))
		if n := h.int(`SELECT count(*) FROM sign_in_codes`); n != 1 {
			t.Errorf("%d rows: what is over stays", n)
		}
	})
}

func TestSession_WhatItLooksAt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newHouse(t, d, "free")
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
		if got := at(token); got != "Boutiquetrue true" {
			t.Error(got)
		}
		if got := at("x"); got != "over" {
			t.Error(got)
		}
		h.clock.Advance(time.Hour)
		s, m := h.join(second, h.a.Email)
		of, err := h.Belongings(t.Context(), h.a.Email)
		if err != nil || len(of) != 2 || !of[0].Owner || of[0].AccountID != h.a.ID || of[1].Owner || of[1].AccountID != second.ID {
			t.Errorf("%v, %+v", err, of)
		}
		third := h.account("third@example.com", "free")
		for id, want := range map[string]bool{second.ID: true, third.ID: false, "": false} {
			if found, err := h.LookAt(t.Context(), s, id); err != nil || found != want {
				t.Errorf("look at %q: %v, %v", id, found, err)
			}
		}
		if got := at(token); got != "Boutiquetrue true" { // another browser
			t.Error(got)
		}
		away := "away@example.com" // the owner has another address now: the old one opens nothing
		if _, err := h.Change(t.Context(), h.a.ID, &account.Change{Email: &away}); err != nil {
			t.Fatal(err)
		}
		if got := at(token); got != "no account" {
			t.Error(got)
		}
		if _, _, err := h.RemoveMember(t.Context(), second.ID, m.ID); err != nil {
			t.Fatal(err)
		}
		next := h.signIn(second.Email)
		h.clock.Advance(account.SessionTime - time.Millisecond)
		if got := at(next); got != "Boutiquefalse true" {
			t.Error(got)
		}
		h.clock.Advance(time.Millisecond)
		if got := at(next); got != "over" {
			t.Error(got)
		}
		last, err := h.Session(t.Context(), h.signIn(second.Email))
		h.must(err)
		h.must(h.CloseSession(t.Context(), last))
		h.must(h.CloseSession(t.Context(), last))
		if n := h.int(`SELECT count(*) FROM account_sessions WHERE email = $1 AND expires_at > $2`, second.Email, db.Ms(h.clock.Now())); n != 0 {
			t.Errorf("%d sessions are open", n)
		}
	})
}
