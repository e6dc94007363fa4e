package messagingtest

import (
	"database/sql"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/messaging/counts"
	"example.com/griot/messaging/message"
)

// FoldCounts adds the log of changes to the counters.
func (w *World) FoldCounts(t testing.TB) {
	t.Helper()
	if err := (&counts.Folder{DB: w.DB, Now: w.Clock.Now, Log: slog.New(slog.DiscardHandler)}).Fold(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// CheckCounts folds the log, and compares the account's hourly and daily counters with its messages.
func (w *World) CheckCounts(t testing.TB) {
	t.Helper()
	w.FoldCounts(t)
	for step, length := range map[int]time.Duration{1: time.Hour, 24: 24 * time.Hour} {
		want, wantTimes := w.scanMessages(t, length)
		got, gotTimes := w.readCounts(t, step)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("counters of %s (-messages +counters):\n%s", length, diff)
		}
		for kind, of := range wantTimes {
			if len(gotTimes[kind]) != len(of) {
				t.Errorf("counters of %s have %d times until %s, want %d", length, len(gotTimes[kind]), kind, len(of))
				continue
			}
			slices.Sort(of)
			slices.Sort(gotTimes[kind])
			for i, d := range of {
				if about := gotTimes[kind][i]; about > 6*d/5 && about > 50*time.Millisecond || about < 4*d/5 {
					t.Errorf("counters of %s have %s until %s, want %s", length, about, kind, d)
				}
			}
		}
	}
}

// scanMessages counts the account's messages one by one, in the way that statistics must count them.
func (w *World) scanMessages(t testing.TB, step time.Duration) (n map[string]int, times map[string][]time.Duration) {
	t.Helper()
	n, times = map[string]int{}, map[string][]time.Duration{}
	err := w.DB.Read(t.Context()).Each(func(rows *sql.Rows) error {
		m, err := message.Scan(rows.Scan)
		if err != nil {
			return err
		}
		count := func(kind string, counts bool) {
			if counts {
				n[countName(m.CreatedAt.Truncate(step), m.ProjectID, string(m.Channel), m.Status == message.Sandbox, kind)]++
			}
		}
		due := m.CreatedAt
		if m.ScheduledAt.After(due) {
			due = m.ScheduledAt
		}
		reached := func(kind string, counts bool, at time.Time) {
			count(kind, counts)
			if counts && !at.IsZero() {
				times[kind] = append(times[kind], max(0, at.Sub(due)))
			}
		}
		delivered := m.Status == message.Delivered || m.Status == message.Read
		count("total", true)
		reached("sent", delivered || m.Status == message.Sent || !m.SentAt.IsZero(), m.SentAt)
		reached("delivered", delivered, m.DeliveredAt)
		count("read", m.Status == message.Read)
		count("fallback", len(m.Tried) > 0)
		if m.Price != "" && delivered {
			kind := "free"
			if m.Price.Charged() {
				kind = "charged"
			}
			count(kind, true)
		}
		failed := m.Status == message.Failed || m.Status == message.Expired
		if failed && m.Failure != nil {
			count("failed "+m.Failure.Code, true)
		} else {
			count("failed ", failed)
		}
		return nil
	}, `SELECT `+message.Columns+` FROM messages WHERE account_id = $1`, w.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	return n, times
}

// readCounts reads the account's counters of a step, without those that are 0.
func (w *World) readCounts(t testing.TB, step int) (n map[string]int, times map[string][]time.Duration) {
	t.Helper()
	n, times = map[string]int{}, map[string][]time.Duration{}
	err := w.DB.Read(t.Context()).Each(func(rows *sql.Rows) error {
		var at, simulated int64
		var project, channel, kind string
		var count int
		if err := rows.Scan(&at, &project, &channel, &simulated, &kind, &count); err != nil || count == 0 {
			return err
		}
		kind, detail, _ := strings.Cut(kind, ":")
		if d, known := counts.ClassTime(detail); known && kind != "failed" {
			times[kind] = append(times[kind], slices.Repeat([]time.Duration{d}, max(0, count))...)
		}
		if kind == "failed" {
			kind += " " + detail
		}
		n[countName(time.Unix(at*3600, 0), project, channel, simulated == 1, kind)] += count
		return nil
	}, `SELECT at, project_id, channel, simulated, kind, n FROM message_counts WHERE account_id = $1 AND step = $2`, w.Account.ID, step)
	if err != nil {
		t.Fatal(err)
	}
	return n, times
}

func countName(at time.Time, project, channel string, simulated bool, kind string) string {
	return fmt.Sprint(at.UTC().Format(time.RFC3339), " ", project, " ", channel, " ", simulated, " ", kind)
}
