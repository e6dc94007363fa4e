package smtp

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"

	"griot/gateway/internal/peertest"
)

// endless writes lines without an end, and returns how many bytes the driver let it write.
func endless(c net.Conn, line string) (written int) {
	lines := []byte(strings.Repeat(line, 1024))
	for written < 64<<20 {
		n, err := c.Write(lines)
		written += n
		if err != nil {
			break
		}
	}
	return written
}

// A reply without an end takes neither memory nor time, wherever it comes.
func TestSend_RepliesAreBounded(t *testing.T) {
	t.Parallel()
	cert, caFile := peertest.Certificate(t, "127.0.0.1")
	for name, tt := range map[string]struct {
		before func(w *wire)
		line   string
		tls    bool
		want   string
	}{
		"greeting":          {func(*wire) {}, "220-relay.test\r\n", false, "temporary smtp_unavailable"},
		"greeting, no line": {func(w *wire) { _, _ = io.WriteString(w.Conn, "220 ") }, "relay.test", false, "temporary smtp_unavailable"},
		"EHLO": {func(w *wire) {
			w.say("220 relay.test")
			w.hear("EHLO")
		}, "250-HELP\r\n", false, "temporary smtp_unavailable"},
		"EHLO under TLS": {func(w *wire) {
			w.welcome("STARTTLS")
			w.hear("STARTTLS")
			w.say("220 go on")
			w.Conn = tls.Server(w.Conn, &tls.Config{Certificates: []tls.Certificate{*cert}})
			w.r = bufio.NewReader(w.Conn)
			w.hear("EHLO")
		}, "250-HELP\r\n", true, "temporary smtp_unavailable"},
		"MAIL": {func(w *wire) {
			w.welcome()
			w.hear("MAIL")
		}, "250-ok\r\n", false, "temporary smtp_unavailable"},
		"final dot": {func(w *wire) {
			w.welcome()
			w.hear("MAIL")
			w.say("250 ok")
			w.hear("RCPT")
			w.say("250 ok")
			w.hear("DATA")
			w.say("354 go on")
			w.content()
		}, "250-ok\r\n", false, "unknown answer_lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			written := make(chan int, 1)
			raw := play(t, func(w *wire) {
				tt.before(w)
				written <- endless(w.Conn, tt.line)
			})
			if tt.tls {
				raw = with(t, raw, map[string]any{"tls": "starttls", "ca_file": caFile})
			}
			s, _ := open(t, raw)
			_, err := s.Send(t.Context(), letter())
			wantFailure(t, err, tt.want)
			if n := <-written; n > 16<<20 { // what the sockets hold, and no more
				t.Errorf("the relay could write %d bytes, want 64 KiB and what sockets hold", n)
			}
		})
	}
}

// What relays say in fact is far below the bound, also where it adds up over many messages.
func TestSend_BoundIsOfOneReply(t *testing.T) {
	t.Parallel()
	const messages = 6
	long := "250-" + strings.Repeat("x", 400)
	s, _ := open(t, play(t, func(w *wire) {
		w.welcome()
		for range messages {
			w.hear("MAIL FROM:<")
			for range 50 {
				w.say(long)
			}
			w.say("250 ok")
			w.hear("RCPT TO:<")
			w.say("250 ok")
			w.hear("DATA")
			w.say("354 go on")
			w.content()
			w.say("250 2.0.0 taken")
		}
		w.hear("QUIT")
		w.say("221 bye")
	}))
	for range messages {
		if _, err := s.Send(t.Context(), letter()); err != nil {
			t.Fatal(err)
		}
	}
}
