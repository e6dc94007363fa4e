package login_test

import (
	"database/sql"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/gateway"
	"example.com/griot/internal/actor"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

const (
	awa    = phone.Number("22376543210")
	seydou = phone.Number("22365432109")
)

// newPeople returns the service, with a tenant whose endpoint gets events of logins.
func newPeople(t *testing.T, d *db.DB) *service {
	t.Helper()
	w := authtest.New(t, d)
	w.Exec(t, "UPDATE tenants SET webhook_url = 'https://app.example/hook' WHERE id = $1", w.Tenant.ID)
	c := w.NewClient(t, tenant.Public, tenant.Live)
	found, err := w.Tenants.Client(t.Context(), c.ClientID)
	if err != nil {
		t.Fatal(err)
	}
	return &service{w, w.NewLogins(), found}
}

var somewhere = tenant.Caller{IP: netip.MustParseAddr("203.0.113.7")}

// prove starts a login and proves it with a number and the name Awa.
func (s *service) prove(t *testing.T, number phone.Number) (sessionID, token string) {
	t.Helper()
	return s.proveAs(t, number, "Awa")
}

// proveAs proves a login with another name.
func (s *service) proveAs(t *testing.T, number phone.Number, name string) (sessionID, token string) {
	t.Helper()
	sessionID, token, err := s.Start(t.Context(), login.Request{Client: s.client, RedirectURI: authtest.Redirect, State: "0123456789abcdef", Lang: i18n.EN, Caller: somewhere})
	if err != nil {
		t.Fatal(err)
	}
	session := s.read(t, sessionID, token).Session
	if _, err := s.Prove(t.Context(), login.Proof{SessionID: sessionID, Phone: number, DisplayName: name, MessageID: "m" + sessionID, Words: session.Words, Provider: login.WhatsApp}); err != nil {
		t.Fatal(err)
	}
	return sessionID, token
}

// complete starts a login, proves it, and exchanges its code.
func (s *service) complete(t *testing.T, number phone.Number) *login.Grant {
	t.Helper()
	sessionID, token := s.prove(t, number)
	back, err := url.Parse(s.read(t, sessionID, token).RedirectURL)
	if err != nil {
		t.Fatal(err)
	}
	grant, err := s.Redeem(t.Context(), login.Exchange{Client: s.client, Code: back.Query().Get("code"), RedirectURI: authtest.Redirect, Caller: somewhere})
	if err != nil {
		t.Fatal(err)
	}
	return grant
}

func (s *service) erase(t *testing.T, tenantID, profileID string) bool {
	t.Helper()
	erased, err := s.Erase(actor.With(t.Context(), actor.Actor{Type: actor.Tenant}), tenantID, profileID)
	if err != nil {
		t.Fatal(err)
	}
	return erased
}

func TestPeople_AreListedAndFound(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newPeople(t, d)
		first := s.complete(t, awa)
		began := s.Clock.Now()
		s.Clock.Advance(48 * time.Hour)
		s.complete(t, awa)
		second := s.complete(t, seydou)
		page, next, err := s.ListPeople(t.Context(), s.Tenant.ID, "", 1)
		if err != nil || len(page) != 1 || page[0].ID != second.Profile.ID || next != page[0].ID {
			t.Fatalf("got %+v, next %q, %v; want the newest and a cursor", page, next, err)
		}
		page, next, err = s.ListPeople(t.Context(), s.Tenant.ID, next, 1)
		if err != nil || len(page) != 1 || page[0].ID != first.Profile.ID || next != "" {
			t.Fatalf("got %+v, next %q, %v; want the other and an end", page, next, err)
		}
		if p := page[0]; !p.FirstSeenAt.Equal(began) || !p.LastSeenAt.Equal(s.Clock.Now()) || p.DisplayName != "Awa" || p.Mode != tenant.Live {
			t.Errorf("got %+v, want first %s, last %s", p, began, s.Clock.Now())
		}
		found, err := s.FindPeople(t.Context(), s.Tenant.ID, awa)
		if err != nil || len(found) != 1 || found[0].ID != first.Profile.ID {
			t.Errorf("by number: %+v, %v", found, err)
		}
		events, err := s.PersonEvents(t.Context(), s.Tenant.ID, first.Profile.ID, 10)
		of := map[string]int{}
		for _, e := range events {
			of[e.Type]++
		}
		if err != nil || len(events) != 4 || of[tenant.TokenIssued] != 2 || of[tenant.LoginVerified] != 2 {
			t.Errorf("events %v, %v; want two logins", of, err)
		}
		other := s.NewTenant(t, "Another")
		if p, err := s.Person(t.Context(), other.ID, first.Profile.ID); err != nil || p != nil {
			t.Errorf("another tenant sees %+v, %v", p, err)
		}
		if found, err := s.FindPeople(t.Context(), other.ID, awa); err != nil || len(found) != 0 {
			t.Errorf("another tenant finds %+v, %v", found, err)
		}
	})
}

