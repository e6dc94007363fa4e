package smpp

import (
	"bufio"
	"net"
	"sync"
	"testing"

	"example.com/griot/gateway/smpp/pdu"
)

// wire is the center's end of one connection, for invalid behavior.
type wire struct {
	t *testing.T
	net.Conn
	r *bufio.Reader
}

// expect reads a unit, which must have the command.
func (w *wire) expect(command pdu.Command) pdu.PDU {
	p, err := pdu.Read(w.r)
	if err != nil || p.Command != command {
		w.t.Errorf("received %v (%v), want command %x", p, err, command)
	}
	return p
}

func (w *wire) write(p pdu.PDU) {
	b, err := p.Append(nil)
	if err != nil {
		w.t.Error(err)
	}
	_, _ = w.Write(b)
}

func (w *wire) answer(p pdu.PDU, body string) {
	w.write(pdu.PDU{Command: p.Command.Response(), Sequence: p.Sequence, Body: []byte(body)})
}

// acceptBind accepts a bind. A driver that is being closed may disconnect before it.
func (w *wire) acceptBind() {
	p, err := pdu.Read(w.r)
	if err == nil && p.Command == pdu.BindTransceiver {
		w.answer(p, "center\x00")
	}
}

// serveScripts runs a script for each connection, in turn, and the last one for all later connections.
func serveScripts(t *testing.T, scripts ...func(w *wire)) (port int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var open []net.Conn
	var done sync.WaitGroup
	done.Go(func() {
		for i := 0; ; i++ {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
			script := scripts[min(i, len(scripts)-1)]
			done.Go(func() {
				defer c.Close()
				script(&wire{t: t, Conn: c, r: bufio.NewReader(c)})
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		for _, c := range open {
			_ = c.Close()
		}
		mu.Unlock()
		done.Wait()
	})
	return listener.Addr().(*net.TCPAddr).Port
}

// readToEnd reads until the connection ends.
func (w *wire) readToEnd() {
	for {
		if _, err := pdu.Read(w.r); err != nil {
			return
		}
	}
}
