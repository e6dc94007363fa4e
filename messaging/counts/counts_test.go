package counts_test

import (
	"database/sql"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/counts"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// write stores the log of changes of a world's account.
func write(t *testing.T, w *messagingtest.World, change func(*counts.Log)) {
	t.Helper()
	w.Write(t, func(tx *db.Tx) error {
		var log counts.Log
		change(&log)
		return log.Write(tx)
	})
}

func accepted(w *messagingtest.World, at time.Time) *message.Message {
	m := message.New(&message.Request{To: "+22376000001", Address: "22376000001", Channel: gateway.SMS, Source: message.SourceAPI}, w.Account.ID, "", at)
	m.Status = message.Queued
	return m
}

// read returns a query's totals by their times, and the start of the counted period.
func read(t *testing.T, w *messagingtest.World, q counts.Query) (totals map[string]int, from string) {
	t.Helper()
	totals, q.AccountID = map[string]int{}, w.Account.ID
	since, err := counts.Each(w.DB.Read(t.Context()), &q, w.Clock.Now(), func(r *counts.Row) {
		if r.Kind == counts.Total {
			totals[r.At.Format("01-02 15")] += r.N
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return totals, since.Format("01-02 15:04")
}

// The ends of a period are rounded to hours, also for days if hourly counters still exist. Whole days are read from
// their own counters. The result does not depend on which part of the log is folded.
// Rules: M188.
func TestEach_RoundsToHours(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free") // now: 2026-03-04T12:00
		at := func(day, hour, minute int) time.Time { return time.Date(2026, 3, day, hour, minute, 0, 0, time.UTC) }
		write(t, w, func(log *counts.Log) {
			for _, created := range []time.Time{at(1, 9, 10), at(1, 10, 50), at(2, 0, 0), at(2, 23, 59), at(3, 8, 0), at(3, 9, 0), at(4, 11, 59)} {
				log.Accepted(accepted(w, created))
			}
		})
		for _, folded := range []bool{false, true} {
			if folded {
				w.FoldCounts(t)
			}
			for name, tc := range map[string]struct {
				query counts.Query
				total int
				from  string
			}{
				"hours":               {counts.Query{From: at(1, 10, 30), To: at(3, 8, 30)}, 4, "03-01 10:00"},
				"days":                {counts.Query{From: at(1, 10, 30), To: at(3, 8, 30), Days: true}, 4, "03-01 10:00"},
				"days, until now":     {counts.Query{From: at(1, 0, 0), To: at(4, 12, 0), Days: true}, 7, "03-01 00:00"},
				"parts of a day":      {counts.Query{From: at(3, 8, 59), To: at(3, 9, 0), Days: true}, 1, "03-03 08:00"},
				"parts of two days":   {counts.Query{From: at(1, 10, 0), To: at(2, 1, 0), Days: true}, 2, "03-01 10:00"},
				"another channel":     {counts.Query{From: at(1, 0, 0), To: at(4, 12, 0), Days: true, Channel: gateway.Email}, 0, "03-01 00:00"},
				"another project":     {counts.Query{From: at(1, 0, 0), To: at(4, 12, 0), ProjectID: "prj_1"}, 0, "03-01 00:00"},
				"the simulated ones":  {counts.Query{From: at(1, 0, 0), To: at(4, 12, 0), Simulated: true}, 0, "03-01 00:00"},
				"none of the account": {counts.Query{From: at(2, 1, 0), To: at(2, 23, 0)}, 0, "03-02 01:00"},
			} {
				totals, from := read(t, w, tc.query)
				sum := 0
				for _, n := range totals {
					sum += n
				}
				if sum != tc.total || from != tc.from {
					t.Errorf("%s, folded %t: got %v from %s, want %d from %s", name, folded, totals, from, tc.total, tc.from)
				}
			}
		}
	})
}

// Hourly counters are deleted after 35 days. Daily ones, those of other accounts, and later ones stay.
func TestSweep_KeepsDays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		write(t, w, func(log *counts.Log) { log.Accepted(accepted(w, w.Clock.Now())) })
		w.Clock.Advance(24 * time.Hour)
		write(t, w, func(log *counts.Log) { log.Accepted(accepted(w, w.Clock.Now())) })
		w.Clock.Advance(counts.HoursKept)
		f := &counts.Folder{DB: d, Now: w.Clock.Now, Log: slog.New(slog.DiscardHandler)}
		if err := errors.Join(f.Fold(t.Context()), f.Sweep(t.Context())); err != nil {
			t.Fatal(err)
		}
		var steps []int
		err := d.Read(t.Context()).Each(func(rows *sql.Rows) error {
			var step int
			err := rows.Scan(&step)
			steps = append(steps, step)
			return err
		}, `SELECT step FROM message_counts WHERE account_id = $1 ORDER BY step, at`, w.Account.ID)
		if diff := cmp.Diff([]int{1, 24, 24}, steps); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

// A duration is accurate to a fifth.
// Rules: M188.
func TestClassTime_IsWithinAFifth(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	var want []time.Duration
	for d := 50 * time.Millisecond; d < 160*time.Hour; d = d*21/20 + time.Millisecond {
		want = append(want, d)
	}
	now := w.Clock.Now()
	for _, d := range append(want, 0, -time.Second) {
		before := accepted(w, now)
		after := *before
		after.Status, after.SentAt = message.Sent, now.Add(d)
		write(t, w, func(log *counts.Log) { log.Changed(before, &after) })
		seen := 0
		_, err := counts.Each(w.DB.Read(t.Context()), &counts.Query{AccountID: w.Account.ID, From: now, To: now.Add(time.Hour)}, now, func(r *counts.Row) {
			about, known := counts.ClassTime(r.Detail)
			if seen += r.N; !known || r.Kind != counts.Sent || d >= 50*time.Millisecond && (about < d*4/5 || about > d*6/5) || d < 50*time.Millisecond && about != 25*time.Millisecond {
				t.Errorf("%s is told as %s (%+v)", d, about, r)
			}
		})
		if err != nil || seen != 1 {
			t.Fatalf("%s: %d, %v", d, seen, err)
		}
		w.Exec(t, `DELETE FROM message_count_log`)
	}
}