// Rules: L172.
func TestErase_LeavesNothingOfAPerson(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newPeople(t, d)
		old := s.complete(t, awa)
		s.Clock.Advance(48 * time.Hour)
		if err := s.Sweep(t.Context()); err != nil { // the first login's session
			t.Fatal(err)
		}
		grant := s.complete(t, awa)
		s.prove(t, awa) // not yet exchanged
		kept := s.complete(t, seydou)
		if err := s.RevokeToken(t.Context(), s.client, grant.TokenID, somewhere); err != nil {
			t.Fatal(err)
		}
		live := s.complete(t, awa)
		for number, id := range map[phone.Number]string{awa: "ML.9001", seydou: "ML.9002"} {
			in := gateway.Inbound{From: string(number), Person: gateway.PersonID{Portfolio: "shops", ID: id}, At: s.Clock.Now()}
			if _, err := s.Identity.Inbound(t.Context(), &in); err != nil {
				t.Fatal(err)
			}
		}
		if s.erase(t, s.NewTenant(t, "Another").ID, grant.Profile.ID) || s.erase(t, s.Tenant.ID, id.New(s.Clock.Now())) {
			t.Error("a foreign or an absent person was erased")
		}
		if !s.erase(t, s.Tenant.ID, grant.Profile.ID) {
			t.Fatal("nothing was erased")
		}
		if s.erase(t, s.Tenant.ID, grant.Profile.ID) {
			t.Error("the same person was erased twice")
		}
		for _, table := range []string{"profiles", "login_sessions", "login_proofs", "audit_events", "tenant_hook_events", "whatsapp_ids"} {
			if text := s.dump(t, table); strings.Contains(text, string(awa)) || strings.Contains(text, awa.Masked()) || strings.Contains(text, grant.Profile.ID) {
				t.Errorf("%s still has the person: %s", table, text)
			}
		}
		for _, g := range []*login.Grant{old, grant, live} {
			if n := s.Count(t, `SELECT count(*) FROM audit_events WHERE login_id = $1 AND (ip IS NOT NULL OR phone IS NOT NULL)`, g.SessionID); n != 0 {
				t.Errorf("%d events of login %s have a network or a number", n, g.SessionID)
			}
			if n := s.Count(t, `SELECT count(*) FROM login_proofs WHERE session_id = $1`, g.SessionID); n != 0 {
				t.Errorf("the message of login %s is still known", g.SessionID)
			}
			if ok, err := s.TokenLive(t.Context(), g.TokenID); ok || err != nil {
				t.Errorf("the token %s is live: %v, %v", g.TokenID, ok, err)
			}
		}
		if text := s.dump(t, "whatsapp_ids"); !strings.Contains(text, "ML.9002") {
			t.Errorf("another person's ID is gone: %s", text)
		}
		if ok, err := s.TokenLive(t.Context(), kept.TokenID); !ok || err != nil {
			t.Errorf("another person's token: live %v, %v", ok, err)
		}
		if err := s.Tenants.StoreCounts(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := s.Count(t, `SELECT count(*) FROM audit_events WHERE login_id = $1 AND ip IS NOT NULL`, kept.SessionID); n != 1 {
			t.Errorf("%d events of another person have a network, want the exchange", n)
		}
		if n := s.Count(t, `SELECT count(*) FROM tenant_hook_events WHERE tenant_id = $1`, s.Tenant.ID); n != 2 {
			t.Errorf("%d events for the endpoint, want the two of another person", n)
		}
		if n := s.Count(t, `SELECT CAST(SUM(count) AS BIGINT) FROM audit_events WHERE type = 'login.started'`); n != 5 {
			t.Errorf("%d starts, want all 5: the statistics stay", n)
		}
		if n := s.Count(t, `SELECT count(*) FROM audit_events WHERE type = 'person.erased' AND actor = 'tenant' AND phone IS NULL AND login_id IS NULL AND profile_id IS NULL`); n != 1 {
			t.Errorf("%d events of the erasure, want 1", n)
		}
		s.Clock.Advance(time.Minute)
		if again := s.complete(t, awa); again.Profile.ID == grant.Profile.ID || !again.Profile.FirstSeenAt.Equal(s.Clock.Now()) {
			t.Errorf("the next login has the profile %+v, want a new one", again.Profile)
		}
	})
}

