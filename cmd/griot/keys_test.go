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
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
)

// withOldKey makes a signing key that is due to be replaced, in a database that nobody has open.
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

// A node of the auth role publishes the next key when the active one is old; others leave the keys alone.
func TestBackground_TendsTheKeys(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "griot.db")
	key, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	withOldKey(t, url, key)
	var d *db.DB
	app := func(role string) *app {
		var err error
		if d, err = db.Open(t.Context(), url); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		a, err := newApp(t.Context(), settings{
			db: d, key: key, log: slog.New(slog.DiscardHandler), roles: []string{role}, authURL: "http://127.0.0.1:8081", apiURL: "http://127.0.0.1:8080",
			gateways: func() ([]gatewaystore.Configured, error) { return nil, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if runs := app(config.RoleAPI).background(); len(runs) != 7 { // its own, the database's, what other nodes change, the gateways' two, the master key's, and the clock's
		t.Errorf("a node of the API alone has %d things to do in the background, want 7", len(runs))
	}
	must(t, d.Close()) // one process has the file
	a := app(config.RoleAuth)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	runs := a.background()
	for _, run := range runs {
		go func() { ended <- run(ctx) }()
	}
	eventually(t, 20*time.Second, func() error {
		w := httptest.NewRecorder()
		a.auth.Public().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8081/.well-known/jwks.json", nil))
		var keys token.JWKS
		if err := json.Unmarshal(w.Body.Bytes(), &keys); err != nil {
			return err
		}
		if len(keys.Keys) != 2 {
			return errNotYet
		}
		return nil
	})
	stop()
	for range runs {
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(exitTime):
			t.Fatal("the background work does not end")
		}
	}
}
