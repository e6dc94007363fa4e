package outbox

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

const filled = 20_000

// fill stores rows like those of a server after some time, of which nearly all have ended.
func fill(t *testing.T, d *db.DB) {
	t.Helper()
	execute(t, d, `INSERT INTO accounts (id, name, email, plan, created_at) SELECT 'acc_' || g, 'A', 'a' || g || '@example.com', 'free', 0 FROM (`+series(200)+`) AS s`)
	execute(t, d, fmt.Sprintf(`INSERT INTO messages (id, notification_id, account_id, requested_channel, channel, recipient, address, sender_id, from_address, gateway, content, sensitive, source, status, rank,
 version, due_at, timeline, created_at, expires_at, order_key, seq)
 SELECT 'msg_' || g, 'ntf_' || g, 'acc_' || (g %% 200), 'sms', 'sms', '+' || g, g, 'snd_' || (g %% 200), '1', 'fake', '{}', 0, 'api',
 CASE WHEN g %% 50 = 0 THEN 'QUEUED' WHEN g %% 50 = 1 THEN 'SENDING' WHEN g %% 50 = 2 THEN 'SCHEDULED' ELSE 'DELIVERED' END, 0, 0,
 CASE WHEN g %% 50 IN (1, 2) THEN g END, '', g, g, g, g FROM (%s) AS s`, series(filled)))
}

// series returns a query for the numbers g from 1 to n.
func series(n int) string {
	return fmt.Sprintf(`WITH RECURSIVE series (g) AS (SELECT 1 UNION ALL SELECT g + 1 FROM series WHERE g < %d) SELECT g FROM series`, n)
}

func execute(t *testing.T, d *db.DB, text string) {
	t.Helper()
	if err := d.Write(t.Context(), func(tx *db.Tx) error { _, err := tx.Exec(text); return err }); err != nil {
		t.Fatal(err)
	}
}

// The lists of the workers read no table completely.
func TestPlans_Lists(t *testing.T) {
	t.Parallel()
	d := dbtest.Postgres(t)
	fill(t, d)
	plans := dbtest.RecordPlans(d)
	s, ctx := New(d, nil, nil, clock.System), t.Context() // there are no keys to look up
	_, errReady := s.Ready(ctx, "snd_1", nil, math.MinInt64, 100)
	_, errSkip := s.Ready(ctx, "snd_1", []string{"1", "2", "3"}, math.MinInt64, 100)
	_, errDue := s.Due(ctx, "snd_1", 100)
	_, errFlight := s.InFlight(ctx, "snd_1")
	_, errSenders := s.Senders(ctx)
	for name, err := range map[string]error{"ready": errReady, "skip": errSkip, "due": errDue, "in flight": errFlight, "senders": errSenders} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if judged := plans.Check(t); len(judged) != 5 {
		t.Errorf("%d texts were judged, want 5", len(judged))
	}
}

// The counts for metrics use indexes, on both engines.
func TestPlans_Queues(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		fill(t, d)
		plans := dbtest.RecordPlans(d)
		found, err := Queues(t.Context(), d, clock.System())
		if err != nil || len(found) != 1 || found[0].Ready != filled/50 || found[0].Due != 2*filled/50 {
			t.Errorf("%+v, %v", found, err)
		}
		if d.Engine() == db.Postgres { // it sorts the counts for each sender
			execute(t, d, `ANALYZE`)
			for _, bad := range explain(t, d, queuesText, 1) {
				t.Error(bad)
			}
			return
		}
		if judged := plans.Check(t); len(judged) != 1 {
			t.Errorf("%d texts were judged, want 1", len(judged))
		}
	})
}

// The statements with many callers' rows find these with an index, even if the statistics report no rows.
func TestPlans_SetsAtATime(t *testing.T) {
	t.Parallel()
	for _, analyzed := range []bool{false, true} {
		t.Run(fmt.Sprint("analyzed=", analyzed), func(t *testing.T) {
			t.Parallel()
			d := dbtest.Postgres(t)
			if !analyzed {
				execute(t, d, `ALTER TABLE messages SET (autovacuum_enabled = off)`)
				execute(t, d, `ALTER TABLE accounts SET (autovacuum_enabled = off)`)
				execute(t, d, `ANALYZE`)
			}
			fill(t, d)
			if analyzed {
				execute(t, d, `ANALYZE`)
			}
			for text, args := range map[string]int{updateSameRoute: 19, updateNewRoute: 27, updateSameRouteAll: 21, blockedAll: 3, beginAllText: 8, optedOutAll: 5, accountStatesAll: 1} {
				for _, bad := range explain(t, d, text, args) {
					t.Errorf("%s\n\tin the plan of %s", bad, text)
				}
			}
		})
	}
}

// step is a step of a plan.
type step struct {
	Node  string `json:"Node Type"`
	Table string `json:"Relation Name"`
	Below []step `json:"Plans"`
}

func (s *step) scans() (bad []string) {
	if s.Node == "Seq Scan" && s.Table == "messages" {
		bad = append(bad, s.Node+" "+s.Table)
	}
	for i := range s.Below {
		bad = append(bad, s.Below[i].scans()...)
	}
	return bad
}

// explain lists the steps of a statement's generic plan that read all messages.
func explain(t *testing.T, d *db.DB, text string, args int) []string {
	t.Helper()
	var explained string
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		for _, before := range []string{settings, "PREPARE judged AS " + text} {
			if _, err := tx.Exec(before); err != nil {
				return err
			}
		}
		if _, err := tx.Row("EXPLAIN (FORMAT JSON) EXECUTE judged(" + strings.TrimSuffix(strings.Repeat("NULL,", args), ",") + ")").Scan(&explained); err != nil {
			return err
		}
		_, err := tx.Exec("DEALLOCATE judged")
		return err
	})
	var plans []struct{ Plan step }
	if err == nil {
		err = json.Unmarshal([]byte(explained), &plans)
	}
	if err != nil || len(plans) != 1 {
		t.Fatalf("%s: %v %s", text, err, explained)
	}
	return plans[0].Plan.scans()
}
