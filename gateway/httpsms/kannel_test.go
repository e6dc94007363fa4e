package httpsms

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
)

// kannel is a running Kannel between the driver and a fake network, which is its HTTP SMSC.
type kannel struct {
	t       *testing.T
	sendsms string // address for sending
	smsc    string // address for the network's receipts and messages

	mu   sync.Mutex
	sent []url.Values
	news chan struct{}
}

const kannelConfig = `
group = core
admin-port = %d
admin-password = nobody
admin-interface = 127.0.0.1
smsbox-port = %d
box-allow-ip = "127.0.0.1"
dlr-storage = internal

group = smsc
smsc = http
smsc-id = far
system-type = kannel
smsc-username = network
smsc-password = network
connect-allow-ip = 127.0.0.1
port = %d
send-url = "%s/send"
dlr-url = "http://127.0.0.1:1/"

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = %d
sendsms-interface = 127.0.0.1

group = sendsms-user
username = griot
password = %s
concatenation = true
max-messages = 10

group = sms-service
keyword = default
catch-all = true
max-messages = 0
get-url = "%s/inbound?from=%%p&to=%%P&text=%%b&charset=%%C&id=%%I&at=%%T&token=%s"
`

func startKannel(t *testing.T, callbacks string) *kannel {
	t.Helper()
	k := &kannel{t: t, news: make(chan struct{}, 100)}
	network := httptest.NewServer(http.HandlerFunc(k.network))
	t.Cleanup(network.Close)
	ports := peertest.FreePorts(t, 4)
	file := filepath.Join(t.TempDir(), "kannel.conf")
	config := fmt.Sprintf(kannelConfig, ports[0], ports[1], ports[2], network.URL, ports[3], testSecret, callbacks, testToken)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	k.run(peertest.KannelProgram(t, "bearerbox"), file, ports[1], ports[2])
	k.run(peertest.KannelProgram(t, "smsbox"), file, ports[3])
	k.sendsms = fmt.Sprintf("http://127.0.0.1:%d/cgi-bin/sendsms", ports[3])
	k.smsc = fmt.Sprintf("http://127.0.0.1:%d/", ports[2])
	k.wait()
	peertest.WaitForSMSBox(t, ports[0], "nobody")
	return k
}

// wait waits until smsbox has loaded its users, which is after it listens.
func (k *kannel) wait() {
	k.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		response, err := http.Get(k.sendsms + "?" + url.Values{"username": {"griot"}, "password": {testSecret}}.Encode())
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusBadRequest { // the recipient is missing
				return
			}
		}
		if time.Now().After(deadline) {
			k.t.Fatalf("smsbox doesn't start: %v", err)
		}
	}
}

// run starts one of Kannel's programs and waits until it listens.
func (k *kannel) run(program, file string, ports ...int) {
	k.t.Helper()
	var out strings.Builder
	c := exec.CommandContext(context.Background(), program, "-v", "3", file)
	c.Dir, c.Stdout, c.Stderr = filepath.Dir(file), &out, &out
	if err := c.Start(); err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		if k.t.Failed() {
			k.t.Logf("%s: %s", program, out.String())
		}
	})
	for _, port := range ports {
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err == nil {
				_ = conn.Close()
				break
			}
			if time.Now().After(deadline) {
				k.t.Fatalf("%s doesn't listen on %d", program, port)
			}
		}
	}
}

// network receives what Kannel sends to phones.
func (k *kannel) network(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	k.sent = append(k.sent, r.URL.Query())
	k.mu.Unlock()
	w.WriteHeader(http.StatusAccepted)
	_, _ = fmt.Fprint(w, "0: Accepted for delivery")
	k.news <- struct{}{}
}

