package peers_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/remote"
	"example.com/griot/internal/clock"
	"example.com/griot/test/system/freeport"
)

// The example in docs/examples implements the protocol, and deduplicates across a restart.
func TestExampleGateway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "gateway")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, root+"/docs/examples/remote-gateway").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("balafon-de-brousse-balafon-de-brousse\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", freeport.Find(t, 1)[0])
	env := gatewaytest.NewEnvironment()
	deps := env.Deps()
	deps.Now = clock.System
	raw, err := json.Marshal(map[string]any{"url": "http://" + address, "channels": []string{"sms"}, "keys": []any{map[string]any{"id": "k1", "secret_file": secret}}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := remote.Open(raw, deps)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	events := httptest.NewServer(http.StripPrefix("/gateways/example", s.(gateway.WebhookReceiver).WebhookHandler()))
	defer events.Close()
	out := smsTo(aissata, "Ça va ?")
	var printed strings.Builder
	start := func() (stop func()) {
		c := exec.CommandContext(t.Context(), program, "-listen", address, "-griot", events.URL+"/gateways/example",
			"-secret-file", secret, "-journal", filepath.Join(dir, "carried.txt"), "-reply", "Ça va bien.")
		c.Stdout = &printed
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return func() {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	}
	stop := start()
	ack := sendUntilTaken(t, s, out)
	if ack.ProviderID != "terminal-"+out.Ref {
		t.Errorf("%+v", ack)
	}
	err = env.Sink.Wait(bounded(t), func() bool { return len(env.Sink.Receipts()) == 1 && len(env.Sink.Messages()) == 1 })
	if err != nil {
		t.Fatal(err)
	}
	if r := env.Sink.Receipts()[0]; r.Ref != out.Ref || r.Status != gateway.ReceiptDelivered {
		t.Errorf("%+v", r)
	}
	if in := env.Sink.Messages()[0]; in.From != aissata || in.To != griot || in.Text != "Ça va bien." {
		t.Errorf("%+v", in)
	}
	stop()
	stop = start()
	if again := sendUntilTaken(t, s, out); again != ack {
		t.Errorf("the second time: %+v", again)
	}
	if seen, found, err := s.(gateway.Querier).Query(t.Context(), out.Ref); err != nil || !seen || found != ack {
		t.Errorf("Query: %v, %+v, %v", seen, found, err)
	}
	if seen, _, err := s.(gateway.Querier).Query(t.Context(), "msg_other"); err != nil || seen {
		t.Errorf("Query of another: %v, %v", seen, err)
	}
	stop()
	if n := strings.Count(printed.String(), out.Text); n != 1 || !s.Info().Deduplicates {
		t.Errorf("the message was sent %d times, want once", n)
	}
}

// sendUntilTaken sends a message, and repeats the attempt while the gateway starts; the gateway deduplicates.
func sendUntilTaken(t *testing.T, s gateway.Sender, out *gateway.Outbound) gateway.Ack {
	t.Helper()
	for ctx := bounded(t); ; time.Sleep(20 * time.Millisecond) {
		ack, err := s.Send(ctx, out)
		if err == nil {
			return ack
		}
		if c := gateway.AsError(err).Class; (c != gateway.Temporary && c != gateway.Unknown) || ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}
