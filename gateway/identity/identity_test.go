package identity_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/identity"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

const (
	awa, binta   = "22376000001", "22376000002"
	old, newer   = "ML.9001", "ML.9002"
	parent       = "ML.ENT.1"
	lid          = "123456789@lid"
	shops, banks = "shops", "banks"
)

// fixture is a store, and the pairs that it has reported as withdrawn.
type fixture struct {
	*identity.Store
	t     *testing.T
	d     *db.DB
	clock *clock.Fake

	mu        sync.Mutex
	withdrawn []string
}

func each(t *testing.T, test func(t *testing.T, f *fixture)) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := &fixture{t: t, d: d, clock: clock.NewFake(time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC))}
		f.Store = identity.New(f.options())
		test(t, f)
	})
}

func (f *fixture) options() identity.Options {
	return identity.Options{DB: f.d, Now: f.clock.Now, Log: slog.New(slog.DiscardHandler), Withdrawn: func(tx *db.Tx, p *identity.Pair) error {
		tx.AfterCommit(func(committed bool) {
			if committed {
				f.mu.Lock()
				defer f.mu.Unlock()
				f.withdrawn = append(f.withdrawn, p.ID+" "+p.Number+" "+string(p.Reason))
			}
		})
		return nil
	}}
}

func person(portfolio, id string) gateway.PersonID {
	return gateway.PersonID{Portfolio: portfolio, ID: id}
}

// message reports a message, and returns the number that it has afterward.
func (f *fixture) message(from string, p gateway.PersonID) gateway.Inbound {
	f.t.Helper()
	in := gateway.Inbound{From: from, Person: p, At: f.clock.Now()}
	if _, err := f.Inbound(f.t.Context(), &in); err != nil {
		f.t.Fatal(err)
	}
	return in
}

// expect checks whose an ID is.
func (f *fixture) expect(p gateway.PersonID, want string) {
	f.t.Helper()
	in := f.message("", p)
	if in.From != want || (in.Source == gateway.NumberPaired) != (want != "") {
		f.t.Errorf("%s in %s: the number is %q (%q), want %q", p.ID, p.Portfolio, in.From, in.Source, want)
	}
	held := false
	if err := f.d.Write(f.t.Context(), func(tx *db.Tx) (err error) {
		held, err = f.Hold(tx, &p, want)
		return err
	}); err != nil || held != (want != "") {
		f.t.Errorf("%s in %s: held %v, %v, want %v", p.ID, p.Portfolio, held, err, want != "")
	}
}

// Every report with both halves makes a pair, which is known in its portfolio, after a restart, and nowhere else.
func TestLearn(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		f.message(awa, gateway.PersonID{Portfolio: shops, ID: old, ParentID: parent})
		var errs []error
		learn := func(conflict bool, err error) {
			errs = append(errs, err, map[bool]error{true: errors.New("a conflict")}[conflict])
		}
		learn(f.Receipt(ctx, &gateway.Receipt{Recipient: binta, Person: person(shops, "ML.1"), At: f.clock.Now()}))
		learn(f.Change(ctx, &gateway.Change{Kind: gateway.PairKnown, From: "+22376000003", Person: person("gateway:phones", lid), At: f.clock.Now()}))
		learn(f.Change(ctx, &gateway.Change{Kind: gateway.MarketingStopped, From: "22376000004", Person: person(shops, "ML.4")}))
		errs = append(errs, f.d.Write(ctx, func(tx *db.Tx) error {
			p := person(shops, "ML.5")
			_, err := f.Share(tx, &p, "22376000005", f.clock.Now())
			return err
		}))
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			f.expect(person(shops, old), awa)
			f.expect(person(shops, parent), awa)
			f.expect(gateway.PersonID{Portfolio: shops, ID: "ML.unknown", ParentID: parent}, awa)
			f.expect(person(shops, "ML.1"), binta)
			f.expect(person("gateway:phones", lid), "22376000003")
			f.expect(person(shops, "ML.4"), "22376000004")
			f.expect(person(shops, "ML.5"), "22376000005")
			for _, nobody := range []gateway.PersonID{person(banks, old), person(shops, lid), person(shops, "ML.2"), person(shops, ""), person("", old), person(shops, awa), {Portfolio: shops, Username: "awa.t"}} {
				f.expect(nobody, "")
			}
			f.Store = identity.New(f.options())
		}
		if len(f.withdrawn) != 0 {
			t.Errorf("withdrawn: %q", f.withdrawn)
		}
	})
}

