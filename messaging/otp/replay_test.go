package otp_test

import (
	"errors"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/otp"
)

// Rules: M102.
func TestReplay_IsTheSameChallengeUntilItExpires(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "free")
		w.useUp(9)
		first := w.issue(withKey("k"))
		if first.Send.Deduplicated || first.Send.Used != 10 {
			t.Fatalf("got %+v", first.Send)
		}
		for range 5 { // more than the request limit and the quota allow
			again := w.issue(withKey("k"), withNumber("+"+number))
			if !again.Send.Deduplicated || again.PayloadMismatch || again.ChallengeID != first.ChallengeID || again.ExpiresAt != first.ExpiresAt ||
				again.Send.Message.ID != first.Send.Message.ID || again.Send.Used != 10 {
				t.Errorf("got %+v", again)
			}
		}
		if got := w.issue(withKey("k"), withNumber(other)); !got.PayloadMismatch || got.ChallengeID != first.ChallengeID {
			t.Errorf("another body: %+v", got)
		}
		if got := w.issue(withKey("k"), withNumber("nonsense")); !got.PayloadMismatch {
			t.Errorf("a malformed body: %+v", got)
		}
		if w.sent() != 1 {
			t.Errorf("%d sent", w.sent())
		}
		if got := w.verify(first.ChallengeID, w.code(number)); got != "" {
			t.Errorf("verify: %q", got)
		}
		if again := w.issue(withKey("k")); again.ChallengeID != first.ChallengeID {
			t.Error("a used challenge is still the key's until it expires")
		}
		w.Clock.Advance(otp.DefaultTTL)
		w.refuses(apierror.IdempotencyKeyUsed, withKey("k"))
		w.Clock.Advance(48 * time.Hour)
		if err := w.OTP.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.refuses(apierror.IdempotencyKeyUsed, withKey("k"))
	})
}

func TestReplay_OfAnotherMessageOrAFailedOne(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		r := &message.Request{To: number, Channel: gateway.SMS, Content: message.Content{Text: "x"}, IdempotencyKey: "mine"}
		if _, err := w.Delivery.Submit(t.Context(), w.LiveCaller, r); err != nil {
			t.Fatal(err)
		}
		for range 4 {
			w.refuses(apierror.IdempotencyKeyUsed, withKey("mine"))
		}
		w.Gateway.FailWith(gateway.Permanent, "refused")
		w.issue(withKey("bad"))
		w.refuses(apierror.MessageFailed, withKey("bad"))
		w.Gateway.SetScript(nil)
		w.issue()
		i := w.issue(withKey("code")) // the third request: the refusals above were none
		w.refuses(apierror.OTPRateLimited)
		res, err := w.Delivery.Submit(t.Context(), w.LiveCaller, &message.Request{To: number, Channel: gateway.SMS, Content: message.Content{Text: "x"}, IdempotencyKey: "code"})
		if err != nil || !res.Deduplicated || !res.PayloadMismatch || res.Message.ID != i.Send.Message.ID || res.Message.Content.Text != "" {
			t.Errorf("a code's key at /api/send: %+v, %v", res, err)
		}
	})
}

// Rules: M102.
func TestReplay_AStampedeUnderOneKeyIsOneRequest(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		release := w.Hold(t)
		ids := make(chan string, 20)
		go func() {
			w.WaitForCalls(t, 1)
			release()
		}()
		countOutcomes(20, func(int) string {
			i, err := w.OTP.Issue(t.Context(), w.LiveCaller, request(withKey("k")))
			if err != nil {
				ids <- err.Error()
				return ""
			}
			ids <- i.ChallengeID
			return ""
		})
		close(ids)
		seen := map[string]bool{}
		for id := range ids {
			seen[id] = true
		}
		if len(seen) != 1 || w.sent() != 1 {
			t.Errorf("%d answers, %d sent: %v", len(seen), w.sent(), seen)
		}
		w.Gateway.SetScript(nil)
		w.issue()
		w.issue()
		w.refuses(apierror.OTPRateLimited)
		if n := w.Int(t, `SELECT count(*) FROM otp_claims`); n != 0 {
			t.Errorf("%d keys are still noted as under way", n)
		}
	})
}

// A process that dies between the two transactions leaves a counted request and an unused key.
func TestReplay_AfterACrashBeforeTheMessage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		claim := func() {
			w.Exec(t, `INSERT INTO otp_claims (account_id, key, at) VALUES ($1, 'k', $2)`, w.Account.ID, db.Ms(w.Clock.Now()))
		}
		claim()
		if i := w.issue(withKey("k")); i.Send.Deduplicated {
			t.Error("nothing had been sent")
		}
		if got := w.verifyTo(number, w.code(number)); got != "" {
			t.Errorf("verify: %q", got)
		}
		w.issue()
		w.issue() // the request with the key repeated the dead one's, which was counted
		w.Clock.Advance(time.Hour)
		claim()
		w.Clock.Advance(time.Minute)
		for _, k := range []string{"k2", "k3"} {
			w.issue(withKey(k))
		}
		w.Exec(t, `UPDATE otp_claims SET key = 'k4' WHERE key = 'k'`)
		w.issue(withKey("k4")) // the old claim has expired, so this one counts
		if _, err := w.OTP.Issue(t.Context(), w.LiveCaller, request()); !errors.Is(err, apierror.OTPRateLimited.Err()) {
			t.Errorf("got %v", err)
		}
	})
}
