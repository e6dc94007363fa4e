package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/auth/webhooks"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/internal/webhook"
)

// adminWebhook runs an operator's verb about the tenant's endpoint.
func (s *service) adminWebhook(verb string, in map[string]any) map[string]any {
	s.t.Helper()
	if in == nil {
		in = map[string]any{}
	}
	in["tenantId"] = s.Tenant.ID
	body, err := json.Marshal(in)
	if err != nil {
		s.t.Fatal(err)
	}
	raw, err := s.auth.Verbs().Call(context.Background(), "tenants.webhook."+verb, body)
	if err != nil {
		s.t.Fatal(verb, err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(raw, &out); err != nil {
		s.t.Fatal(err)
	}
	return out
}

// attempts returns the attempts to deliver an event.
func (s *service) attempts(eventID string) []*webhook.Attempt {
	s.t.Helper()
	all, err := s.NewEndpoints().Attempts(context.Background(), s.Tenant.ID, eventID)
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

func countTypes(all []authtest.Delivery) map[string]int {
	n := map[string]int{}
	for _, d := range all {
		event, _ := d.Body["event"].(string)
		reason, _ := d.Body["reason"].(string)
		n[strings.TrimSuffix(event+" "+reason, " ")]++
	}
	return n
}

// eventMembers are the fields of each event's body.
var eventMembers = map[string]string{ //nolint:gochecknoglobals // a table of tests
	webhooks.LoginVerified:  "clientId event eventId loginKeyId mode phone tenantId timestamp",
	webhooks.LoginCompleted: "amr clientId event eventId loginKeyId mode phone_e164 subject tenantId timestamp tokenId",
	webhooks.LoginCanceled:  "clientId event eventId loginKeyId mode phone tenantId timestamp",
	webhooks.LoginConflict:  "clientId event eventId loginKeyId mode phone tenantId timestamp",
	webhooks.LoginRevoked:   "clientId event eventId loginKeyId mode reason tenantId timestamp tokenId",
}

// Rules: L174, L180.
func TestWebhooks_EachChangeIsOneEvent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, l := newService(t, d, authtest.Loopback), authtest.NewReceiver(t)
		live, private := s.app(tenant.Public, tenant.Live), s.app(tenant.Confidential, tenant.Test)
		secret, _ := s.adminWebhook("set", map[string]any{"url": l.URL})["secret"].(string)
		waittest.Run(t, s.run)
		var secrets []string // that no event may contain
		proved := func(messageID, from string) (b *browser, loginID string) {
			b = s.browser()
			loginID = b.start(live)
			words := b.words(loginID)
			s.accepted(messageID, from, words)
			s.message(messageID, from, words) // like a gateway
			secrets = append(secrets, words)
			return b, loginID
		}
		b, completed := proved("m1", alice)
		code := b.code(completed)
		got := s.exchange("/oauth2/token", exchange(live, code))
		token := text(t, got.json(t), "token")
		for range 2 {
			s.exchange("/oauth2/token", exchange(live, code)).refused(t, 400, "invalid_grant", "code_already_used")
		}
		_, conflict := proved("m2", alice)
		for _, messageID := range []string{"m3", "m4"} {
			s.message(messageID, bob, secrets[len(secrets)-1])
		}
		proved("m5", alice)
		b, redeemed := proved("m6", alice)
		last := b.code(redeemed)
		s.redeemed(live, last)
		for range 2 {
			s.accepted("m7", alice, "NON")
		}
		mine, code2 := s.signedIn(private)
		for range 2 {
			s.exchangeForm(revokePath, tokenQuery(private, mine))
		}
		s.browser().start(live) // it stays without a result
		secrets = append(secrets, code, code2, last, token, mine, strings.TrimPrefix(private.Secret, "cs_"), state, verifier)

		want := map[string]int{
			"login.verified": 5, "login.completed": 3, "login.revoked code_replayed": 1, "login.phone_conflict": 1,
			"login.canceled": 1, "login.revoked canceled_by_user": 1, "login.revoked revoked_by_client": 1,
		}
		all := l.Wait(t, 13)
		if n := countTypes(all); fmt.Sprint(n) != fmt.Sprint(want) || len(all) != 13 {
			t.Errorf("got %v, want %v", n, want)
		}
		v, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range all {
			if err := v.VerifyIgnoringTimestamp([]byte(d.Raw), d.Header); err != nil {
				t.Error(err)
			}
			eventID, _ := d.Body["eventId"].(string)
			if d.Header.Get("Webhook-Id") != eventID || s.count(`SELECT count(*) FROM audit_events WHERE id = $1`, strings.TrimPrefix(eventID, "evt_")) != 1 {
				t.Errorf("the id is not that of an audit event: %s", d.Raw)
			}
			if d.Body["tenantId"] != s.Tenant.ID || d.Body["timestamp"] != "2026-03-01T12:00:00.000Z" {
				t.Errorf("got %s", d.Raw)
			}
			for _, hidden := range append(secrets, secret) {
				if strings.Contains(d.Raw, hidden) {
					t.Errorf("an event contains a secret: %s", d.Raw)
				}
			}
			want := eventMembers[d.Body["event"].(string)]
			if d.Body["reason"] == "canceled_by_user" { // the sender of the message is known
				want = strings.Replace(want, "mode", "mode phone", 1)
			}
			if members := strings.Join(slices.Sorted(maps.Keys(d.Body)), " "); members != want {
				t.Errorf("%v has the members %s, want %s", d.Body["event"], members, want)
			}
			full := strings.Contains(d.Raw, alice) || strings.Contains(d.Raw, bob)
			switch d.Body["loginKeyId"] {
			case completed:
				if d.Body["event"] == webhooks.LoginCompleted && (d.Body["phone_e164"] != alice || d.Body["subject"] != got.json(t)["subject"] || fmt.Sprint(d.Body["amr"]) != "[mca]" || d.Body["clientId"] != live.ClientID || d.Body["mode"] != "LIVE") {
					t.Errorf("got %s", d.Raw)
				}
			case conflict:
				if d.Body["event"] == webhooks.LoginConflict && d.Body["phone"] != "+223*****109" {
					t.Errorf("got %s", d.Raw)
				}
			}
			if full && d.Body["event"] != webhooks.LoginCompleted {
				t.Errorf("a number in full: %s", d.Raw)
			}
		}
	})
}

