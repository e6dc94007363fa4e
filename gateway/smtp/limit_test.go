package smtp

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"

	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
	"example.com/griot/internal/waittest"
)

// writeEndlessly writes lines until the driver closes the connection, and returns the number of written bytes.
func writeEndlessly(c net.Conn, line string) (written int) {
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

// An endless reply takes neither memory nor time, at any stage.
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
			w.write("220 relay.test")
			w.expect("EHLO")
		}, "250-HELP\r\n", false, "temporary smtp_unavailable"},
		"EHLO under TLS": {func(w *wire) {
			w.acceptEHLO("STARTTLS")
			w.expect("STARTTLS")
			w.write("220 go on")
			w.Conn = tls.Server(w.Conn, &tls.Config{Certificates: []tls.Certificate{*cert}})
			w.r = bufio.NewReader(w.Conn)
			w.expect("EHLO")
		}, "250-HELP\r\n", true, "temporary smtp_unavailable"},
		"MAIL": {func(w *wire) {
			w.acceptEHLO()
			w.expect("MAIL")
		}, "250-ok\r\n", false, "temporary smtp_unavailable"},
		"final dot": {func(w *wire) {
			w.acceptEHLO()
			w.expect("MAIL")
			w.write("250 ok")
			w.expect("RCPT")
			w.write("250 ok")
			w.expect("DATA")
			w.write("354 go on")
			w.readContent()
		}, "250-ok\r\n", false, "unknown answer_lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			written := make(chan int, 1)
			raw := serveScripts(t, func(w *wire) {
				tt.before(w)
				written <- writeEndlessly(w.Conn, tt.line)
			})
			if tt.tls {
				raw = override(t, raw, map[string]any{"tls": "starttls", "ca_file": caFile})
			}
			s, _ := open(t, raw)
			_, err := s.Send(t.Context(), message())
			gatewaytest.WantFailure(t, err, tt.want)
			if n := waittest.Receive(t, written); n > 16<<20 { // sockets buffer up to this
				t.Errorf("the relay could write %d bytes, want 64 KiB and what sockets hold", n)
			}
		})
	}
}

// The limit applies to one reply, not to all replies on a connection.
func TestSend_ReplyLimitIsPerReply(t *testing.T) {
	t.Parallel()
	const messages = 6
	long := "250-" + strings.Repeat("x", 400)
	s, _ := open(t, serveScripts(t, func(w *wire) {
		w.acceptEHLO()
		for range messages {
			w.expect("MAIL FROM:<")
			for range 50 {
				w.write(long)
			}
			w.write("250 ok")
			w.expect("RCPT TO:<")
			w.write("250 ok")
			w.expect("DATA")
			w.write("354 go on")
			w.readContent()
			w.write("250 2.0.0 taken")
		}
		w.expect("QUIT")
		w.write("221 bye")
	}))
	for range messages {
		if _, err := s.Send(t.Context(), message()); err != nil {
			t.Fatal(err)
		}
	}
}
