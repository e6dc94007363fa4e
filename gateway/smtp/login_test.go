package smtp

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/gateway/gatewaytest"
)

func credentials(more map[string]any) map[string]any {
	members := map[string]any{"username": testUser, "password": testPassword}
	for k, v := range more {
		members[k] = v
	}
	return members
}

func TestLogin(t *testing.T) {
	t.Parallel()
	r := newRelay(t, nil, false)
	s, _ := open(t, r.settings(credentials(nil)))
	for range 2 {
		if _, err := s.Send(t.Context(), message()); err != nil {
			t.Fatal(err)
		}
	}
	if r.currentStats().logins != 1 {
		t.Errorf("%d logins for two messages, want 1", r.currentStats().logins)
	}
	wrong, _ := open(t, r.settings(credentials(map[string]any{"password": "balafon"})))
	_, err := wrong.Send(t.Context(), message())
	gatewaytest.WantFailure(t, err, "sender_down credentials_refused 535 5.7.8")
	if strings.Contains(err.Error(), "balafon") || strings.Contains(err.Error(), testUser) {
		t.Errorf("the error repeats the credentials: %v", err)
	}
	if n := len(r.allReceived()); n != 2 {
		t.Errorf("%d messages arrived, want 2", n)
	}
}

func TestLogin_PasswordFromAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(testPassword+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRelay(t, nil, false)
	s, _ := open(t, r.settings(map[string]any{"username": testUser, "password_file": file}))
	if _, err := s.Send(t.Context(), message()); err != nil || r.currentStats().logins != 1 {
		t.Errorf("Send: %v, %d logins", err, r.currentStats().logins)
	}
}

func TestLogin_MechanismLOGIN(t *testing.T) {
	t.Parallel()
	decode := func(line string) string {
		b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(line))
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
	s, _ := open(t, override(t, serveScripts(t, func(w *wire) {
		w.acceptEHLO("AUTH LOGIN CRAM-MD5")
		w.expect("AUTH LOGIN")
		w.write("334 VXNlcm5hbWU6")
		if got := decode(w.expect("")); got != testUser {
			t.Errorf("username %q", got)
		}
		w.write("334 UGFzc3dvcmQ6")
		if got := decode(w.expect("")); got != testPassword {
			t.Errorf("password %q", got)
		}
		w.write("235 2.7.0 welcome")
		w.acceptMessage()
		w.expect("QUIT")
		w.write("221 bye")
	}), credentials(nil)))
	if _, err := s.Send(t.Context(), message()); err != nil {
		t.Error(err)
	}
}

func TestLogin_Refusals(t *testing.T) {
	for _, tt := range []struct{ reply, want string }{
		{"535 5.7.8 bad credentials", "sender_down credentials_refused 535 5.7.8"},
		{"534 5.7.9 too weak", "sender_down credentials_refused 534 5.7.9"},
		{"454 4.7.0 later", "temporary smtp_unavailable 454 4.7.0"},
		{"421 4.3.2 later", "temporary smtp_unavailable 421 4.3.2"},
		{"", "temporary smtp_unavailable"},
	} {
		t.Run(tt.reply, func(t *testing.T) {
			t.Parallel()
			s, _ := open(t, override(t, serveScripts(t, func(w *wire) {
				w.acceptEHLO("AUTH PLAIN")
				w.expect("AUTH PLAIN")
				if tt.reply != "" {
					w.write(tt.reply)
				}
			}), credentials(nil)))
			_, err := s.Send(t.Context(), message())
			gatewaytest.WantFailure(t, err, tt.want)
		})
	}
}

func TestLogin_NotOffered(t *testing.T) {
	for _, extension := range []string{"SIZE", "AUTH GSSAPI"} {
		t.Run(extension, func(t *testing.T) {
			t.Parallel()
			s, _ := open(t, override(t, serveScripts(t, func(w *wire) { w.acceptEHLO(extension) }), credentials(nil)))
			_, err := s.Send(t.Context(), message())
			gatewaytest.WantFailure(t, err, "sender_down login_unsupported")
		})
	}
}