// dump returns the content of a table as text.
func (s *service) dump(t *testing.T, table string) string {
	t.Helper()
	columns := map[string]string{
		"profiles": "id || phone", "login_sessions": "id || COALESCE(phone, '')", "login_proofs": "message_id || session_id",
		"audit_events": "type || COALESCE(phone, '') || COALESCE(profile_id, '')", "tenant_hook_events": "body", "whatsapp_ids": "id || number",
	}[table]
	text, column := "", ""
	err := s.DB.Read(t.Context()).Each(scanInto(&column, func() { text += column + "\n" }), "SELECT "+columns+" FROM "+table)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The erasure needs more than one transaction. Afterward, neither SQLite's file nor its
// write-ahead log contains data of an erased person.
// Rules: L172.
func TestErase_NothingStaysInTheFiles(t *testing.T) {
	t.Parallel()
	s := newPeople(t, dbtest.SQLite(t))
	s.complete(t, seydou)
	grant := s.complete(t, awa)
	s.complete(t, seydou)
	if len(dbtest.FilesWith(t, s.DB, string(awa))) == 0 {
		t.Fatal("the number is in no file before")
	}
	if !s.erase(t, s.Tenant.ID, grant.Profile.ID) {
		t.Fatal("nothing was erased")
	}
	if found := dbtest.FilesWith(t, s.DB, string(awa)); len(found) > 0 {
		t.Errorf("the files have %q", found)
	}
}

func TestErase_AnyNumberOfLogins(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newPeople(t, d)
		profile := s.complete(t, awa).Profile.ID
		s.Write(t, func(tx *db.Tx) error {
			for range 350 {
				at := s.Clock.Now()
				if err := tenant.Record(tx, &tenant.Event{ID: id.New(at), TenantID: s.Tenant.ID, Type: tenant.LoginDuplicate, At: at, Actor: tenant.ActorUser, LoginID: id.New(at), Mode: tenant.Live, Phone: awa, Caller: somewhere}); err != nil {
					return err
				}
			}
			return nil
		})
		if !s.erase(t, s.Tenant.ID, profile) {
			t.Fatal("nothing was erased")
		}
		if n := s.Count(t, `SELECT count(*) FROM audit_events WHERE profile_id IS NOT NULL OR phone IS NOT NULL`); n != 0 {
			t.Errorf("%d events still have the person", n)
		}
	})
}

// In any order, one of several erasures erases, and a person who signs in at the same time has one complete
// profile or none.
func TestErase_Concurrently(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newPeople(t, d)
		for round := range 10 {
			profile := s.complete(t, awa).Profile.ID
			var wg sync.WaitGroup
			var mu sync.Mutex
			erased := 0
			for range 3 {
				wg.Go(func() {
					if s.erase(t, s.Tenant.ID, profile) {
						mu.Lock()
						erased++
						mu.Unlock()
					}
				})
				wg.Go(func() { s.prove(t, awa) })
			}
			wg.Wait()
			if erased != 1 {
				t.Fatalf("%d erasures have erased, want 1", erased)
			}
			if n := s.Count(t, `SELECT count(*) FROM audit_events WHERE type = 'person.erased'`); n != round+1 {
				t.Fatalf("%d events of %d erasures", n, round+1)
			}
			if n := s.Count(t, `SELECT count(*) FROM profiles WHERE id = $1`, profile); n != 0 {
				t.Fatal("the profile is still there")
			}
			if n := s.Count(t, `SELECT count(*) FROM login_sessions s WHERE s.phone IS NOT NULL AND NOT EXISTS (SELECT 1 FROM profiles p WHERE p.phone = s.phone)`); n != 0 {
				t.Fatalf("%d logins without a profile", n)
			}
		}
	})
}

func scanInto(column *string, row func()) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		err := rows.Scan(column)
		row()
		return err
	}
}

// A name that nobody can see is unknown: it doesn't replace the person's name.
// Rules: L115.
func TestProve_AnInvisibleName(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newPeople(t, d)
		for _, tt := range []struct{ name, want string }{{"\u3164 ", ""}, {" Awa\u200b", "Awa"}, {"\u3164", "Awa"}, {"\u00a0\u2800", "Awa"}, {"", "Awa"}, {"Awa T.", "Awa T."}} {
			s.proveAs(t, awa, tt.name)
			if found, err := s.FindPeople(t.Context(), s.Tenant.ID, awa); err != nil || len(found) != 1 || found[0].DisplayName != tt.want {
				t.Errorf("after %+q: %+v, %v, want the name %q", tt.name, found, err, tt.want)
			}
		}
	})
}
