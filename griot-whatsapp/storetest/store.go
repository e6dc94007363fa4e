package storetest

import (
	"bytes"
	"path/filepath"
	"testing"

	"example.com/griot/griot-whatsapp/internal/seal"
	"example.com/griot/griot-whatsapp/store"
)

// Limits are large enough for every test that does not test them.
var Limits = store.Limits{Events: 1000, Bytes: 16 << 20}

// Box returns the key that the stores are encrypted with.
func Box(t testing.TB) *seal.Box {
	t.Helper()
	box, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// Open opens the store at an address.
func Open(t testing.TB, address string, limits store.Limits) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), address, Box(t), limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// New opens a new store in a file.
func New(t testing.TB) *store.Store {
	t.Helper()
	return Open(t, filepath.Join(t.TempDir(), "store.db"), Limits)
}

// Each runs a test on both databases. The address is that of an empty store.
func Each(t *testing.T, run func(t *testing.T, address string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { run(t, filepath.Join(t.TempDir(), "store.db")) })
	t.Run("postgres", func(t *testing.T) { run(t, Postgres(t)) })
}
