package webhooks_test

import (
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/webhooks"
)

// Events of endpoints that must not be called wait, and are not late.
func TestBacklog_CountsWhatWaitsAndWhatIsLate(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		now := w.Clock.Now()
		disabled := w.another(t, "https://shop.example/hooks")
		execute := func(text string, args ...any) {
			t.Helper()
			if err := d.Write(t.Context(), func(tx *db.Tx) error { _, err := tx.Exec(text, args...); return err }); err != nil {
				t.Fatal(err)
			}
		}
		store := func(account, from string, n int, due time.Time) {
			execute(`INSERT INTO webhook_events (account_id, id, type, body, created_at, due_at, version, tries, claimed) WITH RECURSIVE series (g) AS (SELECT 1 UNION ALL SELECT g + 1 FROM series WHERE g < $4)
 SELECT CAST($1 AS TEXT), CAST($2 AS TEXT) || g, 'e', '{}', 0, CAST($3 AS BIGINT), 0, 0, 0 FROM series`, account, from, db.Ms(due), n)
		}
		backlog := func(pending int64, since time.Time) {
			t.Helper()
			got, oldest, err := webhooks.Queue().Backlog(t.Context(), d, now)
			if err != nil || got != pending || !oldest.Equal(since) {
				t.Errorf("%d wait, the oldest since %v, %v; want %d, %v", got, oldest, err, pending, since)
			}
		}
		backlog(0, time.Time{})
		store(disabled, "evt_a", 1200, now.Add(-time.Hour))
		backlog(1200, now.Add(-time.Hour))
		execute(`INSERT INTO webhook_endpoints (account_id, owner_until, changed_at, pause, disabled_at) VALUES ($1, 0, 0, 0, 1) ON CONFLICT (account_id) DO UPDATE SET disabled_at = 1`, disabled)
		backlog(1200, time.Time{})
		w.set(t, w.Account.ID, "https://shop.example/hooks")
		store(w.Account.ID, "evt_b", 5, now.Add(-time.Minute))
		store(w.Account.ID, "evt_c", 5, now.Add(time.Minute))
		backlog(1210, now.Add(-time.Minute))
	})
}
