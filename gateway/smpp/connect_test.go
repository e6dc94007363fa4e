package smpp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/gateway/smpp/smpptest"
	"example.com/griot/internal/waittest"
)

func TestConnect_Credentials(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	r := start(t, settingsFor(c.Port(), map[string]any{"password": "balafon"}))
	for range 2 {
		_, err := r.Send(testContext(t), text("Bonjour"))
		gatewaytest.WantFailure(t, err, "sender_down credentials_refused 0x0000000e")
	}
	if state := r.State(gateway.SMS, griot); state.State != gateway.LoggedOut || state.Reason != "credentials_refused" {
		t.Errorf("got state %+v, want logged_out because of credentials_refused", state)
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
	failure := gateway.AsError(waittest.Receive(t, notified))
	if failure.Class != gateway.Temporary || failure.Code != "not_connected" || failure.Err == nil {
		t.Errorf("notified of %v, want not_connected with its cause", failure)
	}
	if err := waittest.Receive(t, notified); err != nil {
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

// The results of Send for each status of a bind response.
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
			var more map[string]any
			if strings.HasPrefix(want, "temporary") { // a send waits for another try to connect
				more = map[string]any{"connect_timeout": 1}
			}
			r := start(t, settingsFor(c.Port(), more))
			_, err := r.Send(testContext(t), text("Bonjour"))
			gatewaytest.WantFailure(t, err, want)
		})
	}
}

func TestConnect_NoListener(t *testing.T) {
	t.Parallel()
	r := start(t, settingsFor(1, map[string]any{"connect_timeout": 1}))
	_, err := r.Send(testContext(t), text("Bonjour"))
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
