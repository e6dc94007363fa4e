package setting_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/griot/gateway/internal/setting"
)

func modes() []setting.TLSMode {
	return []setting.TLSMode{{Name: "implicit", Port: 465}, {Name: setting.NoTLS, Port: 25}}
}

func TestServer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		given     setting.Server
		port      int
		encrypted bool
	}{
		{setting.Server{Host: "relay.test"}, 465, true},
		{setting.Server{Host: "\u00a0relay.test\u200b"}, 465, true},
		{setting.Server{Host: "relay.test", Port: 1}, 1, true},
		{setting.Server{Host: "relay.tést"}, 465, true},
		{setting.Server{Host: "localhost", TLS: "none"}, 25, false},
		{setting.Server{Host: "relay.test", TLS: "none", AllowPlaintext: true}, 25, false},
	} {
		s := tt.given
		if err := s.Check(modes()...); err != nil || s.Port != tt.port {
			t.Errorf("%+v: got port %d, %v; want %d", tt.given, s.Port, err, tt.port)
		}
		config, err := s.TLSConfig()
		if err != nil || (config != nil) != tt.encrypted || config != nil && !slices.Contains([]string{"relay.test", "relay.xn--tst-bma"}, config.ServerName) {
			t.Errorf("%+v: got %v, %v; want TLS to relay.test: %v", tt.given, config, err, tt.encrypted)
		}
	}
}

func TestServer_Refuses(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]setting.Server{
		"host must be":           {},
		"host must be a name":    {Host: "a b"},
		"host must be a name or": {Host: "-é.test"},
		"tls must be one of":     {Host: "relay.test", TLS: "starttls"},
		"tls can be none only":   {Host: "relay.test", TLS: "none"},
		"allow_plaintext goes":   {Host: "relay.test", AllowPlaintext: true},
		"ca_file has no use":     {Host: "localhost", TLS: "none", CAFile: "ca.pem"},
		"port must be from 1 to": {Host: "relay.test", Port: 65536},
	} {
		if err := s.Check(modes()...); err == nil || !strings.Contains(err.Error(), "settings: "+want) {
			t.Errorf("%+v: got %v, want %q", s, err, want)
		}
	}
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := setting.Server{Host: "relay.test", CAFile: empty}
	if err := s.Check(modes()...); err != nil {
		t.Fatal(err)
	}
	if _, err := s.TLSConfig(); err == nil || !strings.Contains(err.Error(), "ca_file") {
		t.Errorf("got %v, want an error about ca_file", err)
	}
}