// A name, a username, a text, or an invalid half makes no pair.
func TestLearn_HalvesAlone(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		for _, in := range []gateway.Inbound{
			{From: awa, Person: gateway.PersonID{Portfolio: shops, Username: "awa.t"}, DisplayName: "Awa"},
			{From: awa, Person: person(shops, "9001")},
			{From: awa, Person: person(shops, awa)},
			{From: "awa", Person: person(shops, old)},
			{Person: person(shops, old), Text: "+" + awa, Type: gateway.InboundContacts},
			{Person: person(shops, old), Shared: awa},
		} {
			if _, err := f.Inbound(t.Context(), &in); err != nil {
				t.Fatal(err)
			}
		}
		if list, err := f.List(t.Context(), &identity.Filter{}, 10); err != nil || len(list) > 0 {
			t.Errorf("pairs: %+v, %v, want none", list, err)
		}
		f.expect(person(shops, old), "")
	})
}

// An ID with two numbers identifies nobody, until one of them is withdrawn.
func TestConflict(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.message(awa, person(shops, old))
		f.clock.Advance(time.Hour)
		for i, want := range []bool{true, false} { // reported once
			in := gateway.Inbound{From: binta, Person: person(shops, old), At: f.clock.Now()}
			if conflict, err := f.Inbound(t.Context(), &in); err != nil || conflict != want {
				t.Errorf("report %d: conflict %v, %v, want %v", i, conflict, err, want)
			}
		}
		f.expect(person(shops, old), "")
		if list, err := f.List(t.Context(), &identity.Filter{Conflicts: true}, 10); err != nil || len(list) != 2 {
			t.Errorf("conflicts: %+v, %v, want both pairs", list, err)
		}
		records := 0
		recorded := func(*db.Tx) error { records++; return nil }
		if done, err := f.Withdraw(t.Context(), shops, old, awa, recorded); err != nil || !done {
			t.Errorf("withdrawn: %v, %v", done, err)
		}
		if done, err := f.Withdraw(t.Context(), shops, old, awa, recorded); err != nil || done {
			t.Errorf("withdrawn again: %v, %v", done, err)
		}
		if records != 1 {
			t.Errorf("%d records, want one", records)
		}
		f.expect(person(shops, old), binta)
		if !slices.Equal(f.withdrawn, []string{old + " " + awa + " operator"}) {
			t.Errorf("withdrawn: %q", f.withdrawn)
		}
	})
}

// A number that was seen with a newer ID no longer belongs to the older one, in whatever order the reports arrive.
func TestNewerID(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		first := gateway.Inbound{From: awa, Person: gateway.PersonID{Portfolio: shops, ID: old, ParentID: parent}, At: f.clock.Now()}
		f.message(awa, first.Person)
		f.message(awa, person(banks, "ML.b"))
		f.message(awa, person(shops, lid))
		f.clock.Advance(time.Minute)
		f.message(awa, person(shops, newer))
		for range 2 {
			f.expect(person(shops, old), "")
			f.expect(person(shops, parent), "")
			f.expect(person(shops, newer), awa)
			f.expect(person(banks, "ML.b"), awa)
			f.expect(person(shops, lid), awa)
			late := first // the provider delivers the first message again
			f.Store = identity.New(f.options())
			if _, err := f.Inbound(t.Context(), &late); err != nil {
				t.Fatal(err)
			}
		}
		if want := []string{old + " " + awa + " newer_id", parent + " " + awa + " newer_id"}; !slices.Equal(f.withdrawn, want) {
			t.Errorf("withdrawn: %q, want %q", f.withdrawn, want)
		}
	})
}

