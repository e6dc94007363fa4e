package smtp

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/internal/waittest"
)

func TestPool_ReusesAConnection(t *testing.T) {
	t.Parallel()
	s, _ := open(t, serveScripts(t, func(w *wire) {
		w.acceptEHLO()
		w.acceptMessage()
		w.acceptMessage()
		w.expect("QUIT") // sent by Close
		w.write("221 bye")
	}))
	for range 2 {
		if _, err := s.Send(t.Context(), message()); err != nil {
			t.Fatal(err)
		}
	}
}

// An idle connection that the relay has closed costs no attempt.
func TestPool_ReplacesClosedConnections(t *testing.T) {
	for name, end := range map[string]func(w *wire, closed chan<- struct{}){
		"silently": func(w *wire, closed chan<- struct{}) {
			_ = w.Close()
			close(closed)
		},
		"with 421": func(w *wire, closed chan<- struct{}) {
			close(closed)
			w.expect("MAIL")
			w.write("421 4.4.2 idle for too long")
		},
		"within MAIL": func(w *wire, closed chan<- struct{}) {
			close(closed)
			w.expect("MAIL")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			closed := make(chan struct{})
			s, _ := open(t, serveScripts(t,
				func(w *wire) { w.acceptEHLO(); w.acceptMessage(); end(w, closed) },
				func(w *wire) { w.acceptEHLO(); w.acceptMessage(); w.expect("QUIT"); w.write("221 bye") },
			))
			if _, err := s.Send(t.Context(), message()); err != nil {
				t.Fatal(err)
			}
			<-closed
			if _, err := s.Send(t.Context(), message()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A reused connection that is lost after MAIL isn't replaced.
func TestPool_LostAfterMAILIsAnAttempt(t *testing.T) {
	t.Parallel()
	s, _ := open(t, serveScripts(t, func(w *wire) {
		w.acceptEHLO()
		w.acceptMessage()
		w.expect("MAIL")
		w.write("250 ok")
		w.expect("RCPT")
	}))
	if _, err := s.Send(t.Context(), message()); err != nil {
		t.Fatal(err)
	}
	_, err := s.Send(t.Context(), message())
	gatewaytest.WantFailure(t, err, "temporary smtp_unavailable")
}

func TestPool_ResetsAfterARefusal(t *testing.T) {
	t.Parallel()
	s, _ := open(t, serveScripts(t, func(w *wire) {
		w.acceptEHLO()
		w.expect("MAIL")
		w.write("250 ok")
		w.expect("RCPT")
		w.write("550 5.1.1 unknown")
		w.expect("RSET")
		w.write("250 ok")
		w.acceptMessage()
		w.expect("QUIT")
		w.write("221 bye")
	}))
	_, err := s.Send(t.Context(), message())
	gatewaytest.WantFailure(t, err, "unreachable recipient_refused 550 5.1.1")
	if _, err := s.Send(t.Context(), message()); err != nil {
		t.Error(err)
	}
}

func TestPool_EndedContextKeepsConnection(t *testing.T) {
	t.Parallel()
	r := newRelay(t, nil, false)
	s, _ := open(t, r.settings(nil))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 10 {
		if _, err := s.Send(t.Context(), message()); err != nil {
			t.Fatal(err)
		}
		_, err := s.Send(ended, message())
		gatewaytest.WantFailure(t, err, "temporary timeout")
	}
	if n := len(r.allReceived()); n != 10 || r.currentStats().sessions != 1 {
		t.Errorf("%d messages over %d connections, want 10 over one", n, r.currentStats().sessions)
	}
}

func TestPool_IdleTimeout(t *testing.T) {
	t.Parallel()
	script := func(w *wire) { w.acceptEHLO(); w.acceptMessage(); w.expect("QUIT"); w.write("221 bye") }
	s, env := open(t, serveScripts(t, script, script))
	if _, err := s.Send(t.Context(), message()); err != nil {
		t.Fatal(err)
	}
	env.Clock.Advance(30 * time.Second)
	if _, err := s.Send(t.Context(), message()); err != nil {
		t.Error(err)
	}
}

func TestPool_Limit(t *testing.T) {
	t.Parallel()
	r := newRelay(t, nil, false)
	s, _ := open(t, r.settings(map[string]any{"pool": 2}))
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := s.Send(context.Background(), message()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := len(r.allReceived()); n != 20 || r.currentStats().sessions > 2 {
		t.Errorf("%d messages over %d connections, want 20 over at most 2", n, r.currentStats().sessions)
	}
}

func TestClose_EndsSendsInFlight(t *testing.T) {
	for mode, want := range map[string]string{
		"hang before": "sender_down closed",
		"hang after":  "unknown answer_lost",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := newRelay(t, nil, false)
			s, _ := open(t, r.settings(map[string]any{"pool": 1}))
			hang := r.hangAt(mode)
			const others = 50
			first, waiting := make(chan error, 1), make(chan error, others)
			send := func(done chan<- error) {
				_, err := s.Send(context.Background(), message())
				done <- err
			}
			go send(first)
			waittest.Receive(t, hang.Reached)
			for range others {
				go send(waiting) // waits for the one connection, or starts after Close
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			gatewaytest.WantFailure(t, waittest.Receive(t, first), want)
			for range others {
				gatewaytest.WantFailure(t, waittest.Receive(t, waiting), "sender_down closed")
			}
			if n := r.currentStats().sessions; n != 1 {
				t.Errorf("%d connections, want only the one from before Close", n)
			}
		})
	}
}

// A connection that becomes idle after Close is closed.
func TestClose_ClosesLateConnections(t *testing.T) {
	t.Parallel()
	r := newRelay(t, nil, false)
	s, _ := open(t, r.settings(nil))
	c, failure := s.connect(t.Context())
	if failure != nil {
		t.Fatal(failure)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s.put(c)
	if _, err := c.raw.Write([]byte("NOOP\r\n")); !errors.Is(err, net.ErrClosed) || len(s.idle) != 0 {
		t.Errorf("the connection is open: %v, %d idle", err, len(s.idle))
	}
}

func TestSend_OwnTimeouts(t *testing.T) {
	t.Parallel()
	t.Run("no greeting", func(t *testing.T) {
		t.Parallel()
		hold := make(chan struct{})
		defer close(hold)
		s, _ := open(t, override(t, serveScripts(t, func(*wire) { <-hold }), map[string]any{"connect_timeout": 1}))
		_, err := s.Send(context.Background(), message())
		gatewaytest.WantFailure(t, err, "temporary timeout")
	})
	t.Run("no answer", func(t *testing.T) {
		t.Parallel()
		r := newRelay(t, nil, false)
		r.hangAt("hang after")
		s, _ := open(t, r.settings(map[string]any{"send_timeout": 1}))
		gatewaytest.WantFailure(t, gatewaytest.SendWithin(t, s, message()), "unknown answer_lost")
	})
}
