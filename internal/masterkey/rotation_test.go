package masterkey_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/masterkey"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/waittest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func newKey(t *testing.T) *seal.Key {
	t.Helper()
	k, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func rotation(d *db.DB, key *seal.Key) *masterkey.Rotation {
	return &masterkey.Rotation{
		DB: d, Key: key, Now: clock.System, Log: slog.New(slog.DiscardHandler), Lasting: []string{"lasting"}, Walks: true,
		Places: []masterkey.Place{{Table: "gateways", Column: "settings", Purpose: "p", Key: "name", Size: 3}},
	}
}

// store stores texts that a key has sealed.
func store(t *testing.T, d *db.DB, key *seal.Key, from, n int) {
	t.Helper()
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		for i := from; i < from+n; i++ {
			name := fmt.Sprintf("g%03d", i)
			if _, err := tx.Exec(`INSERT INTO gateways (name, kind, settings, revision, created_at) VALUES ($1, 'k', $2, 'r', 0)`, name, key.Box("p").Seal([]byte(name), name)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// run makes a process follow the rotation until the test ends.
func run(t *testing.T, r *masterkey.Rotation) (stop func()) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = r.Run(ctx) })
	stop = func() { end(); wg.Wait() }
	t.Cleanup(stop)
	return stop
}

func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	waittest.Until(t, func() error {
		if !done() {
			return errors.New("not yet: " + what)
		}
		return nil
	})
}

// A rotation without a server does all the work. Texts that neither key opens are counted and left unchanged, and
// another key is refused.
func TestRotation_Alone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		first, second, lost := newKey(t), newKey(t), newKey(t)
		store(t, d, first, 0, 10)
		store(t, d, lost, 10, 1)
		if _, err := rotation(d, first).Begin(t.Context()); !errors.Is(err, masterkey.ErrSameKey) {
			t.Errorf("with one key: %v, want %v", err, masterkey.ErrSameKey)
		}
		r := rotation(d, second.WithPrevious(first))
		if _, err := r.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := masterkey.Follow(t.Context(), d, newerThan(second)); err == nil || !strings.Contains(err.Error(), "still needed") {
			t.Errorf("without the key before, in the middle: %v", err)
		}
		if err := r.Finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		s, err := r.State(t.Context())
		if err != nil || s.FinishedAt.IsZero() || s.Resealed != 11 || s.Unreadable != 1 || s.Sealing != second.Name() || s.First != first.Name() { // 10 and the lasting secret
			t.Errorf("%+v, %v", s, err)
		}
		if err := masterkey.Follow(t.Context(), d, first); err == nil {
			t.Error("the key before is accepted")
		} else {
			isWrong(t, err, first.Name(), second.Name())
		}
		alone := newerThan(second)
		if err := masterkey.Follow(t.Context(), d, alone); err != nil {
			t.Fatal(err)
		}
		if got, want := alone.Lasting("lasting").MAC("x"), first.Lasting("lasting").MAC("x"); string(got) != string(want) {
			t.Error("the lasting secret has changed")
		}
		third := newKey(t)
		again := rotation(d, third.WithPrevious(alone))
		if _, err := again.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := again.Finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s, err := again.State(t.Context()); err != nil || s.Resealed != 11 || s.First != first.Name() {
			t.Errorf("a second rotation: %+v, %v", s, err)
		}
	})
}

// newerThan returns the same key for another process.
func newerThan(k *seal.Key) *seal.Key { return k.WithPrevious() }

// No process can lack the new key, nothing is sealed again before all processes seal with it, and together they walk
// once.
func TestRotation_SeveralProcesses(t *testing.T) {
	t.Parallel()
	d := dbtest.Postgres(t)
	first, second := newKey(t), newKey(t)
	store(t, d, first, 0, 50)
	late := rotation(d, newerThan(first))
	stop := run(t, late)
	r := rotation(d, second.WithPrevious(first))
	until(t, "the process without the key is seen", func() bool {
		n := 0
		_, err := d.Read(t.Context()).Row(`SELECT count(*) FROM master_key_holders`).Scan(&n)
		return err == nil && n == 1
	})
	if _, err := r.Begin(t.Context()); !errors.Is(err, masterkey.ErrBehind) {
		t.Errorf("with a process that has no new key: %v, want %v", err, masterkey.ErrBehind)
	}
	stop()
	run(t, rotation(d, second.WithPrevious(first)))
	run(t, rotation(d, second.WithPrevious(first)))
	if _, err := r.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, "the rotation ends", func() bool {
		s, err := r.State(t.Context())
		return err == nil && !s.FinishedAt.IsZero()
	})
	if s, err := r.State(t.Context()); err != nil || s.Resealed != 51 || s.Unreadable != 0 {
		t.Errorf("%+v, %v, want 51 sealed anew", s, err)
	}
}