// A report that was late by days doesn't give a number back to its former owner.
func TestNewerID_ALateFirstReport(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		late := gateway.Inbound{From: awa, Person: person(shops, old), At: f.clock.Now()}
		f.clock.Advance(72 * time.Hour)
		f.message(awa, person(shops, newer))
		if _, err := f.Inbound(t.Context(), &late); err != nil {
			t.Fatal(err)
		}
		f.expect(person(shops, old), "")
		f.expect(person(shops, newer), awa)
	})
}

// Two nodes that learn two IDs of a number at once leave no ID that signs in by a pair that the other one ended.
func TestNewerID_AtOnce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		var nodes sync.WaitGroup
		for i := range 8 {
			nodes.Go(func() {
				s := identity.New(f.options())
				in := gateway.Inbound{From: awa, Person: person(shops, fmt.Sprintf("ML.%d", i%2)), At: f.clock.Now()}
				if _, err := s.Inbound(context.WithoutCancel(t.Context()), &in); err != nil {
					t.Error(err)
				}
			})
		}
		nodes.Wait()
		found := 0
		for _, id := range []string{"ML.0", "ML.1"} {
			if in := f.message("", person(shops, id)); in.From != "" {
				found++
			}
		}
		if found > 1 {
			t.Errorf("%d IDs have the number, want at most one", found)
		}
	})
}

func TestChange(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.message(awa, gateway.PersonID{Portfolio: shops, ID: old, ParentID: parent})
		f.clock.Advance(time.Minute)
		moved := gateway.Change{Kind: gateway.NumberChanged, OldNumber: awa, OldID: old, OldParent: parent, From: binta, Person: person(shops, newer), At: f.clock.Now()}
		if _, err := f.Change(t.Context(), &moved); err != nil {
			t.Fatal(err)
		}
		f.expect(person(shops, old), "")
		f.expect(person(shops, parent), "")
		f.expect(person(shops, newer), binta)

		f.clock.Advance(time.Minute)
		if _, err := f.Change(t.Context(), &gateway.Change{Kind: gateway.IDChanged, OldID: newer, Person: person(shops, "ML.9003"), At: f.clock.Now()}); err != nil {
			t.Fatal(err)
		}
		f.expect(person(shops, newer), "")
		f.expect(person(shops, "ML.9003"), "")

		f.clock.Advance(time.Minute) // the number has a new owner, and then the change is delivered again
		f.message(awa, person(shops, "ML.9009"))
		if _, err := f.Change(t.Context(), &moved); err != nil {
			t.Fatal(err)
		}
		f.expect(person(shops, "ML.9009"), awa)
		f.expect(person(shops, newer), "")
	})
}

// The LID of a person stays when the number changes, so its pair is used for 30 days after its last confirmation.
func TestLID(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.message(awa, person(shops, lid))
		f.message(awa, person(shops, old))
		for range 3 {
			f.clock.Advance(29 * 24 * time.Hour)
			f.expect(person(shops, lid), awa)
			f.message(awa, person(shops, lid))
		}
		f.clock.Advance(30 * 24 * time.Hour)
		f.expect(person(shops, lid), "")
		f.expect(person(shops, old), awa)
		f.message(binta, person(shops, lid))
		f.expect(person(shops, lid), binta)
		f.clock.Advance(24 * time.Hour)
		f.message(awa, person(shops, lid))
		f.expect(person(shops, lid), "") // two numbers in 30 days
	})
}

// Erasing one number of a contradiction leaves no pair that identifies the other.
func TestForget(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		for _, half := range []string{awa, binta, old, lid} {
			f.message(awa, person(shops, old))
			f.message(binta, person(shops, old))
			f.message(awa, person(banks, lid))
			f.message("22376000009", person(shops, "ML.9"))
			if err := f.d.Write(t.Context(), func(tx *db.Tx) error { return errors.Join(f.Forget(tx, half), f.Forget(tx, "")) }); err != nil {
				t.Fatal(err)
			}
			f.expect(person(shops, old), "")
			f.expect(person(shops, "ML.9"), "22376000009")
			list, err := f.List(t.Context(), &identity.Filter{Half: half}, 10)
			if err != nil || len(list) > 0 {
				t.Errorf("%s: %+v, %v", half, list, err)
			}
		}
	})
}

