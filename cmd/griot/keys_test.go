package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"example.com/griot/auth/token"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/task"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// withOldKey creates a signing key that is due for replacement, in a database that no process has open.
func withOldKey(t *testing.T, url string, key *seal.Key) {
	t.Helper()
	d, err := db.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	long := clock.NewFake(clock.System().Add(-91 * 24 * time.Hour))
	if _, err := token.Open(t.Context(), d, key, long.Now); err != nil {
		t.Fatal(err)
	}
}

// A node with the auth role publishes the next key if the active one is old; others don't change the keys.
func TestTasks_TendTheKeys(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "griot.db")
	key, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	withOldKey(t, url, key)
	d, err := db.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	c := config.Default()
	c.Roles, c.Auth.URL, c.API.URL = []string{config.RoleAuth}, "http://127.0.0.1:8081", "http://127.0.0.1:8080"
	a, err := startServer(t.Context(), d, key, c, false, slog.New(slog.DiscardHandler), newProbes())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- task.All(ctx, a.tasks()...) }()
	waittest.Until(t, func() error {
		w := httptest.NewRecorder()
		a.auth.Public().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8081/.well-known/jwks.json", nil))
		var keys token.JWKS
		if err := json.Unmarshal(w.Body.Bytes(), &keys); err != nil {
			return err
		}
		if len(keys.Keys) != 2 {
			return systemtest.ErrNotYet
		}
		return nil
	})
	stop()
	select {
	case err := <-ended:
		systemtest.Must(t, err)
	case <-time.After(systemtest.ExitTime):
		t.Fatal("the background work does not end")
	}
}