func TestWebhooks_WithoutAnEndpointNothingIsWritten(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, l := newService(t, d, authtest.Loopback), authtest.NewReceiver(t)
		a := s.app(tenant.Confidential, tenant.Test)
		s.signedIn(a)
		b, before := s.provedLogin(a, "22300000001") // it started before the endpoint existed
		s.adminWebhook("set", map[string]any{"url": l.URL})
		s.redeemed(a, b.code(before))
		if n := s.count(`SELECT count(*) FROM tenant_hook_events`); n != 0 {
			t.Errorf("%d events", n)
		}
		s.signedIn(a)
		if n := s.count(`SELECT count(*) FROM tenant_hook_events`); n != 2 {
			t.Errorf("%d events with an endpoint", n)
		}
		b, during := s.provedLogin(a, "22300000001")
		s.adminWebhook("set", map[string]any{"url": ""})
		s.redeemed(a, b.code(during))
		s.signedIn(a)
		if n := s.count(`SELECT count(*) FROM tenant_hook_events`); n != 3 {
			t.Errorf("%d events once it is gone", n)
		}
	})
}

// Rules: L174.
func TestWebhooks_TheSameEventComesUntilItArrives(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, l := newService(t, d, authtest.Loopback), authtest.NewReceiver(t)
		l.Status.Store(http.StatusInternalServerError)
		s.adminWebhook("set", map[string]any{"url": l.URL})
		waittest.Run(t, s.run)
		pinged := s.adminWebhook("ping", nil)["eventId"]
		l.Wait(t, 1)
		waittest.Eventually(t, 1, func() int { return s.count(`SELECT count(*) FROM tenant_hook_events WHERE tries = 1 AND claimed = 0`) })
		l.Status.Store(http.StatusOK)
		s.Clock.Advance(10 * time.Second)
		all := l.Wait(t, 2)
		waittest.Eventually(t, 1, func() int { return s.count(`SELECT count(*) FROM tenant_hook_events WHERE delivered_at IS NOT NULL`) })
		for _, d := range all {
			if d.Raw != all[0].Raw || d.Header.Get("Webhook-Id") != pinged {
				t.Errorf("another event: %s", d.Raw)
			}
		}
		waittest.Eventually(t, 2, func() int { return len(s.attempts(pinged.(string))) })
		l.Status.Store(http.StatusGone)
		s.adminWebhook("ping", nil)
		waittest.Eventually(t, any("gone"), func() any { return s.adminWebhook("show", nil)["disabledFor"] })
		l.Status.Store(http.StatusOK)
		s.adminWebhook("ping", nil)
		if shown := s.adminWebhook("show", nil); shown["enabled"] != false || shown["pending"] != float64(2) || shown["lastStatus"] != float64(410) {
			t.Errorf("got %v", shown)
		}
		s.adminWebhook("enable", nil)
		s.Clock.Advance(10 * time.Second)
		waittest.Eventually(t, 0, func() int { return s.count(`SELECT count(*) FROM tenant_hook_events WHERE delivered_at IS NULL`) })
		s.adminWebhook("disable", nil)
		s.adminWebhook("ping", nil)
		if shown := s.adminWebhook("show", nil); shown["disabledFor"] != "operator" || shown["pending"] != float64(1) {
			t.Errorf("got %v", shown)
		}
	})
}

