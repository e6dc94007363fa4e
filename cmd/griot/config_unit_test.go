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

// config check warns if systemd would kill Griot while it drains. The administrator's unit takes precedence, then the
// package's, then that of init, each followed by drop-ins.
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
	want(10*time.Second, "kills Griot 45 seconds after", "etc/griot/griot.service", "a stop can take 55", "TimeoutStopSec=55")
	write("usr/lib/systemd/system/griot.service", unit("/elsewhere.yaml", "5"))
	want(0)
	write("etc/systemd/system/griot.service", unit(file, "60s"))
	want(15 * time.Second)
	want(16*time.Second, "kills Griot 60 seconds after", "etc/systemd/system/griot.service")
	write("etc/systemd/system/griot.service.d/override.conf", "[Service]\nTimeoutStopSec=90\n")
	want(45 * time.Second)
	want(46*time.Second, "override.conf")
}

// An invalid gateway secret in its own file is reported on the line of the setting that names the file.
func TestLoadConfig_AWrongSecretInAFile(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("two words\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(t.TempDir(), "long")
	if err := os.WriteFile(long, []byte(strings.Repeat("x", 65)), 0o600); err != nil {
		t.Fatal(err)
	}
	for settings, want := range map[string]string{
		"kind: cloudapi\n    settings:\n      access_token_file: " + secret:                                                                                  "9: gateways[0].settings.access_token_file",
		"kind: resend\n    settings:\n      api_key: x\n      webhook_secret_file: " + secret:                                                                "10: gateways[0].settings.webhook_secret_file",
		"kind: resend\n    settings:\n      api_key: x\n      webhook_secret_file: " + long:                                                                  "10: gateways[0].settings.webhook_secret_file",
		"kind: smpp\n    settings:\n      host: 127.0.0.1\n      port: 2775\n      system_id: x\n      password_file: " + long:                               "12: gateways[0].settings.password_file",
		"kind: remote\n    settings:\n      url: https://example.com\n      channels: [sms]\n      keys:\n        - id: x\n          secret_file: " + secret: "8: gateways[0].settings: keys[0].secret_file must be one word in ASCII",
		"kind: cloudapi\n    settings:\n      access_token: two words":                                                                                       "9: gateways[0].settings.access_token",
	} {
		file := filepath.Join(t.TempDir(), "griot.yaml")
		text := "database: sqlite:" + filepath.Join(t.TempDir(), "griot.db") + "\nmaster_key: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\nauth: {url: 'https://login.example.com'}\napi: {url: 'https://api.example.com'}\ngateways:\n  - name: x\n    " + settings + "\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := loadConfig(file, nil); err == nil || !strings.Contains(err.Error(), file+":"+want) {
			t.Errorf("%q:\ngot  %v\nwant line and setting %s", settings, err, want)
		}
	}
}
