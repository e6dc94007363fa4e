package main

import (
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/test/system/systemtest"
)

// A database whose nodes can't be read is not marked, because a server might use it.
func TestNoNodes_AnErrorIsNoAnswer(t *testing.T) {
	t.Parallel()
	d := dbtest.Postgres(t)
	if err := noNodes(t.Context(), d); err != nil {
		t.Errorf("without nodes: %v", err)
	}
	exec := func(text string) {
		t.Helper()
		systemtest.Must(t, d.Write(t.Context(), func(tx *db.Tx) error { _, err := tx.Exec(text); return err }))
	}
	exec(`ALTER TABLE nodes RENAME TO no_nodes`)
	if err := noNodes(t.Context(), d); err == nil {
		t.Error("nodes that can't be read were taken for none")
	}
}

// A repeated mark keeps the time up to which the database is complete: the first mark's own entries are no later data.
func TestMarkRestored_ARepetitionKeepsTheLostPeriod(t *testing.T) {
	t.Parallel()
	d := dbtest.Postgres(t)
	first, err := markRestored(t.Context(), d, time.Time{})
	systemtest.Must(t, err)
	again, err := markRestored(t.Context(), d, time.Time{})
	systemtest.Must(t, err)
	if !again.from.Equal(first.from) {
		t.Errorf("the data is complete until %s, and after a repetition until %s", first.from, again.from)
	}
}

// A restore names what the operator has to repeat, such as suspensions, which let an account send again.
func TestRestored_NamesWhatIsLost(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	systemtest.Must(t, (&restored{from: time.Unix(0, 0), at: time.Unix(60, 0)}).show(&out, "sqlite"))
	for _, lost := range []string{"Opt-outs (STOP)", "erasures of people", "revocations of tokens", "Suspensions of accounts", "pauses of senders", "disabled clients", "emergency rotations"} {
		if !strings.Contains(out.String(), lost) {
			t.Errorf("the list has no %s:\n%s", lost, out.String())
		}
	}
}
