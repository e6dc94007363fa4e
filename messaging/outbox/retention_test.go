package outbox

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
)

// No step of a sweep reads a large table completely or changes more rows than its limit, because on SQLite all writers wait for it.
func TestRetention_StepsAreSmall(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
		const old = 1100
		execute(t, d, fmt.Sprintf(`INSERT INTO messages (id, notification_id, account_id, requested_channel, channel, recipient, address, content, sensitive, source, status, rank, version, timeline, created_at, expires_at)
 WITH RECURSIVE g (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < %d)
 SELECT 'msg_' || CASE WHEN n <= %d THEN '%s' ELSE '%s' END || substr(CAST(100000 + n AS TEXT), 2), 'ntf', 'acc', 'sms', 'sms', '1', '1', '{"text":"said"}', 0, 'api', 'SENT', 30, 0, '', 0, 0 FROM g`,
			2*old, old, id.First(now.Add(-500 * 24 * time.Hour))[:21], id.First(now)[:21]))
		execute(t, d, `INSERT INTO retention_later (message_id, at) SELECT id, 0 FROM messages`)
		plans := dbtest.RecordPlans(d)
		s := &Sweeper{DB: d, Now: clock.NewFake(now).Now, Log: slog.New(slog.DiscardHandler), Messages: 400 * 24 * time.Hour, Content: 90 * 24 * time.Hour}
		before, _ := d.Stats()
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		after, _ := d.Stats()
		if steps := int(after - before); steps < (old+2*old)/retentionSize {
			t.Errorf("%d transactions, want one for each %d messages", steps, retentionSize)
		}
		if texts := plans.Check(t); len(texts) != 2 {
			t.Errorf("%d texts were judged, want 2: %q", len(texts), texts)
		}
		var left, later int
		_, err := d.Read(t.Context()).Row(`SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM retention_later)`).Scan(&left, &later)
		if err != nil || left != old || later != 0 {
			t.Errorf("%d messages and %d to be looked at again are left, %v; want %d and none", left, later, err, old)
		}
	})
}
