package smtp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// wire is the relay's end of one connection, for invalid behavior.
type wire struct {
	t *testing.T
	net.Conn
	r *bufio.Reader
}

func (w *wire) write(lines ...string) {
	_, _ = io.WriteString(w.Conn, strings.Join(lines, "\r\n")+"\r\n")
}

// expect reads a command, which must start with verb.
func (w *wire) expect(verb string) string {
	line, err := w.r.ReadString('\n')
	if !strings.HasPrefix(line, verb) {
		w.t.Errorf("received %q (%v), want %s", line, err, verb)
	}
	return line
}

// readContent reads the content up to the final dot.
func (w *wire) readContent() {
	for {
		line, err := w.r.ReadString('\n')
		if err != nil || line == ".\r\n" {
			return
		}
	}
}

func (w *wire) acceptEHLO(extensions ...string) {
	w.write("220 relay.test ESMTP")
	w.expect("EHLO")
	w.write("250-relay.test")
	for _, e := range extensions {
		w.write("250-" + e)
	}
	w.write("250 8BITMIME")
}

// acceptMessage accepts one message.
func (w *wire) acceptMessage() {
	w.expect("MAIL FROM:<")
	w.write("250 ok")
	w.expect("RCPT TO:<")
	w.write("250 ok")
	w.expect("DATA")
	w.write("354 go on")
	w.readContent()
	w.write("250 2.0.0 taken")
}

// serveScripts runs a script for each connection, in turn, and returns settings for its address.
func serveScripts(t *testing.T, scripts ...func(w *wire)) json.RawMessage {
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
			if i >= len(scripts) {
				t.Errorf("connection %d, want at most %d", i+1, len(scripts))
				_ = c.Close()
				continue
			}
			done.Go(func() {
				defer c.Close()
				scripts[i](&wire{t: t, Conn: c, r: bufio.NewReader(c)})
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		done.Wait()
	})
	return fmt.Appendf(nil, `{"host":"127.0.0.1","port":%d,"tls":"none"}`, listener.Addr().(*net.TCPAddr).Port)
}

// override returns settings with more members.
func override(t *testing.T, raw json.RawMessage, more map[string]any) json.RawMessage {
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
