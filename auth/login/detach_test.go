package login_test

import (
	"errors"
	"net/url"
	"sync"
	"testing"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

func (s *service) detach(t *testing.T, tenantID, profileID string) *login.Ended {
	t.Helper()
	d, err := s.Detach(t.Context(), tenantID, profileID)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The number has changed hands: the person's live logins and tokens end, and the new owner of the number
// is a different person.
func TestDetach(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newPeople(t, d)
		before := s.complete(t, awa)
		open, token := s.prove(t, awa)
		back, err := url.Parse(s.read(t, open, token).RedirectURL)
		if err != nil {
			t.Fatal(err)
		}
		neighbour := s.complete(t, seydou)
		other := s.NewTenant(t, "Another")
		for _, of := range [][2]string{{other.ID, before.Profile.ID}, {s.Tenant.ID, s.Tenant.ID}} {
			if got := s.detach(t, of[0], of[1]); got != nil {
				t.Errorf("a foreign or absent person was detached: %+v", got)
			}
		}
		if got := s.detach(t, s.Tenant.ID, before.Profile.ID); got == nil || got.Logins != 1 || got.Tokens != 1 {
			t.Fatalf("detached %+v, want one login and one token ended", got)
		}
		if live, err := s.TokenLive(t.Context(), before.TokenID); live || err != nil {
			t.Errorf("the person's token is live: %v, %v", live, err)
		}
		if live, err := s.TokenLive(t.Context(), neighbour.TokenID); !live || err != nil {
			t.Errorf("another person's token is live: %v, %v, want it to be", live, err)
		}
		if status := s.read(t, open, token).Status; status != login.Expired {
			t.Errorf("the open login is %s, want EXPIRED", status)
		}
		_, err = s.Redeem(t.Context(), login.Exchange{Client: s.client, Code: back.Query().Get("code"), RedirectURI: authtest.Redirect, Caller: somewhere})
		if refusal, ok := errors.AsType[*apierror.Error](err); !ok || refusal.Kind.Status >= 500 {
			t.Errorf("the open login's code: %v, want a refusal", err)
		}
		p, err := s.Person(t.Context(), s.Tenant.ID, before.Profile.ID)
		if err != nil || p == nil || p.Phone != "" || p.DetachedAt.IsZero() || p.DisplayName != "Awa" {
			t.Errorf("the profile is %+v, %v, want it without a number", p, err)
		}
		after := s.complete(t, awa)
		if after.Profile.ID == before.Profile.ID || after.Profile.ID == "" {
			t.Errorf("the number's next owner is %q, want another than %q", after.Profile.ID, before.Profile.ID)
		}
		if got := s.detach(t, s.Tenant.ID, before.Profile.ID); got != nil {
			t.Errorf("detached again: %+v, want nothing", got)
		}
		if live, err := s.TokenLive(t.Context(), after.TokenID); !live || err != nil {
			t.Errorf("the next owner's token is live: %v, %v, want it to be", live, err)
		}
		list, err := s.PersonEvents(t.Context(), s.Tenant.ID, before.Profile.ID, 50)
		of := map[string]int{}
		for _, e := range list {
			of[e.Type]++
			if e.Type == tenant.PersonDetached && (e.Actor != tenant.ActorSystem || e.Phone != awa.Masked()) {
				t.Errorf("the event is %+v, want the operator's with the masked number", e)
			}
		}
		if err != nil || of[tenant.PersonDetached] != 1 || of[tenant.LoginCanceled] != 1 || of[tenant.TokenRevoked] != 1 {
			t.Errorf("the person's events are %v, %v, want one of each", of, err)
		}
		if n := s.Count(t, `SELECT count(*) FROM tenant_hook_events WHERE body LIKE '%number_detached%'`); n != 1 {
			t.Errorf("%d events for the endpoint say that the number was detached, want 1", n)
		}
		if got := s.detach(t, s.Tenant.ID, after.Profile.ID); got == nil || got.Tokens != 1 {
			t.Errorf("the next owner: %+v, want them detached, too", got)
		}
		if !s.erase(t, s.Tenant.ID, before.Profile.ID) {
			t.Error("a detached person was not erased")
		}
	})
}

// Of several concurrent calls, only one detaches, and logins that are proved at the same time have a profile.
func TestDetach_AtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newPeople(t, d)
		before := s.complete(t, awa)
		var work sync.WaitGroup
		detached, grants := make([]*login.Ended, 4), make([]*login.Grant, 4)
		for i := range detached {
			work.Go(func() {
				var err error
				if detached[i], err = s.Detach(t.Context(), s.Tenant.ID, before.Profile.ID); err != nil {
					t.Error(err)
				}
			})
		}
		for i := range grants {
			sessionID, token := s.prove(t, awa)
			back, err := url.Parse(s.read(t, sessionID, token).RedirectURL)
			if err != nil {
				t.Fatal(err)
			}
			grants[i], _ = s.Redeem(t.Context(), login.Exchange{Client: s.client, Code: back.Query().Get("code"), RedirectURI: authtest.Redirect, Caller: somewhere}) // refused if the detachment has ended it
		}
		work.Wait()
		n := 0
		for _, d := range detached {
			if d != nil {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d of four calls have detached, want 1", n)
		}
		after := s.complete(t, awa)
		if after.Profile.ID == before.Profile.ID {
			t.Error("the next owner has the subject of the person before")
		}
		for _, g := range grants {
			if g == nil || g.Profile.ID != before.Profile.ID && g.Profile.ID != after.Profile.ID {
				continue
			}
			if live, err := s.TokenLive(t.Context(), g.TokenID); err != nil || live != (g.Profile.ID == after.Profile.ID) {
				t.Errorf("a token of %s is live: %v, %v, want only those of %s", g.Profile.ID, live, err, after.Profile.ID)
			}
		}
	})
}

// A login that requests a person by their ID token is never proved for the number's next owner, in any order of the
// steps.
func TestDetach_WhileALoginAsksForThePerson(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newPeople(t, d)
		for range 30 {
			before := s.complete(t, awa)
			sessionID, token, err := s.Start(t.Context(), login.Request{Client: s.client, RedirectURI: authtest.Redirect, State: "0123456789abcdef", Caller: somewhere, Subject: before.Profile.ID})
			if err != nil {
				t.Fatal(err)
			}
			words := s.read(t, sessionID, token).Session.Words
			var work sync.WaitGroup
			work.Go(func() {
				if _, err := s.Detach(t.Context(), s.Tenant.ID, before.Profile.ID); err != nil {
					t.Error(err)
				}
			})
			work.Go(func() {
				_, err := s.Prove(t.Context(), login.Proof{SessionID: sessionID, Phone: awa, Words: words, Provider: login.WhatsApp, Caller: somewhere})
				if err != nil && !errors.Is(err, apierror.AuthPersonMismatch.Err()) {
					t.Error(err)
				}
			})
			work.Wait()
			if n := s.Count(t, `SELECT count(*) FROM login_sessions AS s JOIN profiles AS p ON p.tenant_id = s.tenant_id AND p.phone = s.phone AND p.mode = s.mode WHERE p.id <> s.subject AND s.status = 'VERIFIED'`); n > 0 {
				t.Fatal("the login was proved for the number's next owner")
			}
		}
	})
}
