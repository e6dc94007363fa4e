package api_test

import (
	"net/http"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
)

// waitForEnd fails unless the stream ends soon.
func (l *listener) waitForEnd() {
	l.t.Helper()
	over := make(chan struct{})
	go func() {
		defer close(over)
		for l.lines.Scan() { // events that were on their way
		}
	}()
	waittest.Receive(l.t, over)
}

// secret reads the next hello, which must arrive.
func (l *listener) secret() string {
	l.t.Helper()
	name, data := l.next()
	if _, err := webhook.ParseSecret(data["secret"]); name != "hello" || err != nil {
		l.t.Fatalf("got %s, %v; want hello", name, err)
	}
	return data["secret"]
}

// Keys can be revoked on another node, whose changes are not in this node's cache.
func TestWebhookStream_EndsWithItsKey(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		url, elsewhere := streaming(t, s), account.NewDirectory(d, s.Clock.Now)
		spec := account.KeySpec{AccountID: s.Account.ID, Kind: account.Live}
		stolen, key, err := s.Directory.MakeKey(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		theirs, _ := listen(t, url, key, "")
		ours, _ := listen(t, url, s.LiveKey, "")
		theirs.secret()
		ours.secret()
		if found, err := elsewhere.RevokeKey(t.Context(), s.Account.ID, "", stolen.ID); err != nil || !found {
			t.Fatal(found, err)
		}
		theirs.waitForEnd()
		if _, res := listen(t, url, key, ""); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("it listens again: %s", res.Status)
		}
		s.send(`{"to":"22376000001","channel":"sms","message":"x"}`)
		if name, data := ours.next(); name != "event" || data["type"] != "message.status" {
			t.Errorf("other keys' streams go on: %s %v", name, data)
		}
	})
}

// Rules: M159.
func TestWebhookStream_SecretsAreRotatedAndTestKeysHaveTheirOwn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		url, test := streaming(t, s), s.Key(t, s.Account.ID, "", account.Test)
		live, _ := listen(t, url, s.LiveKey, "")
		play, _ := listen(t, url, test, "")
		first, played := live.secret(), play.secret()
		if first == played {
			t.Error("a test key gets the secret that signs live events")
		}
		const path = "/api/webhooks/stream/rotate-secret"
		s.wants(s.do("POST", path, ""), 401, "unauthorized")
		s.wants(s.do("POST", path, "", "X-API-Key: "+test), 403, "live_key_required")
		a := s.owner("POST", path, "")
		if a.status != 200 || a.text("secret") == first || a.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %s", a.status, a.raw)
		}
		if got := live.secret(); got != a.text("secret") { // open streams are sent the new secret
			t.Errorf("the stream says %q, the answer %q", got, a.text("secret"))
		}
		if got := play.secret(); got == played || got == a.text("secret") {
			t.Errorf("the test key's secret is now %q", got)
		}
		again, _ := listen(t, url, s.LiveKey, "")
		if got := again.secret(); got != a.text("secret") {
			t.Errorf("a new stream says %q", got)
		}
		if b := s.owner("POST", path, ""); b.text("secret") == a.text("secret") || b.text("secret") == first {
			t.Errorf("the second rotation: %s", b.raw)
		}
	})
}
