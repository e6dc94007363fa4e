package smpp

import (
	"bufio"
	"net"
	"sync"
	"testing"

	"griot/gateway/smpp/pdu"
)

// wire is the center's end of one connection, for what a proper center wouldn't do.
type wire struct {
	t *testing.T
	net.Conn
	r *bufio.Reader
}

// hear reads a unit, which must be of a command.
func (w *wire) hear(command pdu.Command) pdu.PDU {
	p, err := pdu.Read(w.r)
	if err != nil || p.Command != command {
		w.t.Errorf("the driver says %v (%v), want %x", p, err, command)
	}
	return p
}

func (w *wire) say(p pdu.PDU) {
	b, err := p.Append(nil)
	if err != nil {
		w.t.Error(err)
	}
	_, _ = w.Write(b)
}

func (w *wire) answer(p pdu.PDU, body string) {
	w.say(pdu.PDU{Command: p.Command.Response(), Sequence: p.Sequence, Body: []byte(body)})
}

// welcome accepts a bind, if there is one: a driver that is closed may have gone again.
func (w *wire) welcome() {
	p, err := pdu.Read(w.r)
	if err == nil && p.Command == pdu.BindTransceiver {
		w.answer(p, "center\x00")
	}
}

// play accepts a connection for each of the talks, in turn, the last of them again and again. It returns where.
func play(t *testing.T, talks ...func(w *wire)) (port int) {
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
			talk := talks[min(i, len(talks)-1)]
			done.Go(func() {
				defer c.Close()
				talk(&wire{t: t, Conn: c, r: bufio.NewReader(c)})
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

// listens reads on until the connection ends, without a word.
func (w *wire) listens() {
	for {
		if _, err := pdu.Read(w.r); err != nil {
			return
		}
	}
}
