package operatortest

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
)

// MailServer is a mail server that accepts every login. It refuses recipients whose address starts with "gone", and ends
// the connection after a mail to one that starts with "lost".
type MailServer struct {
	Port string

	mu    sync.Mutex
	mails []string
}

// NewMailServer starts a mail server that runs until the test ends.
func NewMailServer(t testing.TB) *MailServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	s := &MailServer{}
	_, s.Port, _ = net.SplitHostPort(listener.Addr().String())
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(c)
		}
	}()
	return s
}

// Mails returns the mails so far, with their headers.
func (s *MailServer) Mails() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.mails...)
}

func (s *MailServer) serve(c net.Conn) {
	defer c.Close()
	_, _ = fmt.Fprint(c, "220 mail.test ESMTP\r\n")
	to := ""
	for lines := bufio.NewScanner(c); lines.Scan(); {
		switch word, rest, _ := strings.Cut(lines.Text(), " "); word {
		case "EHLO":
			_, _ = fmt.Fprint(c, "250-mail.test\r\n250 AUTH PLAIN\r\n")
		case "AUTH":
			_, _ = fmt.Fprint(c, "235 welcome\r\n")
		case "RCPT":
			to = strings.TrimPrefix(rest, "TO:<")
			if strings.HasPrefix(to, "gone") {
				_, _ = fmt.Fprint(c, "550 5.1.1 no such mailbox\r\n")
				continue
			}
			_, _ = fmt.Fprint(c, "250 ok\r\n")
		case "DATA":
			_, _ = fmt.Fprint(c, "354 go on\r\n")
			var mail strings.Builder
			for lines.Scan() && lines.Text() != "." {
				mail.WriteString(lines.Text() + "\n")
			}
			s.mu.Lock()
			s.mails = append(s.mails, mail.String())
			s.mu.Unlock()
			if strings.HasPrefix(to, "lost") {
				return
			}
			_, _ = fmt.Fprint(c, "250 2.0.0 queued as A1B2\r\n")
		case "QUIT":
			return
		default:
			_, _ = fmt.Fprint(c, "250 ok\r\n")
		}
	}
}
