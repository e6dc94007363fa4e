package masterkey_test

import (
	"errors"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/masterkey"
	"example.com/griot/internal/seal"
)

// isWrong checks that an error names the configured key and the database's; an unknown one is empty.
func isWrong(t *testing.T, err error, configured, used string) {
	t.Helper()
	if wrong, ok := errors.AsType[*seal.WrongKeyError](err); !ok || wrong.Configured != configured || wrong.Used != used {
		t.Errorf("got %v, want the wrong key %q, and %q in use", err, configured, used)
	}
}

// The first start stores the name of the key, although nothing is sealed yet.
func TestOpen_StoresTheNameOfTheKey(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		first, second := newKey(t), newKey(t)
		if err := rotation(d, first).Check(t.Context()); err != nil {
			t.Errorf("on an empty database: %v", err)
		}
		if err := rotation(d, first).Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{
			"open": rotation(d, newerThan(second)).Open(t.Context()), "check": rotation(d, newerThan(second)).Check(t.Context()), "follow": masterkey.Follow(t.Context(), d, newerThan(second)),
		} {
			t.Log(name)
			isWrong(t, err, second.Name(), first.Name())
		}
		if err := rotation(d, newerThan(first)).Open(t.Context()); err != nil {
			t.Errorf("a second start: %v", err)
		}
		if _, err := rotation(d, newerThan(first)).Begin(t.Context()); !errors.Is(err, masterkey.ErrSameKey) {
			t.Errorf("a rotation with one key: %v, want %v", err, masterkey.ErrSameKey)
		}
		r := rotation(d, second.WithPrevious(first))
		if err := r.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r.Key.Sealing() != first.Name() {
			t.Error("the new key seals before its rotation")
		}
		if _, err := r.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := r.Finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s, err := r.State(t.Context()); err != nil || s.First != first.Name() || s.Sealing != second.Name() || s.Pass == 0 {
			t.Errorf("after a rotation: %+v, %v", s, err)
		}
	})
}

// A database from before names were stored gets the name of a key that opens something in it, and no other.
func TestOpen_ADatabaseWithoutAName(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		right, wrong, lost := newKey(t), newKey(t), newKey(t)
		store(t, d, lost, 0, 2)
		store(t, d, right, 2, 2)
		for range 2 {
			isWrong(t, rotation(d, newerThan(wrong)).Check(t.Context()), wrong.Name(), "")
			isWrong(t, rotation(d, newerThan(wrong)).Open(t.Context()), wrong.Name(), "")
		}
		if err := rotation(d, newerThan(right)).Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		isWrong(t, rotation(d, newerThan(wrong)).Open(t.Context()), wrong.Name(), right.Name())
	})
}
