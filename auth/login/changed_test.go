package login_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/gateway"
	"example.com/griot/gateway/identity"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/phone"
)

const (
	newAwa   = phone.Number("22376543299")
	thirdAwa = phone.Number("22376543288")
)

// node returns the service of another node. Its gateway serves a receiver.
func (s *service) node() *service {
	l := s.NewLogins(func(o *login.Options) { o.Receivers[0].Gateway = "meta" })
	return &service{s.World, l, s.client}
}

// newChanging returns a service whose gateway reports changed numbers.
func newChanging(t *testing.T, d *db.DB) *service { return newPeople(t, d).node() }

// changes reports that a person has another number.
func (s *service) changes(t *testing.T, from, to phone.Number, at time.Time) {
	t.Helper()
	s.reports(t, &gateway.Change{Gateway: "meta", Channel: gateway.WhatsApp, Kind: gateway.NumberChanged, To: "22370000001", OldNumber: string(from), From: string(to), At: at})
}

func (s *service) reports(t *testing.T, c *gateway.Change) {
	t.Helper()
	if err := s.NumberChanged(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// reported requires that a profile has a reported number.
func (s *service) reported(t *testing.T, profileID string, want phone.Number, at time.Time) {
	t.Helper()
	p, err := s.Person(t.Context(), s.Tenant.ID, profileID)
	if err != nil || p == nil || p.NewPhone != want || !p.ChangedAt.Equal(at) {
		t.Errorf("the person is %+v, %v, want the reported number %q of %s", p, err, want, at)
	}
}

// told returns the old and the new numbers of the events for the tenant's endpoint.
func (s *service) told(t *testing.T) (list [][2]string) {
	t.Helper()
	bodies, err := db.Select(s.DB.Read(t.Context()), func(scan db.Scan, body *string) error { return scan(body) },
		`SELECT body FROM tenant_hook_events WHERE type = 'person.number_changed' ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range bodies {
		var b struct {
			Old string `json:"phone_e164"`
			New string `json:"new_phone_e164"`
		}
		if err := json.Unmarshal([]byte(body), &b); err != nil {
			t.Fatal(err)
		}
		list = append(list, [2]string{b.Old, b.New})
	}
	return list
}

// tells requires the numbers of the events, in any order.
func (s *service) tells(t *testing.T, want ...[2]phone.Number) {
	t.Helper()
	got := s.told(t)
	for _, w := range want {
		i := slices.Index(got, [2]string{string(w[0]), string(w[1])})
		if i < 0 {
			t.Errorf("the endpoint gets %v, want %v", got, want)
			return
		}
		got = slices.Delete(got, i, i+1)
	}
	if len(got) > 0 {
		t.Errorf("the endpoint also gets %v", got)
	}
}

func (s *service) move(t *testing.T, profileID string, to phone.Number) *login.Ended {
	t.Helper()
	ended, err := s.Move(t.Context(), s.Tenant.ID, profileID, to)
	if err != nil {
		t.Fatal(err)
	}
	return ended
}

func (s *service) notMoved(t *testing.T, tenantID, profileID string, to phone.Number, want *apierror.Kind) {
	t.Helper()
	if ended, err := s.Move(t.Context(), tenantID, profileID, to); ended != nil || !errors.Is(err, want.Err()) {
		t.Errorf("moved: %+v, %v, want %s", ended, err, want.Code)
	}
}

// A changed number is told once to each tenant that has the person, however often it is reported, and on whatever node.
// Rules: L207.
func TestNumberChanged_IsToldOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newChanging(t, d)
		awas := s.complete(t, awa).Profile.ID
		s.complete(t, seydou)
		at := s.Clock.Now()
		c := s.NewClient(t, tenant.Public, tenant.Test)
		test := *s
		test.client = c.Client
		sandbox := test.complete(t, awa).Profile.ID
		s.Clock.Advance(time.Minute)
		nodes := []*service{s, s.node()}
		var work sync.WaitGroup
		for i := range 8 {
			work.Go(func() { nodes[i%2].changes(t, awa, newAwa, at) })
		}
		work.Wait()
		s.changes(t, awa, newAwa, at.Add(time.Second)) // reported at another number of ours
		s.reported(t, awas, newAwa, at)
		s.reported(t, sandbox, "", time.Time{})
		s.tells(t, [2]phone.Number{awa, newAwa})
		if n := s.Count(t, `SELECT count(*) FROM audit_events WHERE type = 'person.number_changed' AND actor = 'gateway:meta' AND tenant_id = $1 AND profile_id = $2 AND phone = $3`,
			s.Tenant.ID, awas, newAwa.Masked()); n != 1 {
			t.Errorf("%d audit events, want 1", n)
		}
		if n := s.Count(t, `SELECT count(*) FROM tenant_hook_events WHERE type = 'person.number_changed' AND body LIKE '%"subject":"'||$1||'"%' AND body NOT LIKE '%"amr"%' AND body LIKE '%"mode":"LIVE"%'`, awas); n != 1 {
			t.Errorf("%d events name the subject, want 1", n)
		}
	})
}

// Reports arrive in any order. The latest counts, and a report of the profile's own number ends the offer.
// Rules: L207.
func TestNumberChanged_InAnyOrder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newChanging(t, d)
		awas, start := s.complete(t, awa).Profile.ID, s.Clock.Now()
		at := func(minute int) time.Time { return start.Add(time.Duration(minute) * time.Minute) }
		s.Clock.Advance(time.Hour)
		s.changes(t, awa, newAwa, at(20))
		s.changes(t, awa, seydou, at(10)) // older
		s.reported(t, awas, newAwa, at(20))
		s.changes(t, newAwa, thirdAwa, at(30))
		s.reported(t, awas, thirdAwa, at(30))
		s.changes(t, awa, seydou, at(35)) // of the old number's next owner
		s.reported(t, awas, thirdAwa, at(30))
		s.changes(t, thirdAwa, awa, at(40))
		s.reported(t, awas, "", time.Time{})
		s.changes(t, awa, newAwa, at(20)) // delivered again
		s.changes(t, thirdAwa, awa, at(40))
		s.reported(t, awas, "", time.Time{})
		s.notMoved(t, s.Tenant.ID, awas, thirdAwa, apierror.AuthNumberNotReported)
		s.changes(t, awa, newAwa, at(50))
		s.reported(t, awas, newAwa, at(50))
		s.tells(t, [2]phone.Number{awa, newAwa}, [2]phone.Number{awa, thirdAwa}, [2]phone.Number{awa, awa}, [2]phone.Number{awa, newAwa})
	})
}

// Other reports change nothing.
// Rules: L207.
func TestNumberChanged_Ignores(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newChanging(t, d)
		began := s.Clock.Now()
		s.Clock.Advance(time.Hour)
		awas := s.complete(t, awa).Profile.ID
		seydous := s.complete(t, seydou).Profile.ID
		if _, err := s.Detach(t.Context(), s.Tenant.ID, seydous); err != nil {
			t.Fatal(err)
		}
		base := gateway.Change{Gateway: "meta", Channel: gateway.WhatsApp, Kind: gateway.NumberChanged, OldNumber: string(awa), From: string(newAwa), At: s.Clock.Now()}
		for name, change := range map[string]func(*gateway.Change){
			"another kind":                func(c *gateway.Change) { c.Kind = gateway.IDChanged },
			"a gateway without receivers": func(c *gateway.Change) { c.Gateway = "shop" },
			"no gateway":                  func(c *gateway.Change) { c.Gateway = "" },
			"SMS":                         func(c *gateway.Change) { c.Channel = gateway.SMS },
			"no new number":               func(c *gateway.Change) { c.From = "" },
			"an ID as the new number":     func(c *gateway.Change) { c.From = "ML.9001" },
			"no old number":               func(c *gateway.Change) { c.OldNumber, c.OldID = "", "ML.9001" },
			"one number":                  func(c *gateway.Change) { c.From = c.OldNumber },
			"before the first login":      func(c *gateway.Change) { c.At = began },
			"a detached number":           func(c *gateway.Change) { c.OldNumber = string(seydou) },
			"a detached profile's ID":     func(c *gateway.Change) { c.OldNumber = seydous },
		} {
			c := base
			change(&c)
			s.reports(t, &c)
			if got := s.told(t); len(got) > 0 {
				t.Fatalf("%s: told %v", name, got)
			}
		}
		base.At = s.Clock.Now().Add(time.Hour) // the gateway's clock is fast
		s.reports(t, &base)
		s.reported(t, awas, newAwa, s.Clock.Now())
	})
}

// Each tenant is told, although one transaction doesn't mark all.
// Rules: L207.
func TestNumberChanged_AtManyTenants(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newChanging(t, d)
		const tenants = 230
		for _, into := range []string{
			`INSERT INTO tenants (id, name, created_at, webhook_url) SELECT 't' || CAST(i AS TEXT), 'T', 0, 'https://app.example/hook'`,
			`INSERT INTO profiles (id, tenant_id, phone, mode, metadata, first_seen_at) SELECT 'p' || CAST(i AS TEXT), 't' || CAST(i AS TEXT), '` + string(awa) + `', 'LIVE', '{}', 0`,
		} {
			s.Exec(t, fmt.Sprintf(`%s FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i FROM n) AS numbered`, into, tenants))
		}
		s.changes(t, awa, newAwa, s.Clock.Now())
		s.changes(t, awa, newAwa, s.Clock.Now())
		if n := s.Count(t, `SELECT count(DISTINCT tenant_id) FROM tenant_hook_events WHERE type = 'person.number_changed'`); n != tenants {
			t.Errorf("%d tenants were told, want %d", n, tenants)
		}
		if got := len(s.told(t)); got != tenants {
			t.Errorf("%d events, want %d", got, tenants)
		}
	})
}

// A moved person has the same subject with the new number, and the old number's next owner has another one.
// Rules: L208.
func TestMove(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newChanging(t, d)
		before := s.complete(t, awa)
		awas := before.Profile.ID
		open, token := s.prove(t, awa)
		back, err := url.Parse(s.read(t, open, token).RedirectURL)
		if err != nil {
			t.Fatal(err)
		}
		neighbour := s.complete(t, seydou)
		at := s.Clock.Now()
		s.notMoved(t, s.Tenant.ID, awas, newAwa, apierror.AuthNumberNotReported)
		s.changes(t, awa, newAwa, at)
		for _, of := range [][2]string{{s.NewTenant(t, "Another").ID, awas}, {s.Tenant.ID, s.Tenant.ID}} {
			s.notMoved(t, of[0], of[1], newAwa, apierror.AuthPersonNotFound)
		}
		s.notMoved(t, s.Tenant.ID, awas, thirdAwa, apierror.AuthNumberNotReported)
		s.notMoved(t, s.Tenant.ID, awas, awa, apierror.AuthNumberNotReported)
		if got := s.move(t, awas, newAwa); got.Logins != 1 || got.Tokens != 1 {
			t.Errorf("moved: %+v, want one login and one token ended", got)
		}
		s.notMoved(t, s.Tenant.ID, awas, newAwa, apierror.AuthNumberNotReported)
		for _, g := range []*login.Grant{before, neighbour} {
			if live, err := s.TokenLive(t.Context(), g.TokenID); live != (g == neighbour) || err != nil {
				t.Errorf("the token of %s is live: %v, %v", g.Profile.Phone, live, err)
			}
		}
		_, err = s.Redeem(t.Context(), login.Exchange{Client: s.client, Code: back.Query().Get("code"), RedirectURI: authtest.Redirect, Caller: somewhere})
		if refusal, ok := errors.AsType[*apierror.Error](err); !ok || refusal.Kind.Status >= 500 {
			t.Errorf("the open login's code: %v, want a refusal", err)
		}
		if after := s.complete(t, newAwa); after.Profile.ID != awas {
			t.Errorf("the login with the new number is %q, want %q", after.Profile.ID, awas)
		}
		next := s.complete(t, awa)
		if next.Profile.ID == awas {
			t.Error("the old number's next owner has the subject of the person before")
		}
		s.changes(t, awa, newAwa, at) // delivered again
		s.reported(t, awas, "", time.Time{})
		s.reported(t, next.Profile.ID, newAwa, at) // the clock stands still, so this report can be of the next owner
		list, err := s.PersonEvents(t.Context(), s.Tenant.ID, awas, 50)
		of := map[string]int{}
		for _, e := range list {
			of[e.Type]++
			if e.Type == tenant.PersonMoved && (e.Actor != tenant.ActorSystem || e.Phone != newAwa.Masked()) {
				t.Errorf("the event is %+v, want the operator's with the masked number", e)
			}
		}
		if err != nil || of[tenant.PersonMoved] != 1 || of[tenant.NumberChanged] != 1 || of[tenant.LoginCanceled] != 1 || of[tenant.TokenRevoked] != 1 {
			t.Errorf("the person's events are %v, %v, want one of each", of, err)
		}
		if n := s.Count(t, `SELECT count(*) FROM tenant_hook_events WHERE type = 'login.revoked' AND body LIKE '%"reason":"number_changed"%'`); n != 1 {
			t.Errorf("%d events for the endpoint say that the number has changed, want 1", n)
		}
	})
}

// A report that arrives again after the move isn't about the number's next owner.
// Rules: L208.
func TestMove_TheReportIsDeliveredAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newChanging(t, d)
		awas, at := s.complete(t, awa).Profile.ID, s.Clock.Now()
		s.Clock.Advance(time.Minute)
		s.changes(t, awa, newAwa, at)
		s.move(t, awas, newAwa)
		next := s.complete(t, awa).Profile.ID
		s.changes(t, awa, newAwa, at)
		s.reported(t, next, "", time.Time{})
		s.changes(t, newAwa, thirdAwa, s.Clock.Now()) // the moved person changes the number once more
		s.reported(t, awas, thirdAwa, s.Clock.Now())
	})
}

// A profile isn't moved to the number of another one, until the tenant has erased or detached that one.
// Rules: L208.
func TestMove_TheNumberHasAProfile(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for _, free := range []func(s *service, t *testing.T, other string){
			func(s *service, t *testing.T, other string) { s.detach(t, s.Tenant.ID, other) },
			func(s *service, t *testing.T, other string) {
				s.erase(t, s.Tenant.ID, other)
				s.Clock.Advance(time.Minute)
				s.changes(t, awa, newAwa, s.Clock.Now()) // the erasure has removed the report
			},
		} {
			s := newChanging(t, d)
			before := s.complete(t, awa)
			s.changes(t, awa, newAwa, s.Clock.Now())
			other := s.complete(t, newAwa).Profile.ID
			s.notMoved(t, s.Tenant.ID, before.Profile.ID, newAwa, apierror.AuthNumberTaken)
			if live, err := s.TokenLive(t.Context(), before.TokenID); !live || err != nil {
				t.Errorf("a refused move has ended a token: %v, %v", live, err)
			}
			free(s, t, other)
			s.move(t, before.Profile.ID, newAwa)
			if after := s.complete(t, newAwa).Profile.ID; after != before.Profile.ID {
				t.Errorf("after the move, the number is %q, want %q", after, before.Profile.ID)
			}
		}
	})
}

// Of moves and first logins with the new number at the same time, either the profile moves, or a new one has the number.
// Rules: L208.
func TestMove_AtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newChanging(t, d)
		for i := range 20 {
			from, to := phone.Number(fmt.Sprintf("2237600%04d", i)), phone.Number(fmt.Sprintf("2237700%04d", i))
			profileID := s.complete(t, from).Profile.ID
			s.changes(t, from, to, s.Clock.Now())
			var work sync.WaitGroup
			moved := make([]bool, 3)
			for m := range moved {
				work.Go(func() {
					_, err := s.Move(t.Context(), s.Tenant.ID, profileID, to)
					if moved[m] = err == nil; err != nil && !errors.Is(err, apierror.AuthNumberTaken.Err()) && !errors.Is(err, apierror.AuthNumberNotReported.Err()) {
						t.Error(err)
					}
				})
			}
			for _, number := range []phone.Number{to, to, from} {
				work.Go(func() {
					sessionID, token, err := s.Start(t.Context(), login.Request{Client: s.client, RedirectURI: authtest.Redirect, State: "0123456789abcdef", Caller: somewhere})
					if err != nil {
						t.Error(err)
						return
					}
					words := s.read(t, sessionID, token).Session.Words
					if _, err := s.Prove(t.Context(), login.Proof{SessionID: sessionID, Phone: number, Words: words, Provider: login.WhatsApp, Caller: somewhere}); err != nil {
						t.Error(err)
					}
				})
			}
			work.Wait()
			n := 0
			for _, m := range moved {
				if m {
					n++
				}
			}
			owner := s.complete(t, to).Profile.ID
			if n > 1 || (n == 1) != (owner == profileID) {
				t.Fatalf("%d of three calls have moved the profile, and the new number is %q, the profile %q", n, owner, profileID)
			}
			if next := s.complete(t, from).Profile.ID; (next == profileID) != (n == 0) {
				t.Fatalf("the old number is %q after %d moves of %q", next, n, profileID)
			}
		}
		if n := s.Count(t, `SELECT count(*) FROM login_sessions AS s WHERE s.phone IS NOT NULL AND NOT EXISTS (SELECT 1 FROM profiles AS p WHERE p.tenant_id = s.tenant_id AND p.phone = s.phone AND p.mode = s.mode)`); n > 0 {
			t.Errorf("%d logins have no profile", n)
		}
	})
}

// Detachment and erasure remove the reported number, and so does the erasure of the person who has it.
// Rules: L207.
func TestNumberChanged_IsErased(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for name, remove := range map[string]func(s *service, t *testing.T, old, other string){
			"detached":                 func(s *service, t *testing.T, old, _ string) { s.detach(t, s.Tenant.ID, old) },
			"erased":                   func(s *service, t *testing.T, old, _ string) { s.erase(t, s.Tenant.ID, old) },
			"the new number is erased": func(s *service, t *testing.T, _, other string) { s.erase(t, s.Tenant.ID, other) },
			"by number": func(s *service, t *testing.T, _, _ string) {
				if err := s.ForgetNewNumber(t.Context(), s.Tenant.ID, newAwa); err != nil {
					t.Fatal(err)
				}
			},
		} {
			t.Run(name, func(t *testing.T) {
				s := newChanging(t, d)
				old, other, at := s.complete(t, awa).Profile.ID, s.complete(t, newAwa).Profile.ID, s.Clock.Now()
				s.changes(t, awa, newAwa, at)
				remove(s, t, old, other)
				s.changes(t, awa, newAwa, at) // delivered again
				if n := s.Count(t, `SELECT count(*) FROM profiles WHERE changed_to IS NOT NULL AND tenant_id = $1`, s.Tenant.ID); n != 0 {
					t.Error("a profile has the reported number")
				}
				if n := s.Count(t, `SELECT count(*) FROM tenant_hook_events WHERE tenant_id = $1 AND body LIKE '%new_phone%'`, s.Tenant.ID); n != 0 && name != "detached" {
					t.Error("an event for the endpoint has the reported number")
				}
				if found, err := s.FindByNewNumber(t.Context(), s.Tenant.ID, newAwa); err != nil || len(found) > 0 {
					t.Errorf("found %+v, %v", found, err)
				}
			})
		}
	})
}

// Erasing a person deletes the pairs of the reported number, too.
func TestErase_DeletesThePairsOfTheNewNumber(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newChanging(t, d)
		old := s.complete(t, awa).Profile.ID
		c := &gateway.Change{Gateway: "meta", Channel: gateway.WhatsApp, Kind: gateway.NumberChanged, OldNumber: string(awa), From: string(newAwa), Person: gateway.PersonID{Portfolio: "sahel", ID: "ML.9002"}, At: s.Clock.Now()}
		if _, err := s.Identity.Change(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		s.reports(t, c)
		s.erase(t, s.Tenant.ID, old)
		if pairs, err := s.ListIDs(t.Context(), &identity.Filter{Half: string(newAwa)}, 10); err != nil || len(pairs) > 0 {
			t.Errorf("the pairs are %+v, %v", pairs, err)
		}
	})
}
