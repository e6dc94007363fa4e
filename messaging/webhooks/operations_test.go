package webhooks_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/webhooks"
)

// code returns the code of an error of the catalog, or "".
func code(err error) string {
	if e, ok := errors.AsType[*apierror.Error](err); ok {
		return e.Kind.Code
	}
	return ""
}

// audited returns the account's audit events of its webhook, oldest first, as "actor action target".
func (w *world) audited(t testing.TB) string {
	t.Helper()
	events, _, err := w.Directory.Events(t.Context(), &audit.Filter{AccountID: w.Account.ID, Action: "webhook.", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range events {
		lines = append([]string{strings.TrimSpace(string(e.Actor.Type) + " " + e.Action + " " + e.Target)}, lines...)
	}
	return strings.Join(lines, "; ")
}

// The account's own URL gets its events, signed with the secret that was shown once, and after a rotation with both
// secrets.
// Rules: M213.
func TestSetFor_ItsEventsArriveSigned(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		w.endpoints.AccountsSetURL = true
		run(t, w.NewDispatcher())
		e := newEndpoint(t, w.Clock.Now, nil)
		ctx := actor.With(t.Context(), actor.Actor{Type: actor.Key, ID: w.LiveCaller.KeyID})
		s, secret, err := w.endpoints.SetFor(ctx, w.LiveCaller, e.url+"?key=hidden")
		if err != nil || s.URL != e.url+"?key=hidden" {
			t.Fatalf("got %+v, %v", s, err)
		}
		w.becomes(t, w.events(t, w.Account.ID, 1)[0], webhooks.Delivered)
		w.Clock.Advance(time.Second) // audit events of one millisecond have no order
		rotated, until, err := w.endpoints.RotateSecretFor(ctx, w.LiveCaller)
		if err != nil || until.Sub(w.Clock.Now()).Hours() != 24 {
			t.Fatalf("until %v, %v", until, err)
		}
		w.becomes(t, w.events(t, w.Account.ID, 1)[0], webhooks.Delivered)
		all := e.wants(t, 2)
		for i, by := range []map[string]bool{{secret: true, rotated: false}, {secret: true, rotated: true}} {
			for of, want := range by {
				if got := verifies(t, &all[i], of); got != want {
					t.Errorf("event %d is signed with the secret %t: %t, want %t", i, of == secret, got, want)
				}
			}
		}
		w.Clock.Advance(time.Second)
		if s, secret, err = w.endpoints.SetFor(ctx, w.LiveCaller, ""); err != nil || s.URL != "" || secret != "" {
			t.Errorf("removed: %+v with a secret %t, %v", s, secret != "", err)
		}
		if got, want := w.audited(t), "key webhook.set "+strings.TrimSuffix(e.url, "/hook")+"; key webhook.secret_rotated; key webhook.removed"; got != want {
			t.Errorf("audited %q, want %q", got, want)
		}
	})
}

// Whoever calls, without the setting nothing changes. A caller whom the permit doesn't include is refused first.
// Rules: M212.
func TestSetFor_OnlyIfTheOperatorAllowsIt(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	w.set(t, w.Account.ID, "https://shop.example/hooks")
	owner := &account.Caller{Account: w.Account, Kind: account.Dashboard, Role: account.RoleOwner}
	developer := &account.Caller{Account: w.Account, Kind: account.Dashboard, Role: account.RoleDeveloper}
	for _, on := range []bool{false, true} {
		w.endpoints.AccountsSetURL = on
		allowed := map[bool]string{false: "forbidden", true: ""}[on]
		for _, c := range []struct {
			caller *account.Caller
			want   string
		}{{owner, allowed}, {w.LiveCaller, allowed}, {developer, "forbidden"}, {&account.Caller{Account: w.Account, Kind: account.Test}, "live_key_required"}} {
			s, _, err := w.endpoints.SetFor(t.Context(), c.caller, "https://shop.example/other")
			if got := code(err); got != c.want || (s != nil) != (c.want == "") {
				t.Errorf("set by %s %s (on: %v): %q, want %q", c.caller.Kind, c.caller.Role, on, got, c.want)
			}
			if _, _, err = w.endpoints.RotateSecretFor(t.Context(), c.caller); code(err) != c.want {
				t.Errorf("rotated by %s %s (on: %v): %q, want %q", c.caller.Kind, c.caller.Role, on, code(err), c.want)
			}
			if s, err := w.endpoints.State(t.Context(), w.Account.ID); err != nil || !on && (s.URL != "https://shop.example/hooks" || !s.PreviousUntil.IsZero()) {
				t.Fatalf("by %s %s (on: %v): %+v, %v", c.caller.Kind, c.caller.Role, on, s, err)
			}
		}
	}
}

// A change is stored with its audit event and its secret, or not at all. If only the response is lost, the endpoint works,
// and a rotation gives the account a secret.
// Rules: M213.
func TestSetFor_IsStoredWholeOrNotAtAll(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		w.endpoints.AccountsSetURL = true
		w.Exec(t, `ALTER TABLE account_audit_events RENAME TO away`)
		if _, secret, err := w.endpoints.SetFor(t.Context(), w.LiveCaller, "https://shop.example/hooks"); err == nil || secret != "" {
			t.Fatalf("got %v, want an error and no secret", err)
		}
		w.Exec(t, `ALTER TABLE away RENAME TO account_audit_events`)
		if s, err := w.endpoints.State(t.Context(), w.Account.ID); err != nil || s.URL != "" || s.HasSecret {
			t.Errorf("after a failure: %+v, %v", s, err)
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_endpoints`); n != 0 {
			t.Errorf("%d rows of endpoints after a failure", n)
		}
		e := newEndpoint(t, w.Clock.Now, nil)
		if _, _, err := w.endpoints.SetFor(t.Context(), w.LiveCaller, e.url); err != nil { // its response is lost
			t.Fatal(err)
		}
		run(t, w.NewDispatcher())
		w.becomes(t, w.events(t, w.Account.ID, 1)[0], webhooks.Delivered)
		if _, secret, err := w.endpoints.SetFor(t.Context(), w.LiveCaller, e.url); err != nil || secret != "" {
			t.Errorf("set again: a secret %t, %v", secret != "", err)
		}
		secret, _, err := w.endpoints.RotateSecretFor(t.Context(), w.LiveCaller)
		if err != nil {
			t.Fatal(err)
		}
		w.becomes(t, w.events(t, w.Account.ID, 1)[0], webhooks.Delivered)
		if all := e.wants(t, 2); !verifies(t, &all[1], secret) {
			t.Error("the next event is not signed with the new secret")
		}
	})
}
