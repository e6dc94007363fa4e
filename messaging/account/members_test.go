package account_test

import (
	"errors"
	"testing"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
)

// Rules: M166.
func TestInvitations_Rules(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		awa, eve := "awa@example.com", "eve@example.com"
		invite := func(email string) string {
			t.Helper()
			i, token := h.NewInvitation(h.a.ID, email, account.Membership{})
			h.must(h.StoreInvitation(t.Context(), i))
			return token
		}
		accept := func(s *account.Session, token string, want error) {
			t.Helper()
			if _, err := h.Accept(t.Context(), s, token); !errors.Is(err, want) {
				t.Errorf("accepting: %v, want %v", err, want)
			}
		}
		first := invite("Awa@Example.com ")
		token := invite(awa) // replaces the first one
		invite(eve)
		mine, hers := h.session(awa), h.session(eve)
		if mine.Caller != nil {
			t.Error("an invitation alone lets in")
		}
		accept(mine, "", account.ErrNoInvitation)
		accept(mine, first, account.ErrNoInvitation)
		accept(hers, token, account.ErrInvitationForeign)
		h.clock.Advance(account.InvitationTime - time.Millisecond)
		mine = h.session(awa)
		accept(mine, token, nil)
		accept(h.session(awa), token, account.ErrInvitationUsed)
		hers = h.session(eve)
		accept(hers, token, account.ErrInvitationForeign) // she must not learn the state of the invitation
		if n := h.int(`SELECT count(*) FROM members`); n != 1 {
			t.Errorf("%d members", n)
		}
		for _, email := range []string{"AWA@example.com", h.a.Email} {
			if err := h.MayInvite(t.Context(), h.a, email); !errors.Is(err, account.ErrAlreadyMember) {
				t.Errorf("inviting %s again: %v", email, err)
			}
		}
		late := invite(eve)
		h.clock.Advance(account.InvitationTime - time.Millisecond)
		hers = h.session(eve)
		h.clock.Advance(time.Millisecond)
		accept(hers, late, account.ErrInvitationExpired)
		open, err := h.Invitations(t.Context(), h.a.ID)
		if err != nil || len(open) != 0 {
			t.Errorf("open invitations %+v, %v", open, err)
		}
		back := invite(eve)
		open, err = h.Invitations(t.Context(), h.a.ID)
		h.must(err)
		other := h.account("other@example.com", "free")
		for _, tc := range []struct {
			accountID string
			want      bool
		}{{other.ID, false}, {h.a.ID, true}, {h.a.ID, false}} {
			if found, err := h.RevokeInvitation(t.Context(), tc.accountID, open[0].ID); err != nil || found != tc.want {
				t.Errorf("taken back: %v, %v", found, err)
			}
		}
		accept(hers, back, account.ErrNoInvitation)
	})
}

// A person with a hijacked number cannot join accounts with it.
// Rules: M166.
func TestInvitations_NeedARecentCode(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		own := h.account("awa@example.com", "free")
		h.must(h.AllowWhatsAppSignIn(t.Context(), &account.Caller{Account: h.a, Kind: account.Dashboard, Role: account.RoleOwner, CodeAt: h.clock.Now()}, false))
		i, token := h.NewInvitation(h.a.ID, own.Email, account.Membership{})
		h.must(h.StoreInvitation(t.Context(), i))
		byCode := h.session(own.Email)
		h.link(byCode, "awa")
		byWhatsApp, err := h.Session(t.Context(), h.byWhatsApp("awa"))
		h.must(err)
		refuses := func(what string, s *account.Session) {
			t.Helper()
			if _, err := h.Accept(t.Context(), s, token); !errors.Is(err, apierror.RecentCodeRequired.Err()) {
				t.Errorf("%s, by the link: %v, want %v", what, err, apierror.RecentCodeRequired.Err())
			}
			if _, err := h.AcceptOffer(t.Context(), s, i.ID); !errors.Is(err, apierror.RecentCodeRequired.Err()) {
				t.Errorf("%s, by the offer: %v, want %v", what, err, apierror.RecentCodeRequired.Err())
			}
		}
		refuses("a session by WhatsApp", byWhatsApp)
		h.clock.Advance(account.RecentCode)
		refuses("a session whose code is old", byCode)
		if n := h.int(`SELECT count(*) FROM members`); n != 0 {
			t.Errorf("%d members, want none", n)
		}
		if _, err := h.AcceptOffer(t.Context(), h.session(own.Email), i.ID); err != nil {
			t.Errorf("with a recent code: %v", err)
		}
	})
}

// In a restored database, an invitation might have been accepted since the backup, and its member removed.
func TestVoidSessions_EndsInvitationsAndSessions(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		i, _ := h.NewInvitation(h.a.ID, "awa@example.com", account.Membership{})
		h.must(h.StoreInvitation(t.Context(), i))
		before := h.signIn("awa@example.com")
		var ended int64
		h.must(d.Write(t.Context(), func(tx *db.Tx) (err error) {
			ended, err = account.VoidSessions(tx, h.clock.Now())
			return err
		}))
		if open, err := h.Invitations(t.Context(), h.a.ID); err != nil || len(open) != 0 {
			t.Errorf("open invitations %+v, %v", open, err)
		}
		late, fresh := h.NewInvitation(h.a.ID, "eve@example.com", account.Membership{})
		h.must(h.StoreInvitation(t.Context(), late))
		if _, err := h.Accept(t.Context(), h.session("eve@example.com"), fresh); err != nil {
			t.Errorf("an invitation from after: %v", err)
		}
		s, err := h.Session(t.Context(), before)
		if err != nil || s != nil || ended != 1 {
			t.Errorf("%d sessions have ended; one from before is %+v, %v", ended, s, err)
		}
	})
}

