package operatortest

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
)

// MailServer starts a mail server that accepts every login, and returns its port.
func MailServer(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go serveMail(c)
		}
	}()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

func serveMail(c net.Conn) {
	defer c.Close()
	_, _ = fmt.Fprint(c, "220 mail.test ESMTP\r\n")
	for lines := bufio.NewScanner(c); lines.Scan(); {
		switch word, _, _ := strings.Cut(lines.Text(), " "); word {
		case "EHLO":
			_, _ = fmt.Fprint(c, "250-mail.test\r\n250 AUTH PLAIN\r\n")
		case "AUTH":
			_, _ = fmt.Fprint(c, "235 welcome\r\n")
		case "QUIT":
			return
		default:
			_, _ = fmt.Fprint(c, "250 ok\r\n")
		}
	}
}
