package smtp

import (
	"bytes"
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/griot/gateway/gatewaytest"
)

// At each stage the relay sends a reply, or closes the connection if reply is "".
func TestSend_ClassifiesByStageAndReply(t *testing.T) {
	for _, tt := range []struct{ at, reply, want string }{
		{"greeting", "", "temporary smtp_unavailable"},
		{"greeting", "421 4.3.2 later", "temporary smtp_unavailable 421 4.3.2"},
		{"greeting", "554 5.7.1 not you", "sender_down smtp_refused 554 5.7.1"},
		{"greeting", "HTTP/1.1 400 what", "temporary smtp_unavailable"},
		{"EHLO", "", "temporary smtp_unavailable"},
		{"EHLO", "550 5.7.1 bad name", "sender_down smtp_refused 550 5.7.1"},
		{"EHLO", "451 4.3.0 later", "temporary smtp_unavailable 451 4.3.0"},

		{"MAIL", "", "temporary smtp_unavailable"},
		{"MAIL", "421 4.3.2 going down", "temporary smtp_unavailable 421 4.3.2"},
		{"MAIL", "451 4.7.1 later", "temporary refused_for_now 451 4.7.1"},
		{"MAIL", "550 5.7.1 not yours", "permanent sender_refused 550 5.7.1"},
		{"MAIL", "552 5.3.4 too much", "permanent message_too_large 552 5.3.4"},
		{"MAIL", "530 5.7.0 who are you", "sender_down credentials_required 530 5.7.0"},
		{"MAIL", "354 hm", "temporary smtp_unavailable"},
		{"MAIL", "<aissata@example.org>?", "temporary smtp_unavailable"},

		{"RCPT", "", "temporary smtp_unavailable"},
		{"RCPT", "421 4.7.0 too many", "temporary smtp_unavailable 421 4.7.0"},
		{"RCPT", "450 4.2.0 grey", "temporary refused_for_now 450 4.2.0"},
		{"RCPT", "452 4.2.2 full", "temporary mailbox_full 452 4.2.2"},
		{"RCPT", "552 5.2.2 full", "temporary mailbox_full 552 5.2.2"},
		{"RCPT", "552 full", "temporary mailbox_full 552"},
		{"RCPT", "550 5.1.1 <aissata@example.org> unknown", "unreachable recipient_refused 550 5.1.1"},
		{"RCPT", "550-5.1.1 <aissata@example.org>\r\n550 5.1.1 unknown", "unreachable recipient_refused 550 5.1.1"},
		{"RCPT", "550-aissata@example.org\r\n550 5.1.1 unknown", "unreachable recipient_refused 550 5.1.1"},
		{"RCPT", "550 unknown", "unreachable recipient_refused 550"},
		{"RCPT", "550 5.4.1 access denied", "unreachable recipient_refused 550 5.4.1"},
		{"RCPT", "551 5.1.6 moved to moussa@example.org", "unreachable recipient_refused 551 5.1.6"},
		{"RCPT", "553 5.1.3 bad", "unreachable recipient_refused 553 5.1.3"},
		{"RCPT", "501 5.1.3 bad", "unreachable recipient_refused 501 5.1.3"},
		{"RCPT", "554 5.2.1 off", "unreachable recipient_refused 554 5.2.1"},
		{"RCPT", "556 5.1.10 no mail here", "unreachable recipient_refused 556 5.1.10"},
		{"RCPT", "554 5.7.1 relay access denied", "permanent message_refused 554 5.7.1"},
		{"RCPT", "550 5.7.1 blocked", "permanent message_refused 550 5.7.1"},
		{"RCPT", "554 no", "permanent message_refused 554"},
		{"RCPT", "538 5.7.11 encrypt", "sender_down credentials_required 538 5.7.11"},

		{"DATA", "", "temporary smtp_unavailable"},
		{"DATA", "451 4.3.0 later", "temporary refused_for_now 451 4.3.0"},
		{"DATA", "554 5.5.1 no", "permanent message_refused 554 5.5.1"},
		{"DATA", "250 hm", "temporary smtp_unavailable"},

		{"content", "", "unknown answer_lost"},
		{"content", "hm", "unknown answer_lost"},
		{"content", "354 aissata@example.org", "unknown answer_lost"},
		{"content", "<aissata@example.org>: Bonjour", "unknown answer_lost"},
		{"content", "600 5.0.0 hm", "unknown answer_lost"},
		{"content", "421 4.3.2 not taken", "temporary smtp_unavailable 421 4.3.2"},
		{"content", "452 4.3.1 disk", "temporary refused_for_now 452 4.3.1"},
		{"content", "552 5.2.2 full", "temporary mailbox_full 552 5.2.2"},
		{"content", "552 5.3.4 big", "permanent message_too_large 552 5.3.4"},
		{"content", "550 5.1.1 now I see", "permanent message_refused 550 5.1.1"},
		{"content", "554 5.6.0 Ca va ? Bonjour", "permanent message_refused 554 5.6.0"},
		{"content", "554 4.6.0 confused", "permanent message_refused 554"},
		{"content", "250 taken", ""},
		{"content", "251 taken", ""},
	} {
		t.Run(tt.at+" "+tt.reply, func(t *testing.T) {
			t.Parallel()
			s, _ := open(t, serveScripts(t, func(w *wire) { w.runUntil(tt.at, tt.reply) }))
			_, err := s.Send(t.Context(), message())
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			gatewaytest.WantFailure(t, err, tt.want)
			for _, word := range []string{"aissata", "moussa", "Bonjour", "va ?"} {
				if strings.Contains(err.Error(), word) {
					t.Errorf("the error repeats %q: %v", word, err)
				}
			}
		})
	}
}