func TestListAndPurge(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		for i := range 5 {
			f.message(fmt.Sprintf("2237600000%d", i), person(shops, fmt.Sprintf("ML.%d", i)))
		}
		var all []string
		filter := identity.Filter{}
		for range 3 {
			page, err := f.List(t.Context(), &filter, 2)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range page {
				all, filter.After = append(all, p.ID), p
			}
		}
		if want := []string{"ML.0", "ML.1", "ML.2", "ML.3", "ML.4"}; !slices.Equal(all, want) {
			t.Errorf("pages: %q, want %q", all, want)
		}
		f.clock.Advance(399 * 24 * time.Hour)
		f.message("22376000004", person(shops, "ML.4"))
		f.clock.Advance(25 * time.Hour)
		if err := f.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		list, err := f.List(t.Context(), &identity.Filter{}, 10)
		if err != nil || len(list) != 1 || list[0].ID != "ML.4" || !list[0].LearnedAt.Before(list[0].ConfirmedAt) {
			t.Errorf("after 400 days: %+v, %v, want the confirmed pair", list, err)
		}
	})
}

// A pair that is known is neither written nor read again.
func TestLearn_Costs(t *testing.T) {
	d := dbtest.SQLite(t)
	f := &fixture{t: t, d: d, clock: clock.NewFake(time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC))}
	f.Store = identity.New(f.options())
	queries := 0
	d.OnQuery(func(string, []any, bool) { queries++ })
	step := func(from, id string) (reads int, writes int64) {
		before, _ := d.Stats()
		queries = 0
		f.message(from, person(shops, id))
		after, _ := d.Stats()
		return queries, after - before
	}
	if _, writes := step(awa, old); writes != 1 {
		t.Errorf("the first message: %d writes, want one", writes)
	}
	if reads, writes := step(awa, old); reads+int(writes) != 0 {
		t.Errorf("the next message: %d reads and %d writes, want none", reads, writes)
	}
	f.clock.Advance(6 * time.Second)
	if reads, writes := step(awa, old); reads != 1 || writes != 0 {
		t.Errorf("after six seconds: %d reads and %d writes, want one read", reads, writes)
	}
	f.clock.Advance(24 * time.Hour)
	if _, writes := step(awa, old); writes != 1 {
		t.Errorf("after a day: %d writes, want one", writes)
	}
	if reads, writes := step(awa, ""); reads+int(writes) != 0 {
		t.Errorf("without an ID: %d reads and %d writes, want none", reads, writes)
	}
}

// A pair that ended at another node is learned again here within seconds.
func TestLearn_AfterAnotherNodeHasEndedThePair(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.message(awa, person(shops, old))
		other := identity.New(f.options())
		if done, err := other.Withdraw(t.Context(), shops, old, awa, func(*db.Tx) error { return nil }); err != nil || !done {
			t.Fatal(done, err)
		}
		f.expect(person(shops, old), "")
		f.clock.Advance(6 * time.Second)
		f.message(awa, person(shops, old))
		f.expect(person(shops, old), awa)
	})
}

// Two spellings of one number don't contradict each other, and the latest is used as it is.
func TestConflict_SpellingsOfOneNumber(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		const dialed, known = "5511987654321", "551187654321"
		f.message(dialed, person(shops, "BR.1"))
		f.clock.Advance(time.Minute)
		in := gateway.Inbound{From: known, Person: person(shops, "BR.1"), At: f.clock.Now()}
		if conflict, err := f.Inbound(t.Context(), &in); err != nil || conflict {
			t.Errorf("conflict %v, %v, want none", conflict, err)
		}
		f.expect(person(shops, "BR.1"), known)
	})
}
