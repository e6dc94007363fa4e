package api_test

import (
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Rules: M158.
func TestWebhookEnable_UndoesWhatFailureDidAndNoMore(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		s.wants(s.owner("POST", "/api/webhooks/enable", ""), 409, "webhook_not_configured")
		s.SetWebhook(t, "https://hooks.example/x")
		s.owner("POST", "/api/webhooks/ping", "")
		disabled := func(reason string) {
			t.Helper()
			s.Write(t, func(tx *db.Tx) error {
				_, err := tx.Exec(`INSERT INTO webhook_endpoints (account_id, owner_until, changed_at, pause, pause_until, failing_since, last_status, disabled_at, disabled_for) VALUES ($1, 0, 0, 900000, $2, $3, 410, $3, $4)
 ON CONFLICT (account_id) DO UPDATE SET pause = 900000, pause_until = excluded.pause_until, failing_since = excluded.failing_since, disabled_at = excluded.disabled_at, disabled_for = excluded.disabled_for`,
					s.Account.ID, db.Ms(s.Clock.Now().Add(time.Hour)), db.Ms(s.Clock.Now()), reason)
				return err
			})
		}
		for _, reason := range []string{"gone", "failing"} {
			disabled(reason)
			got := s.owner("POST", "/api/webhooks/enable", "")
			if got.status != 200 || object(got.body, "webhook", "enabled") != true || object(got.body, "webhook", "pausedUntil") != nil || object(got.body, "webhook", "failingSince") != nil || object(got.body, "webhook", "pending") != float64(1) {
				t.Errorf("%s: %d %s", reason, got.status, got.raw)
			}
		}
		s.Write(t, func(tx *db.Tx) error { // it is enabled, and the breaker is open
			_, err := tx.Exec(`UPDATE webhook_endpoints SET pause = 1000, pause_until = $1`, db.Ms(s.Clock.Now().Add(time.Minute)))
			return err
		})
		if got := s.owner("POST", "/api/webhooks/enable", ""); got.status != 200 || object(got.body, "webhook", "pausedUntil") == nil {
			t.Errorf("an enabled endpoint's breaker was closed: %d %s", got.status, got.raw)
		}
		disabled("operator")
		s.wants(s.owner("POST", "/api/webhooks/enable", ""), 403, "forbidden")
		if got := s.owner("GET", "/api/webhooks", ""); object(got.body, "webhook", "enabled") != false {
			t.Errorf("an operator's decision was undone: %s", got.raw)
		}
	})
}