// runUntil accepts up to a stage, sends reply there unless it is "", and ends.
func (w *wire) runUntil(at, reply string) {
	end := func() {
		if reply != "" {
			w.write(reply)
		}
	}
	if at == "greeting" {
		end()
		return
	}
	w.write("220 relay.test ESMTP")
	w.expect("EHLO")
	if at == "EHLO" {
		end()
		if reply != "" {
			w.expect("HELO") // the fallback for clients
			end()
		}
		return
	}
	w.write("250 relay.test")
	for _, step := range []struct{ verb, good string }{{"MAIL", "250 ok"}, {"RCPT", "250 ok"}, {"DATA", "354 go on"}} {
		w.expect(step.verb)
		if at == step.verb {
			end()
			return
		}
		w.write(step.good)
	}
	w.readContent()
	end()
}

// The relay closes the connection within the content, so that the final dot can't have arrived.
func TestSend_LostWithinContentIsTemporary(t *testing.T) {
	t.Parallel()
	s, _ := open(t, serveScripts(t, func(w *wire) {
		w.acceptEHLO()
		w.expect("MAIL")
		w.write("250 ok")
		w.expect("RCPT")
		w.write("250 ok")
		w.expect("DATA")
		w.write("354 go on")
		_, _ = w.r.ReadString('\n')
	}))
	out := message()
	out.Text = strings.Repeat("Le fleuve est long. ", 600_000) // more than sockets buffer
	_, err := s.Send(t.Context(), out)
	gatewaytest.WantFailure(t, err, "temporary smtp_unavailable")
}

// dotFailingConn is a connection that fails when the final dot is written.
type dotFailingConn struct{ net.Conn }

func (d dotFailingConn) Write(p []byte) (int, error) {
	if bytes.HasSuffix(p, []byte("\r\n.\r\n")) {
		n, _ := d.Conn.Write(p[:len(p)-3])
		return n, &net.OpError{Op: "write", Err: syscall.ECONNRESET}
	}
	return d.Conn.Write(p)
}

func TestSend_UnsentFinalDotIsTemporary(t *testing.T) {
	t.Parallel()
	raw := serveScripts(t, func(w *wire) { w.runUntil("content", "") })
	s, _ := open(t, raw)
	netConn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.settings.Port)))
	if err != nil {
		t.Fatal(err)
	}
	c := &conn{raw: &limitedConn{Conn: dotFailingConn{netConn}}}
	defer c.close()
	if _, err := s.handshake(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	m, failure := (&sender{}).compose(message(), noon)
	if failure != nil {
		t.Fatal(failure)
	}
	reached, failure := c.deliver(t.Context(), m, time.Minute)
	gatewaytest.WantFailure(t, failure, "temporary smtp_unavailable")
	if reached != atContent || !c.broken {
		t.Errorf("reached stage %d, broken %v", reached, c.broken)
	}
}

func TestSend_NoListenerIsTemporary(t *testing.T) {
	t.Parallel()
	s, _ := open(t, []byte(`{"host":"127.0.0.1","port":1,"tls":"none"}`))
	_, err := s.Send(t.Context(), message())
	gatewaytest.WantFailure(t, err, "temporary smtp_unavailable")
}

func TestEnhancedCode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code int
		text string
		want string
	}{
		{550, "5.1.1 unknown", "5.1.1"},
		{550, "5.1.1", "5.1.1"},
		{556, "5.1.10 no mail", "5.1.10"},
		{550, "gone\n5.1.1 unknown", "5.1.1"},
		{550, "", ""},
		{550, "4.1.1 unknown", ""},
		{451, "5.1.1 unknown", ""},
		{550, "unknown 5.1.1", ""},
		{550, "5.1.1.1 address", ""},
		{550, "5.1.1000 x", ""},
		{550, "5.1.1, unknown", ""},
		{550, " 5.1.1 unknown", ""},
		{550, "5..1 unknown", ""},
	} {
		if got := enhancedCode(tt.code, tt.text); got != tt.want {
			t.Errorf("enhancedCode(%d, %q) = %q, want %q", tt.code, tt.text, got, tt.want)
		}
	}
}

func FuzzEnhancedCode(f *testing.F) {
	for _, s := range []string{"5.1.1 no", "5.1.1", "a\n4.7.1 b", "5.1.1\r", "", "..", "5.1.1\x00 "} {
		f.Add(550, s)
		f.Add(451, s)
	}
	f.Fuzz(func(t *testing.T, code int, text string) {
		got := enhancedCode(code, text)
		if got == "" {
			return
		}
		if strings.Trim(got, ".0123456789") != "" || len(got) > len("5.123.123") || int(got[0]-'0') != code/100 || !strings.Contains(text, got) {
			t.Errorf("enhancedCode(%d, %q) = %q", code, text, got)
		}
	})
}
