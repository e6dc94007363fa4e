package audit_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"reflect"
	"slices"
	"testing"
	"time"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/audit"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var start = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func record(t *testing.T, d *db.DB, e *audit.Event) *audit.Event {
	t.Helper()
	if err := d.Write(t.Context(), func(tx *db.Tx) error { return audit.Record(tx, e) }); err != nil {
		t.Fatal(err)
	}
	return e
}

func list(t *testing.T, d *db.DB, f audit.Filter) (events []*audit.Event, next string) {
	t.Helper()
	events, next, err := audit.List(d.Read(t.Context()), &f)
	if err != nil {
		t.Fatal(err)
	}
	return events, next
}

func TestRecord_KeepsWhoDidWhatToWhat(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		bySystem := record(t, d, audit.New(t.Context(), start, "a", audit.KeyRevoked, "k1"))
		member := actor.Actor{Type: actor.Member, ID: "m1", Email: "awa@example.com", Address: netip.MustParseAddr("192.0.2.55"), RequestID: "r"}
		byMember := record(t, d, audit.New(actor.With(t.Context(), member), start.Add(time.Second), "a", audit.KeyCreated, "k2", "kind", "live", "project", ""))
		v6 := actor.With(t.Context(), actor.Actor{Type: actor.System, Address: netip.MustParseAddr("2001:db8:1:2::3")})
		far := record(t, d, audit.New(v6, start.Add(2*time.Second), "a", audit.SenderAdded, "s1"))
		byOperator := record(t, d, audit.New(actor.With(t.Context(), actor.Actor{Type: actor.Operator}), start.Add(3*time.Second), "", audit.PlanChanged, "pro"))

		got, next := list(t, d, audit.Filter{AccountID: "a", Limit: 10})
		if want := []*audit.Event{far, byMember, bySystem}; !reflect.DeepEqual(got, want) || next != "" {
			t.Errorf("got %+v, want %+v; next %q", got, want, next)
		}
		if byMember.Network != "192.0.2.0/24" || far.Network != "2001:db8:1::/48" || byOperator.Network != "" {
			t.Errorf("networks %q, %q, %q", byMember.Network, far.Network, byOperator.Network)
		}
		if want := map[string]string{"kind": "live"}; !reflect.DeepEqual(byMember.Details, want) || bySystem.Actor.Type != actor.System {
			t.Errorf("details %v, want %v; actor %v", byMember.Details, want, bySystem.Actor)
		}
		if all, _ := list(t, d, audit.Filter{Everybody: true, Limit: 10}); len(all) != 4 || !reflect.DeepEqual(all[0], byOperator) {
			t.Errorf("of everybody: %+v", all)
		}
		if own, _ := list(t, d, audit.Filter{Limit: 10}); len(own) != 1 {
			t.Errorf("the deployment's own: %+v", own)
		}
	})
}

// A transaction might be run again, so its additions to an event must not stay on it.
func TestWith_LeavesTheEvent(t *testing.T) {
	e := audit.New(context.Background(), start, "a", audit.KeyRevoked, "k", "kind", "live")
	more := e.With("prefix", "svc_live_x")
	if len(e.Details) != 1 || len(more.Details) != 2 || more.ID != e.ID {
		t.Errorf("got %v and %v", e.Details, more.Details)
	}
}

func TestList_PagesAndFilters(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var want []string
		for i := range 25 {
			at := start.Add(time.Duration(i) * time.Minute)
			action := []string{audit.KeyCreated, audit.KeyRevoked, audit.MemberInvited, "keys.other", audit.SessionOpened}[i%5]
			want = append(want, record(t, d, audit.New(t.Context(), at, "a", action, fmt.Sprint(i))).ID)
			record(t, d, audit.New(t.Context(), at, "b", action, fmt.Sprint(i)))
		}
		slices.Reverse(want)
		var got []string
		before := ""
		for range 10 {
			events, next := list(t, d, audit.Filter{AccountID: "a", Limit: 7, Before: before})
			for _, e := range events {
				got = append(got, e.ID)
			}
			if before = next; next == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("read by pages: got %v, want %v", got, want)
		}
		for action, n := range map[string]int{"": 25, audit.KeyCreated: 5, "key.": 10, "keys.": 5, "none": 0, "key": 0} {
			if events, _ := list(t, d, audit.Filter{AccountID: "a", Action: action, Limit: 100}); len(events) != n {
				t.Errorf("action %q: got %d, want %d", action, len(events), n)
			}
		}
		if events, _ := list(t, d, audit.Filter{AccountID: "a", Since: start.Add(20 * time.Minute), Limit: 100}); len(events) != 5 {
			t.Errorf("since: got %d, want 5", len(events))
		}
	})
}

// A page examines 5,000 events, so that a rare action in a long log does not keep the database busy.
func TestList_APageHasAnEnd(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		rare := record(t, d, audit.New(t.Context(), start, "a", audit.PlanChanged, "x"))
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			for i := range 5000 {
				if err := audit.Record(tx, audit.New(t.Context(), start.Add(time.Duration(i+1)*time.Second), "a", audit.KeyCreated, "k")); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		events, next := list(t, d, audit.Filter{AccountID: "a", Action: audit.PlanChanged, Limit: 10})
		if len(events) != 0 || next == "" {
			t.Fatalf("the first page: %v, next %q", events, next)
		}
		events, next = list(t, d, audit.Filter{AccountID: "a", Action: audit.PlanChanged, Limit: 10, Before: next})
		if len(events) != 1 || events[0].ID != rare.ID || next != "" {
			t.Errorf("the second page: %v, next %q", events, next)
		}
	})
}

func TestSweep_KeepsEventsFor400Days(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := clock.NewFake(start)
		old := record(t, d, audit.New(t.Context(), c.Now(), "a", audit.KeyCreated, "old"))
		for range 600 { // more than one transaction deletes
			record(t, d, audit.New(t.Context(), c.Now(), "b", audit.KeyCreated, "old"))
		}
		c.Advance(time.Millisecond)
		fresh := record(t, d, audit.New(t.Context(), c.Now(), "a", audit.KeyCreated, "fresh"))
		s := &audit.Sweeper{DB: d, Now: c.Now, Log: slog.New(slog.DiscardHandler), Keep: 400 * 24 * time.Hour}
		count := func() int {
			if err := s.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			events, _ := list(t, d, audit.Filter{Everybody: true, Limit: 1000})
			return len(events)
		}
		c.Advance(400*24*time.Hour - time.Millisecond)
		if n := count(); n != 602 {
			t.Errorf("after 400 days less a millisecond: %d events, want 602", n)
		}
		c.Advance(time.Millisecond)
		if n := count(); n != 1 {
			t.Errorf("after 400 days: %d events, want 1", n)
		}
		if events, _ := list(t, d, audit.Filter{AccountID: "a", Limit: 10}); len(events) != 1 || events[0].ID != fresh.ID {
			t.Errorf("left: %v, want %s and not %s", events, fresh.ID, old.ID)
		}
	})
}
