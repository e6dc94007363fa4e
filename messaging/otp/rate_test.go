package otp_test

import (
	"errors"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/otp"
)

const other = "22376000002"

// Rules: M98.
func TestIssue_ThreeInTenMinutes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		for range 3 {
			w.issue()
			w.Clock.Advance(time.Minute)
		}
		for range 3 { // requests that the rate refuses do not count
			if after := w.refuses(apierror.OTPRateLimited, withNumber("+"+number)); after != 7*time.Minute {
				t.Errorf("retry after %v", after)
			}
		}
		w.issue(withNumber(other)) // another number's are its own
		w.Clock.Advance(7*time.Minute - time.Millisecond)
		if after := w.refuses(apierror.OTPRateLimited); after != time.Millisecond {
			t.Errorf("retry after %v", after)
		}
		w.Clock.Advance(time.Millisecond)
		w.issue()
		if after := w.refuses(apierror.OTPRateLimited); after != time.Minute {
			t.Errorf("the window slides: retry after %v", after)
		}
		if n := w.sent(); n != 5 {
			t.Errorf("%d sent", n)
		}
	})
}

// Rules: M98.
func TestIssue_RequestsThatAreRefusedCount(t *testing.T) {
	for name, refuse := range map[string]struct {
		plan string
		make func(w *world)
		kind *apierror.Kind
	}{
		"no quota":   {"free", func(w *world) { w.useUp(10) }, apierror.QuotaExceeded},
		"no gateway": {"business", func(w *world) { w.Gateway.LoggedOut.Store(true) }, apierror.GatewayNotConnected},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := newWorld(t, d, refuse.plan)
				refuse.make(w)
				before := w.sent()
				for range 3 {
					w.refuses(refuse.kind, withKey("the same key")) // the key is still unused after a refusal
				}
				w.refuses(apierror.OTPRateLimited)
				for name, change := range malformed() {
					if _, err := w.OTP.Issue(t.Context(), w.LiveCaller, request(withNumber(other), change)); err == nil {
						t.Errorf("%s was sent", name)
					}
				}
				w.refuses(refuse.kind, withNumber(other)) // malformed requests did not count
				if w.sent() != before || w.Int(t, `SELECT count(*) FROM otp_challenges`) != 0 || w.Int(t, `SELECT count(*) FROM otp_claims`) != 0 {
					t.Error("something was stored or sent")
				}
			})
		})
	}
}

// useUp uses n messages of the daily quota.
func (w *world) useUp(n int) {
	w.Exec(w.t, `INSERT INTO quotas (account_id, day, used) VALUES ($1, $2, $3)`, w.Account.ID, w.Clock.Now().Unix()/86400, n)
}

func malformed() map[string]func(*otp.Request) {
	return map[string]func(*otp.Request){
		"no number":   withNumber(""),
		"a number":    withNumber("123"),
		"a channel":   func(r *otp.Request) { r.Channel = gateway.Email },
		"a locale":    func(r *otp.Request) { r.Locale = "de" },
		"too short":   func(r *otp.Request) { r.Length = 3 },
		"too long":    func(r *otp.Request) { r.Length = 9 },
		"too brief":   func(r *otp.Request) { r.TTL = 59 * time.Second },
		"too lasting": func(r *otp.Request) { r.TTL = 901 * time.Second },
		"an app":      func(r *otp.Request) { r.App = "a\nb" },
	}
}

// Rules: M99.
func TestIssue_FailedSendsCountAndUseNoQuota(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "free")
		w.Gateway.FailWith(gateway.Permanent, "refused")
		for range 3 {
			i := w.issue()
			if i.Send.Message.Status != "FAILED" || i.Send.Used != 0 {
				t.Errorf("got %s, used %d", i.Send.Message.Status, i.Send.Used)
			}
			if got := w.verify(i.ChallengeID, w.code(number)); got != "not_found" {
				t.Errorf("the code of a message that never left: %q", got)
			}
			if got := w.verifyTo(number, w.code(number)); got != "not_found" {
				t.Errorf("the same, by number: %q", got)
			}
		}
		w.refuses(apierror.OTPRateLimited)
	})
}

// Rules: M98.
func TestIssue_AStampedeHasThree(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		got := countOutcomes(50, func(int) string {
			_, err := w.OTP.Issue(t.Context(), w.LiveCaller, request())
			if e, ok := errors.AsType[*apierror.Error](err); ok {
				return e.Kind.Code
			}
			if err != nil {
				return err.Error()
			}
			return ""
		})
		if got[""] != 3 || got["otp_rate_limited"] != 47 || w.sent() != 3 {
			t.Errorf("got %v, %d sent", got, w.sent())
		}
	})
}
