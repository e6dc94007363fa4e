package smtp

import (
	"crypto/tls"
	"io"
	"testing"

	"griot/gateway/internal/peertest"
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
			_, err := s.Send(t.Context(), letter())
			if tt.want != "" {
				wantFailure(t, err, tt.want)
				if r.seen().logins != 0 || len(r.all()) != 0 {
					t.Errorf("%d logins and %d messages over a connection that isn't safe", r.seen().logins, len(r.all()))
				}
				return
			}
			if err != nil || r.seen().logins != 1 || len(r.all()) != 1 {
				t.Errorf("Send: %v, %d logins, %d messages", err, r.seen().logins, len(r.all()))
			}
		})
	}
}

// A network that cuts the connection within the handshake says nothing about the sender.
func TestTLS_LostInHandshakeIsTemporary(t *testing.T) {
	for name, tt := range map[string]struct {
		mode string
		talk func(w *wire)
	}{
		"starttls": {startTLS, func(w *wire) {
			w.welcome("STARTTLS")
			w.hear("STARTTLS")
			w.say("220 go on")
			_, _ = io.ReadFull(w.r, make([]byte, 5))
		}},
		"implicit": {implicitTLS, func(w *wire) { _, _ = io.ReadFull(w.r, make([]byte, 5)) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := open(t, with(t, play(t, tt.talk), map[string]any{"tls": tt.mode}))
			_, err := s.Send(t.Context(), letter())
			wantFailure(t, err, "temporary smtp_unavailable")
		})
	}
}

// What was said in clear before TLS isn't taken for an answer under it.
func TestTLS_IgnoresWhatWasInjectedBefore(t *testing.T) {
	t.Parallel()
	s, _ := open(t, with(t, play(t, func(w *wire) {
		w.welcome("STARTTLS")
		w.hear("STARTTLS")
		w.say("220 go on", "250 relay.test")
		_, _ = io.ReadFull(w.r, make([]byte, 5))
	}), map[string]any{"tls": "starttls"}))
	if _, err := s.Send(t.Context(), letter()); err == nil {
		t.Error("the message was taken by nobody, and Send says it was")
	}
}
