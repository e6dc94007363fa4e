package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/config"
	"example.com/griot/test/system/systemtest"
)

// config check warns where systemd would kill Griot while it drains: the unit that counts is the administrator's, then the
// package's, then that of init, with drop-ins behind it.
func TestStopWarning(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file := filepath.Join(root, "etc/griot/griot.yaml")
	unit := func(of, stop string) string {
		return "[Service]\nExecStart=/usr/bin/griot serve --config " + of + "\nTimeoutStopSec=" + stop + "\n"
	}
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, path)
		systemtest.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		systemtest.Must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	want := func(delay time.Duration, words ...string) {
		t.Helper()
		got := stopWarning(&config.Config{DrainDelay: delay}, file, root)
		if (got == "") != (len(words) == 0) {
			t.Errorf("with drain_delay %v: %q, want %q in it", delay, got, words)
		}
		for _, w := range words {
			if !strings.Contains(got, w) {
				t.Errorf("with drain_delay %v: %q, want %q in it", delay, got, w)
			}
		}
	}
	want(time.Minute) // there is no unit
	write("etc/griot/griot.service", unit(file, "45"))
	want(0)
	want(10*time.Second, "kills 45 seconds after", "etc/griot/griot.service", "may take 55", "TimeoutStopSec=55")
	write("usr/lib/systemd/system/griot.service", unit("/elsewhere.yaml", "5"))
	want(0)
	write("etc/systemd/system/griot.service", unit(file, "60s"))
	want(15 * time.Second)
	want(16*time.Second, "kills 60 seconds after", "etc/systemd/system/griot.service")
	write("etc/systemd/system/griot.service.d/override.conf", "[Service]\nTimeoutStopSec=90\n")
	want(45 * time.Second)
	want(46*time.Second, "override.conf")
}
