package systemtest

import (
	"io"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"

	smtpserver "github.com/emersion/go-smtp"

	"example.com/griot/internal/waittest"
)

// Relay is a mail server that stores the emails it receives, and refuses recipients at refused.example.
type Relay struct {
	Mu       sync.Mutex
	Received []*mail.Message
	Texts    []string // their bodies
}

// StartRelay starts an SMTP server.
func StartRelay(t *testing.T) (*Relay, int) {
	t.Helper()
	r := &Relay{}
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

// Text waits for the relay's n-th email, and returns its text.
func (r *Relay) Text(t *testing.T, n int) string {
	t.Helper()
	text := ""
	waittest.Until(t, func() error {
		r.Mu.Lock()
		defer r.Mu.Unlock()
		if len(r.Texts) < n {
			return ErrNotYet
		}
		text = r.Texts[n-1]
		return nil
	})
	return text
}

// Mail waits for the relay's n-th email, and returns it.
func (r *Relay) Mail(n int) *mail.Message {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	return r.Received[n]
}

// NewSession is part of the SMTP server's interface.
func (r *Relay) NewSession(*smtpserver.Conn) (smtpserver.Session, error) { return relaySession{r}, nil }

type relaySession struct{ r *Relay }

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
	s.r.Mu.Lock()
	defer s.r.Mu.Unlock()
	s.r.Received, s.r.Texts = append(s.r.Received, m), append(s.r.Texts, string(text))
	return err
}

func (s relaySession) Reset() {}

func (s relaySession) Logout() error { return nil }
