package smpp

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"griot/gateway"
	"griot/gateway/gatewaytest"
	"griot/gateway/internal/peertest"
	"griot/gateway/smpp/pdu"
	"griot/gateway/smpp/smpptest"
	"griot/internal/logtest"
)

func TestConnect_Credentials(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	r := start(t, settingsFor(c.Port(), map[string]any{"password": "balafon"}))
	for range 2 {
		_, err := r.Send(testContext(t), text("Bonjour"))
		gatewaytest.WantFailure(t, err, "sender_down credentials_refused 0x0000000e")
	}
	if state := r.State(gateway.SMS, griot); state != gateway.LoggedOut {
		t.Errorf("state is %s", state)
	}
	if n := c.BindCount(); n != 1 {
		t.Errorf("%d logins at once, want 1", n)
	}
	r.stop()
	if log := r.Logged(); strings.Contains(log, "balafon") || !strings.Contains(log, "credentials_refused") {
		t.Errorf("logged: %s", log)
	}
}

// The health monitor is notified that the center is unreachable, and that it is reachable again, without any Send.
func TestConnect_NotifiesHealth(t *testing.T) {
	t.Parallel()
	r := open(t, settingsFor(smpptest.Start(t, smpptest.Options{}).Port(), nil))
	notified := make(chan error, 1000)
	dial, reachable := r.dial, false
	r.notifyHealth = func(err error) { notified <- err }
	r.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if reachable {
			return dial(ctx, network, address)
		}
		reachable = true
		return nil, errors.New("nobody listens")
	}
	r.run()
	failure := gateway.AsError(<-notified)
	if failure.Class != gateway.Temporary || failure.Code != "not_connected" || failure.Err == nil {
		t.Errorf("notified of %v, want not_connected with its cause", failure)
	}
	if err := <-notified; err != nil {
		t.Errorf("notified of %v, want nil", err)
	}
}

func TestConnect_PasswordFromAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(smpptest.Password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := smpptest.Start(t, smpptest.Options{})
	r := start(t, settingsFor(c.Port(), map[string]any{"password": "", "password_file": file}))
	r.must(r.connected(testContext(t)))
}

// What a Send returns for each status of a bind response.
func TestConnect_Refusals(t *testing.T) {
	for status, want := range map[pdu.Status]string{
		pdu.InvalidSystemID: "sender_down credentials_refused 0x0000000f",
		pdu.BindFailed:      "sender_down credentials_refused 0x0000000d",
		pdu.Status(0x410):   "sender_down bind_refused 0x00000410",
		pdu.AlreadyBound:    "temporary not_connected",
		pdu.SystemError:     "temporary not_connected",
	} {
		t.Run(status.String(), func(t *testing.T) {
			t.Parallel()
			c := smpptest.Start(t, smpptest.Options{})
			c.OnBind(func() smpptest.BindReply { return smpptest.BindReply{Status: status} })
			r := start(t, settingsFor(c.Port(), map[string]any{"connect_timeout": 1}))
			_, err := r.Send(testContext(t), text("Bonjour"))
			gatewaytest.WantFailure(t, err, want)
		})
	}
}

func TestConnect_NoListener(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	r := start(t, settingsFor(l.Addr().(*net.TCPAddr).Port, map[string]any{"connect_timeout": 1}))
	_, err = r.Send(testContext(t), text("Bonjour"))
	gatewaytest.WantFailure(t, err, "temporary not_connected")
}

func TestConnect_TLS(t *testing.T) {
	cert, caFile := peertest.Certificate(t, "127.0.0.1")
	_, otherFile := peertest.Certificate(t, "127.0.0.1")
	wrong, wrongFile := peertest.Certificate(t, "127.0.0.2")
	for _, tt := range []struct {
		name, caFile string
		cert         *tls.Certificate
		want         string
	}{
		{"trusted", caFile, cert, ""},
		{"of an unknown authority", otherFile, cert, "sender_down tls_failed"},
		{"another's", wrongFile, wrong, "sender_down tls_failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := smpptest.Start(t, smpptest.Options{TLS: tt.cert})
			r := start(t, settingsFor(c.Port(), map[string]any{"tls": "implicit", "ca_file": tt.caFile}))
			_, err := r.Send(testContext(t), text("Bonjour"))
			if tt.want != "" {
				gatewaytest.WantFailure(t, err, tt.want)
				if c.BindCount() != 0 {
					t.Error("the driver binds on a connection that isn't trusted")
				}
				return
			}
			r.must(err)
		})
	}
}

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

// The driver reconnects when the center keeps the connection open but doesn't answer any more.
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
		if state := s.State(gateway.SMS, griot); state != gateway.Connected || binds.Load() != 1 {
			t.Errorf("state %s, %d connections; want connected on the first", state, binds.Load())
		}
		time.Sleep(32 * time.Second) // 30 s without an answer have passed
		synctest.Wait()
		if state := s.State(gateway.SMS, griot); state != gateway.Connected || binds.Load() != 2 {
			t.Errorf("state %s, %d connections; want connected on the second", state, binds.Load())
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// A submit_sm without an answer makes the state Connecting, until the center's next unit.
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
		if state := s.State(gateway.SMS, griot); state != gateway.Connecting {
			t.Errorf("state is %s", state)
		}
		close(answer)
		synctest.Wait()
		if state := s.State(gateway.SMS, griot); state != gateway.Connected {
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
		if state := s.State(gateway.SMS, griot); state != gateway.Disconnected {
			t.Errorf("before Run, state is %s", state)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		time.Sleep(30 * time.Second)
		if state := s.State(gateway.SMS, griot); state != gateway.Connecting {
			t.Errorf("after half a minute, state is %s", state)
		}
		time.Sleep(10 * time.Minute)
		if state := s.State(gateway.SMS, griot); state != gateway.Disconnected {
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

// A unit that is written in part isn't handed over.
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

// A login that was refused isn't tried again at once: centers lock accounts for that.
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