func TestWebhooks_ADisabledEndpointIsAnAuditEventOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, authtest.Loopback)
		s.adminWebhook("set", map[string]any{"url": "http://127.0.0.1:9/hook"})
		s.Exec(t, `UPDATE tenant_hook_endpoints SET disabled_at = $1, disabled_for = 'failing'`, db.Ms(s.Clock.Now()))
		node := webhooks.NewDispatcher(webhook.Options{DB: d, Key: s.Key, Timing: webhook.StandardTiming(), Now: s.Clock.Now, Log: slog.New(slog.DiscardHandler), Signal: &webhook.Signal{}})
		for range 2 {
			if err := node.Maintain(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if n := s.count(`SELECT count(*) FROM audit_events WHERE type = 'webhook.disabled' AND error_code = 'failing' AND tenant_id = $1`, s.Tenant.ID); n != 1 {
			t.Errorf("%d audit events", n)
		}
	})
}

// Rules: L180.
func TestWebhooks_NoEventAfterARollback(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, authtest.Loopback)
		s.adminWebhook("set", map[string]any{"url": "http://127.0.0.1:9/hook"})
		oops := errors.New("oops")
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			e := &tenant.Event{ID: "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D", TenantID: s.Tenant.ID, At: s.Clock.Now()}
			return errors.Join(webhooks.Insert(tx, webhooks.LoginVerified, e, webhooks.Detail{}), oops)
		})
		if n := s.count(`SELECT count(*) FROM tenant_hook_events`); !errors.Is(err, oops) || n != 0 {
			t.Errorf("%d events, %v", n, err)
		}
	})
}

func TestWebhooks_WhereNothingMayBeSentNothingIs(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, l := newService(t, d), authtest.NewReceiver(t) // dials like griot serve
		for _, url := range []string{l.URL, "https://127.0.0.1/hook", "http://example.com/hook", "https://[::1]/x", "https://169.254.169.254/", "ftp://x.example/"} {
			body := fmt.Sprintf(`{"tenantId":%q,"url":%q}`, s.Tenant.ID, url)
			if _, err := s.auth.Verbs().Call(t.Context(), "tenants.webhook.set", []byte(body)); err == nil {
				t.Errorf("%s was taken", url)
			}
		}
		s.adminWebhook("set", map[string]any{"url": "https://localhost/hook"}) // it is refused only after its name is resolved
		waittest.Run(t, s.run)
		pinged := s.adminWebhook("ping", nil)["eventId"].(string)
		waittest.Eventually(t, "address_refused", func() string {
			if all := s.attempts(pinged); len(all) == 1 {
				return all[0].Error
			}
			return ""
		})
		if len(l.Got()) != 0 {
			t.Error("something was sent")
		}
	})
}

// Rules: L174.
func TestWebhooks_ARotatedSecretSignsBesideTheOld(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, l := newService(t, d, authtest.Loopback), authtest.NewReceiver(t)
		first, _ := s.adminWebhook("set", map[string]any{"url": l.URL})["secret"].(string)
		unseen, _ := s.adminWebhook("rotate-secret", nil)["secret"].(string) // by a form that is sent twice
		second, _ := s.adminWebhook("rotate-secret", nil)["secret"].(string)
		if again := s.adminWebhook("show", nil); again["secret"] != nil || first == second || s.count(`SELECT count(*) FROM tenants WHERE webhook_secret LIKE '%whsec%'`) != 0 {
			t.Errorf("a secret shows: %v", again)
		}
		waittest.Run(t, s.run)
		s.adminWebhook("ping", nil)
		got := l.Wait(t, 1)[0]
		for secret, signs := range map[string]bool{first: true, unseen: false, second: true} {
			v, err := standardwebhooks.NewWebhook(secret)
			if err != nil {
				t.Fatal(err)
			}
			if err := v.VerifyIgnoringTimestamp([]byte(got.Raw), got.Header); (err == nil) != signs {
				t.Errorf("%v, want a signature: %v", err, signs)
			}
		}
	})
}
