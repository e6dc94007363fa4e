package smtp

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"
)

func TestPool_ReusesAConnection(t *testing.T) {
	t.Parallel()
	s, _ := open(t, play(t, func(w *wire) {
		w.welcome()
		w.takes()
		w.takes()
		w.hear("QUIT") // said by Close
		w.say("221 bye")
	}))
	for range 2 {
		if _, err := s.Send(t.Context(), letter()); err != nil {
			t.Fatal(err)
		}
	}
}

// A relay that closes a kept connection, silently or with a word, costs no attempt.
func TestPool_GoesOnWhenAKeptConnectionIsGone(t *testing.T) {
	for name, end := range map[string]func(w *wire, closed chan<- struct{}){
		"silently": func(w *wire, closed chan<- struct{}) {
			_ = w.Close()
			close(closed)
		},
		"with 421": func(w *wire, closed chan<- struct{}) {
			close(closed)
			w.hear("MAIL")
			w.say("421 4.4.2 idle for too long")
		},
		"within MAIL": func(w *wire, closed chan<- struct{}) {
			close(closed)
			w.hear("MAIL")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			closed := make(chan struct{})
			s, _ := open(t, play(t,
				func(w *wire) { w.welcome(); w.takes(); end(w, closed) },
				func(w *wire) { w.welcome(); w.takes(); w.hear("QUIT"); w.say("221 bye") },
			))
			if _, err := s.Send(t.Context(), letter()); err != nil {
				t.Fatal(err)
			}
			<-closed
			if _, err := s.Send(t.Context(), letter()); err != nil {
				t.Error(err)
			}
		})
	}
}

// Past MAIL a kept connection is as good as a new one: what happens on it is the relay's word.
func TestPool_LostAfterMAILIsAnAttempt(t *testing.T) {
	t.Parallel()
	s, _ := open(t, play(t, func(w *wire) {
		w.welcome()
		w.takes()
		w.hear("MAIL")
		w.say("250 ok")
		w.hear("RCPT")
	}))
	if _, err := s.Send(t.Context(), letter()); err != nil {
		t.Fatal(err)
	}
	_, err := s.Send(t.Context(), letter())
	wantFailure(t, err, "temporary smtp_unavailable")
}

func TestPool_ResetsAfterARefusal(t *testing.T) {
	t.Parallel()
	s, _ := open(t, play(t, func(w *wire) {
		w.welcome()
		w.hear("MAIL")
		w.say("250 ok")
		w.hear("RCPT")
		w.say("550 5.1.1 unknown")
		w.hear("RSET")
		w.say("250 ok")
		w.takes()
		w.hear("QUIT")
		w.say("221 bye")
	}))
	_, err := s.Send(t.Context(), letter())
	wantFailure(t, err, "unreachable recipient_refused 550 5.1.1")
	if _, err := s.Send(t.Context(), letter()); err != nil {
		t.Error(err)
	}
}

func TestPool_AnEndedContextCostsNoConnection(t *testing.T) {
	t.Parallel()
	r := newRelay(t, nil, false)
	s, _ := open(t, r.settings(nil))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 10 {
		if _, err := s.Send(t.Context(), letter()); err != nil {
			t.Fatal(err)
		}
		_, err := s.Send(ended, letter())
		wantFailure(t, err, "temporary timeout")
	}
	if n := len(r.all()); n != 10 || r.seen().sessions != 1 {
		t.Errorf("%d messages over %d connections, want 10 over one", n, r.seen().sessions)
	}
}

func TestPool_LeavesAConnectionThatIdledTooLong(t *testing.T) {
	t.Parallel()
	talk := func(w *wire) { w.welcome(); w.takes(); w.hear("QUIT"); w.say("221 bye") }
	s, env := open(t, play(t, talk, talk))
	if _, err := s.Send(t.Context(), letter()); err != nil {
		t.Fatal(err)
	}
	env.Clock.Advance(30 * time.Second)
	if _, err := s.Send(t.Context(), letter()); err != nil {
		t.Error(err)
	}
}

func TestPool_OpensNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	r := newRelay(t, nil, false)
	s, _ := open(t, r.settings(map[string]any{"pool": 2}))
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := s.Send(context.Background(), letter()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := len(r.all()); n != 20 || r.seen().sessions > 2 {
		t.Errorf("%d messages over %d connections, want 20 over at most 2", n, r.seen().sessions)
	}
}

func TestClose_CutsOffWhatIsUnderWay(t *testing.T) {
	for mode, want := range map[string]string{
		"hang before": "sender_down closed",
		"hang after":  "unknown answer_lost",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := newRelay(t, nil, false)
			s, _ := open(t, r.settings(map[string]any{"pool": 1}))
			hang := r.hangAt(mode)
			first, second := make(chan error, 1), make(chan error, 1)
			send := func(done chan<- error) {
				_, err := s.Send(context.Background(), letter())
				done <- err
			}
			go send(first)
			<-hang.Reached
			go send(second) // waits for the one connection, or comes too late altogether
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			wantFailure(t, <-first, want)
			wantFailure(t, <-second, "sender_down closed")
		})
	}
}

// A send that succeeds while Close runs leaves no connection behind.
func TestClose_KeepsNothingAfterwards(t *testing.T) {
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
	s.give(c)
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
		s, _ := open(t, with(t, play(t, func(*wire) { <-hold }), map[string]any{"connect_timeout": 1}))
		_, err := s.Send(context.Background(), letter())
		wantFailure(t, err, "temporary timeout")
	})
	t.Run("no answer", func(t *testing.T) {
		t.Parallel()
		r := newRelay(t, nil, false)
		r.hangAt("hang after")
		s, _ := open(t, r.settings(map[string]any{"send_timeout": 1}))
		_, err := s.Send(context.Background(), letter())
		wantFailure(t, err, "unknown answer_lost")
	})
}
