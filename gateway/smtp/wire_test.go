package smtp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"griot/gateway"
)

// wire is the relay's end of one connection, for what a proper server wouldn't do.
type wire struct {
	t *testing.T
	net.Conn
	r *bufio.Reader
}

func (w *wire) say(lines ...string) {
	_, _ = io.WriteString(w.Conn, strings.Join(lines, "\r\n")+"\r\n")
}

// hear reads a command, which must begin with verb.
func (w *wire) hear(verb string) string {
	line, err := w.r.ReadString('\n')
	if !strings.HasPrefix(line, verb) {
		w.t.Errorf("the driver says %q (%v), want %s", line, err, verb)
	}
	return line
}

// content reads what follows DATA, up to the final dot.
func (w *wire) content() {
	for {
		line, err := w.r.ReadString('\n')
		if err != nil || line == ".\r\n" {
			return
		}
	}
}

func (w *wire) welcome(extensions ...string) {
	w.say("220 relay.test ESMTP")
	w.hear("EHLO")
	w.say("250-relay.test")
	for _, e := range extensions {
		w.say("250-" + e)
	}
	w.say("250 8BITMIME")
}

// takes plays the good relay for one message.
func (w *wire) takes() {
	w.hear("MAIL FROM:<")
	w.say("250 ok")
	w.hear("RCPT TO:<")
	w.say("250 ok")
	w.hear("DATA")
	w.say("354 go on")
	w.content()
	w.say("250 2.0.0 taken")
}

// play accepts a connection for each of the talks, in turn, and returns the settings that lead there.
func play(t *testing.T, talks ...func(w *wire)) json.RawMessage {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		for i := 0; ; i++ {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			if i >= len(talks) {
				t.Errorf("connection %d, want at most %d", i+1, len(talks))
				_ = c.Close()
				continue
			}
			done.Go(func() {
				defer c.Close()
				talks[i](&wire{t: t, Conn: c, r: bufio.NewReader(c)})
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		done.Wait()
	})
	return fmt.Appendf(nil, `{"host":"127.0.0.1","port":%d,"tls":"none"}`, listener.Addr().(*net.TCPAddr).Port)
}

// with lays more members over settings.
func with(t *testing.T, raw json.RawMessage, more map[string]any) json.RawMessage {
	t.Helper()
	members := map[string]any{}
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Fatal(err)
	}
	for k, v := range more {
		members[k] = v
	}
	raw, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// wantFailure checks class, code and ProviderCode of a failed Send, written as "class code providercode".
func wantFailure(t *testing.T, err error, want string) {
	t.Helper()
	e, ok := errors.AsType[*gateway.Error](err)
	if !ok {
		t.Fatalf("Send: %v, want %s", err, want)
	}
	if got := strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Class, e.Code, e.ProviderCode)); got != want {
		t.Errorf("Send: %v, want %s", err, want)
	}
}