// nextMessage waits for the next message.
func (k *kannel) nextMessage() url.Values {
	k.t.Helper()
	select {
	case <-k.news:
	case <-time.After(20 * time.Second):
		k.t.Fatal("the network has received nothing")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sent[len(k.sent)-1]
}

// sendToKannel sends a message or receipt from the network to Kannel.
func (k *kannel) sendToKannel(v url.Values) {
	k.t.Helper()
	v.Set("username", "network")
	v.Set("password", "network")
	response, err := http.Get(k.smsc + "?" + v.Encode())
	if err != nil {
		k.t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusAccepted {
		k.t.Errorf("Kannel answers the network %d", response.StatusCode)
	}
}

func TestKannel(t *testing.T) {
	t.Parallel()
	env := gatewaytest.NewEnvironment()
	var s *sender
	griot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.WebhookHandler().ServeHTTP(w, r) }))
	defer griot.Close()
	k := startKannel(t, griot.URL)
	settings := func(password string) string {
		return `{"preset":"kannel","url":"` + k.sendsms + `","values":{"username":{"value":"griot"},"password":{"value":"` + password + `"}},"callback_url":"` + griot.URL + `",
			"receipts":{"auth":{"kind":"token","token":"` + testToken + `","query":"token"}},"inbound":{"auth":{"kind":"token","token":"` + testToken + `","query":"token"}}}`
	}
	s = open(t, env, settings(testSecret))

	for _, tt := range []struct{ text, coding, charset, wire string }{
		{"Été : 100 % {sûr} @ 5 € & a=b+c #1", "2", "UTF-16BE", ""}, // û isn't in the GSM alphabet
		{"Été : 100 % {là} @ 5 € & a=b+c #1", "0", "UTF-8", "Été : 100 % {là} @ 5 € & a=b+c #1"},
		{"ê 👋", "2", "UTF-16BE", ""},
	} {
		out := message()
		out.Ref, out.Text, out.ExpiresAt = "msg_"+tt.coding, tt.text, env.Clock.Now().Add(5*time.Minute)
		if _, err := s.Send(t.Context(), out); err != nil {
			t.Fatal(err)
		}
		got := k.nextMessage()
		text := got.Get("text")
		if tt.charset == "UTF-16BE" {
			text, _ = fromUCS2([]byte(text))
		}
		if text != tt.text || got.Get("coding") != tt.coding || got.Get("charset") != tt.charset || got.Get("to") != "+"+aissata || got.Get("from") != ourNumber || !strings.Contains("54", got.Get("validity")) || got.Get("validity") == "" { // Kannel takes off what has passed
			t.Errorf("%q arrives at the network as %q, %v", tt.text, text, got)
		}
	}

	wait := func(what string, done func() bool) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if err := env.Sink.Wait(ctx, done); err != nil {
			t.Fatalf("%s: %v; %+v", what, err, env.Sink.Receipts())
		}
	}
	has := func(status gateway.ReceiptStatus) func() bool {
		return func() bool {
			for _, r := range env.Sink.Receipts() {
				if r.Ref == "msg_0" && r.Status == status {
					return true
				}
			}
			return false
		}
	}
	wait("the receipt that the network has it", has(gateway.ReceiptSent))
	callback := k.callbackOf("msg_0")
	k.sendToKannel(url.Values{"dlr-mid": {callback[1]}, "dlr-mask": {"1"}, "dlr-url": {callback[0]}})
	wait("the receipt that the phone has it", has(gateway.ReceiptDelivered))

	k.sendToKannel(url.Values{"from": {"+" + aissata}, "to": {ourNumber}, "text": {"Bonjour  à tous & toutes"}, "charset": {"UTF-8"}, "coding": {"0"}})
	k.sendToKannel(url.Values{"from": {"+" + aissata}, "to": {ourNumber}, "text": {"\x00\xc7\x00a"}, "charset": {"UTF-16BE"}, "coding": {"2"}})
	wait("two messages", func() bool { return len(env.Sink.Messages()) == 2 })
	texts := map[string]bool{}
	for _, in := range env.Sink.Messages() {
		texts[in.Text] = in.From == aissata && in.To == ourNumber && in.ID != "" && !in.At.IsZero()
	}
	if !texts["Bonjour  à tous & toutes"] || !texts["Ça"] {
		t.Errorf("%+v", env.Sink.Messages())
	}

	_, err := open(t, env, settings("another")).Send(t.Context(), message())
	gatewaytest.WantFailure(t, err, "sender_down credentials_refused 403")
	out := message()
	out.To = "a"
	_, err = s.Send(t.Context(), out)
	gatewaytest.WantFailure(t, err, "unreachable recipient_refused 400")
	if logged := env.Logged(); strings.Contains(logged, testToken) || strings.Contains(logged, testSecret) {
		t.Errorf("a secret or a content is in the log: %s", logged)
	}
}

// callbackOf returns the address for a message's receipts, and the network's id of the message.
func (k *kannel) callbackOf(ref string) []string {
	k.t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, v := range k.sent {
		found := regexp.MustCompile(`dlr-url=(.*ref=` + ref + `&.*)&dlr-mask=%d&dlr-mid=([0-9a-f-]+)`).FindStringSubmatch(v.Get("dlr-url"))
		if found != nil {
			return found[1:]
		}
	}
	k.t.Fatalf("%s has no callback", ref)
	return nil
}
