package smtp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/setting"
)

func TestParse_Defaults(t *testing.T) {
	t.Parallel()
	for raw, port := range map[string]int{
		`{"host":"relay.test"}`:                                        587,
		`{"host":"relay.test","tls":"implicit"}`:                       465,
		`{"host":"localhost","tls":"none"}`:                            25,
		`{"host":"relay.test","tls":"none","allow_plaintext":true}`:    25,
		`{"host":"::1","tls":"none","port":2525}`:                      2525,
		`{"host":"relay.test","username":"a","password":"b","port":1}`: 1,
	} {
		s, err := parse(json.RawMessage(raw))
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if s.Port != port || s.Pool != 4 || s.ConnectTimeout != 15 || s.SendTimeout != 120 || s.IdleTimeout != 30 || s.helo() == "" {
			t.Errorf("%s: %+v", raw, s)
		}
	}
}

func TestParse_InternationalizedDomains(t *testing.T) {
	t.Parallel()
	s, err := parse(json.RawMessage(`{"host":"relais.Café.example","helo":"café.example","dkim_domain":"cafe\u0301.example","dkim_selector":"a","dkim_key_file":"b"}`))
	if err != nil || s.Host != "relais.xn--caf-dma.example" || s.helo() != "xn--caf-dma.example" || s.DKIMDomain != "xn--caf-dma.example" {
		t.Errorf("%v: %+v", err, s)
	}
}

func TestOpen_Refuses(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		``, `null`, `[]`, `{}`, `{"host":""}`, `{"host":"a b"}`, `{"host":"-é.example"}`, `{"host":"relay.test","helo":"☃.example"}`, `{"host":"a\r\nQUIT"}`, `{"host":"relay.test"} {}`, `{"host":"relay.test"`,
		`{"host":"relay.test","user":"a"}`,
		`{"host":"relay.test","tls":"opportunistic"}`,
		`{"host":"relay.test","tls":"none"}`,
		`{"host":"127.0.0.1.relay.test","tls":"none"}`,
		`{"host":"relay.test","allow_plaintext":true}`,
		`{"host":"localhost","tls":"none","ca_file":"ca.pem"}`,
		`{"host":"relay.test","username":"a"}`,
		`{"host":"relay.test","password":"b"}`,
		`{"host":"relay.test","password_file":"b"}`,
		`{"host":"relay.test","username":"a","password":"b","password_file":"b"}`,
		`{"host":"relay.test","helo":"a b"}`,
		`{"host":"relay.test","port":-1}`, `{"host":"relay.test","port":65536}`, `{"host":"relay.test","port":"587"}`,
		`{"host":"relay.test","pool":-1}`, `{"host":"relay.test","pool":101}`,
		`{"host":"relay.test","connect_timeout":601}`, `{"host":"relay.test","send_timeout":-1}`, `{"host":"relay.test","idle_timeout":3601}`,
	} {
		if _, err := Open(json.RawMessage(raw), gatewaytest.NewEnvironment().Deps()); err == nil {
			t.Errorf("%s is taken", raw)
		}
	}
}

func TestParse_KeepsSecretsOutOfErrors(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"host":"relay.test","username":"kora","password":"balafon","port":70000}`,
		`{"host":"relay.test","username":"kora","password":"balafon","tls":1}`,
		`{"host":"relay.test","password":"balafon"}`,
		`{"host":"relay.test","password":31415926535}`,
		`{"host":"relay.test","password":["balafon"]}`,
		`{"host":"relay.test","password":"balafon`,
	} {
		_, err := parse(json.RawMessage(raw))
		if err == nil || strings.Contains(err.Error(), "balafon") || strings.Contains(err.Error(), "kora") || strings.Contains(err.Error(), "31415") {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestOpen_ReadsFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{"empty.pem": "", "nothing.pem": "nothing"}
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ member, file string }{
		{"ca_file", "nothing.pem"},
		{"ca_file", "missing.pem"},
		{"password_file", "empty.pem"},
		{"password_file", "missing.pem"},
	} {
		members := map[string]any{"host": "relay.test", tt.member: filepath.Join(dir, tt.file)}
		if tt.member == "password_file" {
			members["username"] = testUser
		}
		raw, _ := json.Marshal(members)
		if _, err := Open(raw, gatewaytest.NewEnvironment().Deps()); err == nil || !strings.Contains(err.Error(), tt.member) {
			t.Errorf("%s %s: %v", tt.member, tt.file, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"host":"relay.test"}`, `{"host":"127.0.0.1","tls":"none","port":2525,"pool":1}`, `{"host":"relay.test","tls":"none"}`,
		`{"host":"relay.test","username":"a","password":"b","helo":"[192.0.2.1]"}`, `{"HOST":"a"}`, `{`, `nul`, `{"host":"\u0000"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := parse(raw)
		if err != nil {
			return
		}
		secure := s.TLS == startTLS || s.TLS == implicitTLS || s.TLS == setting.NoTLS && (s.AllowPlaintext || setting.IsLoopback(s.Host))
		if !secure || s.Port < 1 || s.Port > 65535 || s.Pool < 1 || s.ConnectTimeout < 1 || s.SendTimeout < 1 || s.IdleTimeout < 1 ||
			s.Host == "" || strings.ContainsAny(s.Host+s.helo(), " \r\n\x00") {
			t.Errorf("%q gives %+v", raw, s)
		}
		again, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := parse(again); err != nil || twice != s {
			t.Errorf("%q gives %+v, and that gives %+v, %v", raw, s, twice, err)
		}
	})
}
