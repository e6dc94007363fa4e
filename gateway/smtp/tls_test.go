package smtp

import (
	"crypto/tls"
	"io"
	"testing"

	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
)

func TestTLS(t *testing.T) {
	cert, caFile := peertest.Certificate(t, "127.0.0.1")
	other, otherFile := peertest.Certificate(t, "127.0.0.2")
	for _, tt := range []struct {
		name     string
		cert     *tls.Certificate
		implicit bool
		settings map[string]any
		want     string // of the failure; "" if the message arrives
	}{
		{name: "starttls", cert: cert, settings: map[string]any{"tls": "starttls", "ca_file": caFile}},
		{name: "implicit", cert: cert, implicit: true, settings: map[string]any{"tls": "implicit", "ca_file": caFile}},
		{
			name: "starttls, unknown authority", cert: cert, want: "sender_down tls_failed",
			settings: map[string]any{"tls": "starttls"},
		},
		{
			name: "implicit, unknown authority", cert: cert, implicit: true, want: "sender_down tls_failed",
			settings: map[string]any{"tls": "implicit", "ca_file": otherFile},
		},
		{
			name: "starttls, another's certificate", cert: other, want: "sender_down tls_failed",
			settings: map[string]any{"tls": "starttls", "ca_file": otherFile},
		},
		{
			name: "starttls not offered", want: "sender_down tls_unavailable",
			settings: map[string]any{"tls": "starttls"},
		},
		{
			name: "implicit to a plain port", want: "sender_down tls_failed",
			settings: map[string]any{"tls": "implicit"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRelay(t, tt.cert, tt.implicit)
			s, _ := open(t, r.settings(credentials(tt.settings)))
			_, err := s.Send(t.Context(), message())
			if tt.want != "" {
				gatewaytest.WantFailure(t, err, tt.want)
				if r.currentStats().logins != 0 || len(r.allReceived()) != 0 {
					t.Errorf("%d logins and %d messages on a connection that isn't trusted", r.currentStats().logins, len(r.allReceived()))
				}
				return
			}
			if err != nil || r.currentStats().logins != 1 || len(r.allReceived()) != 1 {
				t.Errorf("Send: %v, %d logins, %d messages", err, r.currentStats().logins, len(r.allReceived()))
			}
		})
	}
}

// A connection that is lost within the handshake is a temporary failure.
func TestTLS_LostInHandshakeIsTemporary(t *testing.T) {
	for name, tt := range map[string]struct {
		mode string
		talk func(w *wire)
	}{
		"starttls": {startTLS, func(w *wire) {
			w.acceptEHLO("STARTTLS")
			w.expect("STARTTLS")
			w.write("220 go on")
			_, _ = io.ReadFull(w.r, make([]byte, 5))
		}},
		"implicit": {implicitTLS, func(w *wire) { _, _ = io.ReadFull(w.r, make([]byte, 5)) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := open(t, override(t, serveScripts(t, tt.talk), map[string]any{"tls": tt.mode}))
			_, err := s.Send(t.Context(), message())
			gatewaytest.WantFailure(t, err, "temporary smtp_unavailable")
		})
	}
}

// Replies that were injected in plain text before TLS are not treated as replies within it.
func TestTLS_IgnoresInjectedReplies(t *testing.T) {
	t.Parallel()
	s, _ := open(t, override(t, serveScripts(t, func(w *wire) {
		w.acceptEHLO("STARTTLS")
		w.expect("STARTTLS")
		w.write("220 go on", "250 relay.test")
		_, _ = io.ReadFull(w.r, make([]byte, 5))
	}), map[string]any{"tls": "starttls"}))
	if _, err := s.Send(t.Context(), message()); err == nil {
		t.Error("Send succeeds although nobody has accepted the message")
	}
}
