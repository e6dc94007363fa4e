package smpp

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/internal/logtest"
)

// openPiped opens a driver in a synctest bubble, with pipes to script as its connections.
func openPiped(t *testing.T, script func(w *wire)) *sender {
	opened, err := Open(settingsFor(1, nil), gateway.Deps{Name: "piped", Now: time.Now, Log: (&logtest.Recorder{}).Logger()})
	if err != nil {
		t.Fatal(err)
	}
	s := opened.(*sender)
	s.dial = func(context.Context, string, string) (net.Conn, error) {
		if script == nil {
			return nil, syscall.ECONNREFUSED
		}
		driverEnd, centerEnd := net.Pipe()
		go func() {
			defer centerEnd.Close()
			script(&wire{t: t, Conn: centerEnd, r: bufio.NewReader(centerEnd)})
		}()
		return driverEnd, nil
	}
	return s
}

// The driver reconnects if the center keeps the connection open but no longer responds.
func TestLink_SilentCenter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var binds atomic.Int32
		s := openPiped(t, func(w *wire) {
			w.acceptBind()
			if binds.Add(1) == 1 {
				w.answer(w.expect(pdu.EnquireLink), "")
			}
			w.readToEnd()
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		time.Sleep(59 * time.Second) // the first enquiry is answered, the second isn't sent yet
		synctest.Wait()
		if state := s.State(gateway.SMS, griot).State; state != gateway.Connected || binds.Load() != 1 {
			t.Errorf("state %s, %d connections; want connected on the first", state, binds.Load())
		}
		time.Sleep(32 * time.Second) // 30 s without an answer have passed
		synctest.Wait()
		if state := s.State(gateway.SMS, griot).State; state != gateway.Connected || binds.Load() != 2 {
			t.Errorf("state %s, %d connections; want connected on the second", state, binds.Load())
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// A submit_sm without a response changes the state to Connecting, until the center's next unit.
func TestLink_UnansweredSubmit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		s := openPiped(t, func(w *wire) {
			w.acceptBind()
			w.expect(pdu.SubmitSM)
			w.answer(w.expect(pdu.EnquireLink), "") // the regular one
			p := w.expect(pdu.EnquireLink)          // the one after the timeout
			<-answer
			w.answer(p, "")
			w.readToEnd()
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		time.Sleep(time.Second)
		_, err := s.Send(t.Context(), text("Bonjour"))
		gatewaytest.WantFailure(t, err, "unknown answer_lost")
		synctest.Wait()
		if state := s.State(gateway.SMS, griot).State; state != gateway.Connecting {
			t.Errorf("state is %s", state)
		}
		close(answer)
		synctest.Wait()
		if state := s.State(gateway.SMS, griot).State; state != gateway.Connected {
			t.Errorf("state is %s", state)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// Nothing listens: the pauses grow up to a limit, and after a minute the state is Disconnected.
func TestRun_Backoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openPiped(t, nil)
		var at []time.Duration
		begin := time.Now()
		refuse := s.dial
		s.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			at = append(at, time.Since(begin))
			return refuse(ctx, network, address)
		}
		if state := s.State(gateway.SMS, griot).State; state != gateway.Disconnected {
			t.Errorf("before Run, state is %s", state)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		time.Sleep(30 * time.Second)
		if state := s.State(gateway.SMS, griot).State; state != gateway.Connecting {
			t.Errorf("after half a minute, state is %s", state)
		}
		time.Sleep(10 * time.Minute)
		if state := s.State(gateway.SMS, griot).State; state != gateway.Disconnected {
			t.Errorf("after ten minutes, state is %s", state)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if len(at) < 20 || len(at) > 60 {
			t.Errorf("%d attempts in ten minutes", len(at))
		}
		for i := 1; i < len(at); i++ {
			pause, most := at[i]-at[i-1], min(firstPause<<min(i-1, 10), longestPause)
			if pause < most/2 || pause > most {
				t.Errorf("pause %d is %v, want %v to %v", i, pause, most/2, most)
			}
		}
	})
}

// A partly written unit is not submitted.
func TestLink_PartlyWrittenUnit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		defer close(stop)
		s := openPiped(t, func(w *wire) {
			w.acceptBind()
			_, _ = io.ReadFull(w.Conn, make([]byte, 20)) // not all of it
			<-stop
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		if err := s.connected(ctx); err != nil {
			t.Fatal(err)
		}
		_, err := s.Send(ctx, text(strings.Repeat("a", 150)))
		gatewaytest.WantFailure(t, err, "temporary connection_lost")
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// A refused login is not tried again immediately, because centers lock accounts for that.
func TestRun_RefusedLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var binds atomic.Int32
		s := openPiped(t, func(w *wire) {
			p := w.expect(pdu.BindTransceiver)
			binds.Add(1)
			w.write(pdu.PDU{Command: p.Command.Response(), Status: pdu.InvalidPassword, Sequence: p.Sequence})
			w.readToEnd()
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		time.Sleep(refusedPause/2 - time.Millisecond)
		if n := binds.Load(); n != 1 {
			t.Errorf("%d logins in five seconds, want 1", n)
		}
		time.Sleep(refusedPause)
		if n := binds.Load(); n < 2 || n > 3 {
			t.Errorf("%d logins in fifteen seconds, want 2 or 3", n)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
