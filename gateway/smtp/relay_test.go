package smtp

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	gosmtp "github.com/emersion/go-smtp"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
)

const (
	testUser     = "griot-user"
	testPassword = "kora-à-21-cordes"
)

// relay is a scripted SMTP server on a loopback port.
type relay struct {
	addr *net.TCPAddr

	mu       sync.Mutex
	mode     string
	hang     *hang
	received []gatewaytest.Received
	stats    relayStats
}

// relayStats contains the counts of a relay, in addition to messages.
type relayStats struct {
	senders  []string // of each MAIL
	utf8     []bool   // of each MAIL: whether it requested SMTPUTF8
	logins   int
	sessions int
}

type hang struct {
	reached, released chan struct{}
	once              sync.Once
}

func (h *hang) release() { h.once.Do(func() { close(h.released) }) }

// newRelay starts a relay. With a certificate, it offers STARTTLS, or uses TLS from the start if implicit is set.
func newRelay(t *testing.T, cert *tls.Certificate, implicit bool) *relay {
	t.Helper()
	r := &relay{}
	server := gosmtp.NewServer(gosmtp.BackendFunc(r.session))
	server.Domain = "relay.test"
	server.AllowInsecureAuth = true
	server.EnableSMTPUTF8 = true
	server.MaxMessageBytes = 100_000
	server.ErrorLog = log.New(io.Discard, "", 0)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.addr = listener.Addr().(*net.TCPAddr)
	if cert != nil {
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*cert}}
	}
	if implicit {
		listener = tls.NewListener(listener, server.TLSConfig)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		r.mu.Lock()
		if r.hang != nil {
			r.hang.release()
		}
		r.mu.Unlock()
		_ = server.Close()
		_ = listener.Close() // which the server may not know yet
		if err := <-done; err != nil && !errors.Is(err, gosmtp.ErrServerClosed) {
			t.Error(err)
		}
	})
	return r
}

func (r *relay) setMode(mode string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mode = mode
}

func (r *relay) hangAt(mode string) gatewaytest.Hang {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := &hang{reached: make(chan struct{}), released: make(chan struct{})}
	r.mode, r.hang = mode, h
	return gatewaytest.Hang{Reached: h.reached, Release: h.release}
}

func (r *relay) allReceived() []gatewaytest.Received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]gatewaytest.Received(nil), r.received...)
}

func (r *relay) currentStats() relayStats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

// settings returns settings for the relay; more overrides members.
func (r *relay) settings(more map[string]any) json.RawMessage {
	members := map[string]any{"host": "127.0.0.1", "port": r.addr.Port, "tls": "none"}
	for k, v := range more {
		members[k] = v
	}
	raw, _ := json.Marshal(members)
	return raw
}

// open opens the driver, and closes it with the test.
func open(t *testing.T, raw json.RawMessage) (*sender, *gatewaytest.Environment) {
	t.Helper()
	env := gatewaytest.NewEnvironment()
	return gatewaytest.Open[*sender](t, Open, env, raw), env
}

// message returns a valid message.
func message() *gateway.Outbound {
	return &gateway.Outbound{
		Ref: "msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ", Channel: gateway.Email,
		From: "griot@example.org", To: "aissata@example.org", Subject: "Bonjour", Text: "Ça va ?",
	}
}

func (r *relay) session(c *gosmtp.Conn) (gosmtp.Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.sessions++
	return &session{relay: r, conn: c}, nil
}

type session struct {
	relay *relay
	conn  *gosmtp.Conn
	to    string
}

func (s *session) Reset()                   {}
func (s *session) Logout() error            { return nil }
func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		mode, _ := s.relay.update(func(r *relay) { r.stats.logins++ })
		if mode == "refuse login" || user != testUser || password != testPassword {
			return reply(535, 5, 7, 8, "no such login: "+user+" "+password)
		}
		return nil
	}), nil
}

func (s *session) Mail(from string, opts *gosmtp.MailOptions) error {
	s.relay.update(func(r *relay) {
		r.stats.senders = append(r.stats.senders, from)
		r.stats.utf8 = append(r.stats.utf8, opts.UTF8)
	})
	return nil
}

func (s *session) Rcpt(to string, _ *gosmtp.RcptOptions) error {
	s.to = to
	mode, h := s.relay.update(nil)
	switch mode {
	case "refuse for now":
		return reply(451, 4, 7, 1, "greylisted: <"+to+">")
	case "refuse recipient":
		return reply(550, 5, 1, 1, "<"+to+">: no such user")
	case "drop before":
		return s.conn.Conn().Close()
	case "hang before":
		h.wait()
		return reply(451, 4, 4, 2, "too late")
	}
	return nil
}

func (s *session) Data(content io.Reader) error {
	raw, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	got, err := read(raw)
	if err != nil {
		return err
	}
	got.To = s.to
	mode, h := s.relay.update(nil)
	if mode == "refuse" {
		return reply(554, 5, 6, 0, "not this to <"+s.to+">: "+got.Text)
	}
	s.relay.update(func(r *relay) { r.received = append(r.received, got) })
	switch mode {
	case "drop after":
		return s.conn.Conn().Close()
	case "hang after":
		h.wait()
	}
	return nil
}

func (r *relay) update(change func(*relay)) (string, *hang) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if change != nil {
		change(r)
	}
	return r.mode, r.hang
}

func (h *hang) wait() {
	close(h.reached)
	<-h.released
}

func reply(code, class, subject, detail int, text string) error {
	return &gosmtp.SMTPError{Code: code, EnhancedCode: gosmtp.EnhancedCode{class, subject, detail}, Message: text}
}
