package main

import (
	"io"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"

	smtpserver "github.com/emersion/go-smtp"
)

// relay is a mail server that keeps what it gets, and refuses recipients at refused.example.
type relay struct {
	mu    sync.Mutex
	got   []*mail.Message
	texts []string // their bodies
}

func (r *relay) NewSession(*smtpserver.Conn) (smtpserver.Session, error) { return relaySession{r}, nil }

type relaySession struct{ r *relay }

func (s relaySession) Mail(string, *smtpserver.MailOptions) error { return nil }

func (s relaySession) Rcpt(to string, _ *smtpserver.RcptOptions) error {
	if strings.HasSuffix(to, "@refused.example") {
		return &smtpserver.SMTPError{Code: 550, EnhancedCode: smtpserver.EnhancedCode{5, 1, 1}, Message: "no such user"}
	}
	return nil
}

func (s relaySession) Data(body io.Reader) error {
	m, err := mail.ReadMessage(body)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	s.r.got, s.r.texts = append(s.r.got, m), append(s.r.texts, string(text))
	return err
}

func (s relaySession) Reset() {}

func (s relaySession) Logout() error { return nil }

func startRelay(t *testing.T) (*relay, int) {
	t.Helper()
	r := &relay{}
	s := smtpserver.NewServer(r)
	s.Domain, s.AllowInsecureAuth = "localhost", true
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	a, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatal("no port")
	}
	return r, a.Port
}