// Rules: M166.
func TestInvitations_AcceptedOnceHoweverManyTry(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		i, token := h.NewInvitation(h.a.ID, "awa@example.com", account.Membership{})
		h.must(h.StoreInvitation(t.Context(), i))
		sessions := make([]*account.Session, 8)
		for i := range sessions {
			sessions[i] = h.session("awa@example.com")
		}
		won := 0
		for _, err := range callTogether(8, func(i int) error { _, err := h.Accept(t.Context(), sessions[i], token); return err }) {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, account.ErrInvitationUsed):
				t.Errorf("got %v, want no error or %v", err, account.ErrInvitationUsed)
			}
		}
		if n := h.int(`SELECT count(*) FROM members`); won != 1 || n != 1 {
			t.Errorf("%d accepted it, %d members", won, n)
		}
	})
}

// Rules: M167.
func TestRemoval_TakesKeysAndSessionsAlong(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		p, err := h.CreateProject(t.Context(), h.a.ID, "Boutique")
		h.must(err)
		_, awa := h.addMember(h.a, "awa@example.com")
		_, eve := h.addMember(h.a, "eve@example.com")
		token := h.signIn("awa@example.com")
		keyOf := func(memberID string) string {
			_, secret := h.key(account.KeySpec{AccountID: h.a.ID, Kind: account.ProjectKey, ProjectID: p.ID, MemberID: memberID})
			return secret
		}
		hers, others, owners := []string{keyOf(awa.ID), keyOf(awa.ID)}, keyOf(eve.ID), keyOf("")
		for _, key := range append(hers, others, owners) {
			if !h.opens(key) {
				t.Fatal("a new key opens nothing")
			}
		}
		if s, err := h.Session(t.Context(), token); err != nil || s.Caller == nil || s.Caller.MemberID != awa.ID || s.Caller.Owner() {
			t.Fatalf("%v, %+v", err, s)
		}
		other := h.account("other@example.com", "free")
		if _, found, err := h.RemoveMember(t.Context(), other.ID, awa.ID); err != nil || found {
			t.Errorf("another account's member: %v, %v", found, err)
		}
		n, found, err := h.RemoveMember(t.Context(), h.a.ID, awa.ID)
		if err != nil || !found || n != 2 {
			t.Fatalf("%d keys, %v, %v", n, found, err)
		}
		if h.opens(hers[0]) || h.opens(hers[1]) || !h.opens(others) || !h.opens(owners) {
			t.Error("not exactly the member's keys are revoked")
		}
		if s, err := h.Session(t.Context(), token); err != nil || s != nil {
			t.Errorf("the session of a removed member is open: %+v, %v", s, err)
		}
		if _, _, err := h.MakeKey(t.Context(), account.KeySpec{AccountID: h.a.ID, Kind: account.ProjectKey, ProjectID: p.ID, MemberID: awa.ID}); !errors.Is(err, account.ErrNoMember) {
			t.Errorf("a key of who was removed: %v", err)
		}
		if _, found, err := h.RemoveMember(t.Context(), h.a.ID, awa.ID); err != nil || found {
			t.Errorf("again: %v, %v", found, err)
		}
		again, back := h.addMember(h.a, "awa@example.com") // and may come back
		if back.ID == awa.ID || again == nil || h.opens(hers[0]) {
			t.Error("who came back has what they had")
		}
	})
}

// A key that is created while its creator is removed is either refused or revoked.
// Rules: M167.
func TestRemoval_LeavesNoKeyBehindThatIsMadeMeanwhile(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		p, err := h.CreateProject(t.Context(), h.a.ID, "Boutique")
		h.must(err)
		for range 10 {
			_, m := h.addMember(h.a, "awa@example.com")
			for _, err := range callTogether(6, func(i int) error {
				if i%3 == 0 { // two concurrent removals
					_, _, err := h.RemoveMember(t.Context(), h.a.ID, m.ID)
					return err
				}
				_, _, err := h.MakeKey(t.Context(), account.KeySpec{AccountID: h.a.ID, Kind: account.ProjectKey, ProjectID: p.ID, MemberID: m.ID})
				return err
			}) {
				if err != nil && !errors.Is(err, account.ErrNoMember) {
					t.Errorf("got %v, want no error or %v", err, account.ErrNoMember)
				}
			}
			if n := h.int(`SELECT count(*) FROM api_keys WHERE revoked_at IS NULL`); n != 0 {
				t.Fatalf("%d keys outlived their maker", n)
			}
			h.clock.Advance(time.Hour) // codes are counted
		}
	})
}

func TestRemoval_AtOnceIsOne(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		_, m := h.addMember(h.a, "awa@example.com")
		founds := make([]bool, 6)
		for _, err := range callTogether(6, func(i int) (err error) {
			_, founds[i], err = h.RemoveMember(t.Context(), h.a.ID, m.ID)
			return err
		}) {
			h.must(err)
		}
		n := 0
		for _, f := range founds {
			if f {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d removals of one member", n)
		}
	})
}
