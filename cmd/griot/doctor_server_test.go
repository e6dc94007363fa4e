package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"example.com/griot/internal/config"
	"example.com/griot/internal/doctor"
	"example.com/griot/internal/seal"
)

// The server runs the doctor's checks on itself, with its own database and gateways.
func TestDoctor_InTheServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.Database, cfg.Auth.URL, cfg.API.URL = "sqlite:"+filepath.Join(dir, "griot.db"), "http://127.0.0.1:1", "http://127.0.0.1:1"
	cfg.Auth.Receivers = []config.Receiver{{PhoneID: "main", Number: "22370000001", Gateway: "gone"}}
	key, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	d, err := openDeployed(t.Context(), cfg.Database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	a, err := startServer(t.Context(), d, key, cfg, false, slog.New(slog.DiscardHandler), newProbes())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.gateways.Close() })
	report := a.examine(t.Context())
	for check, want := range map[string]struct {
		status doctor.Status
		page   string
	}{
		"server": {doctor.OK, ""}, "database": {doctor.OK, ""}, "schema": {doctor.OK, ""}, "lock": {doctor.OK, ""}, "master-key": {doctor.OK, ""}, "webhooks": {doctor.OK, ""},
		"gateways": {doctor.Warning, "gateways"}, "receivers": {doctor.Failed, "gateways"},
	} {
		found := false
		for _, f := range report.Findings {
			found = found || f.Check == check && f.Status == want.status && f.Page == want.page
		}
		if !found {
			t.Errorf("no finding of %s that is %s and leads to %q: %+v", check, want.status, want.page, report.Findings)
		}
	}
}
