package kanneltest

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
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/test/system/freeport"
)

const (
	adminPassword   = "nobody"
	networkPassword = "network"
	startTime       = 30 * time.Second // maximum start time of one of Kannel's programs
	messageTime     = 20 * time.Second // maximum time of a message through it
	pause           = 20 * time.Millisecond
)

// Username is the user for sending messages with SendSMS.
const Username = "griot"

// Kannel is a running Kannel.
type Kannel struct {
	SendSMS string // address for sending

	t     testing.TB
	smsc  string // address for the network's receipts and messages
	admin int    // port of its status page

	mu   sync.Mutex
	sent []url.Values
	news chan struct{}
}

const config = `
group = core
admin-port = %d
admin-password = ` + adminPassword + `
admin-interface = 127.0.0.1
smsbox-port = %d
box-allow-ip = "127.0.0.1"
dlr-storage = internal

group = smsc
smsc = http
smsc-id = far
system-type = kannel
smsc-username = network
smsc-password = ` + networkPassword + `
connect-allow-ip = 127.0.0.1
port = %d
send-url = "%s/send"
dlr-url = "http://127.0.0.1:1/"

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = %d
sendsms-interface = 127.0.0.1

group = sendsms-user
username = ` + Username + `
password = %s
concatenation = true
max-messages = 10

%s
`

// Start runs a Kannel that ends with the test. Messages are sent as [Username] with the password. service is the group
// of its configuration with the target of inbound messages.
func Start(t testing.TB, password, service string) *Kannel {
	t.Helper()
	const backlog = 100
	k := &Kannel{t: t, news: make(chan struct{}, backlog)}
	network := httptest.NewServer(http.HandlerFunc(k.network))
	t.Cleanup(network.Close)
	const ports = 4
	free := freeport.Find(t, ports)
	admin, box, smsc, send := free[0], free[1], free[2], free[3]
	file := filepath.Join(t.TempDir(), "kannel.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, config, admin, box, smsc, network.URL, send, password, service), 0o600); err != nil {
		t.Fatal(err)
	}
	k.run(Program(t, "bearerbox"), file, box, smsc)
	k.run(Program(t, "smsbox"), file, send)
	k.SendSMS = fmt.Sprintf("http://127.0.0.1:%d/cgi-bin/sendsms", send)
	k.smsc = fmt.Sprintf("http://127.0.0.1:%d/", smsc)
	k.wait(password)
	k.admin = admin
	Wait(t, admin, adminPassword, HasSMSBox)
	return k
}

// wait waits until smsbox has loaded its users, which happens after it starts to listen.
func (k *Kannel) wait(password string) {
	k.t.Helper()
	for deadline := time.Now().Add(startTime); ; time.Sleep(pause) {
		response, err := http.Get(k.SendSMS + "?" + url.Values{"username": {Username}, "password": {password}}.Encode())
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
func (k *Kannel) run(program, file string, ports ...int) {
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
		for deadline := time.Now().Add(startTime); ; time.Sleep(pause) {
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

// network receives the messages that Kannel sends to phones.
func (k *Kannel) network(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	k.sent = append(k.sent, r.URL.Query())
	k.mu.Unlock()
	w.WriteHeader(http.StatusAccepted)
	_, _ = fmt.Fprint(w, "0: Accepted for delivery")
	k.news <- struct{}{}
}

// Next waits for the next message to a phone, and returns Kannel's request to the network.
func (k *Kannel) Next() url.Values {
	k.t.Helper()
	select {
	case <-k.news:
	case <-time.After(messageTime):
		k.t.Fatal("the network has received nothing")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sent[len(k.sent)-1]
}

// FromNetwork gives Kannel a message or a receipt of the network.
func (k *Kannel) FromNetwork(v url.Values) {
	k.t.Helper()
	v.Set("username", "network")
	v.Set("password", networkPassword)
	response, err := http.Get(k.smsc + "?" + v.Encode())
	if err != nil {
		k.t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusAccepted {
		k.t.Errorf("Kannel answers the network %d", response.StatusCode)
	}
}

// answered matches the number of messages that the network has accepted, on Kannel's status page.
var answered = regexp.MustCompile(`(?m)^SMS: .* sent (\d+) `)

// Delivered sends Kannel the network's receipt that a phone has the message with the reference. Kannel drops a receipt
// that arrives before it has read the network's response to the message.
func (k *Kannel) Delivered(ref string) {
	k.t.Helper()
	Wait(k.t, k.admin, adminPassword, func(status string) bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		found := answered.FindStringSubmatch(status)
		return found != nil && found[1] == strconv.Itoa(len(k.sent))
	})
	k.mu.Lock()
	var found []string
	for _, v := range k.sent {
		if found == nil {
			found = regexp.MustCompile(`dlr-url=(.*ref=` + ref + `&.*)&dlr-mask=%d&dlr-mid=([0-9a-f-]+)`).FindStringSubmatch(v.Get("dlr-url"))
		}
	}
	k.mu.Unlock()
	if found == nil {
		k.t.Fatalf("%s has no callback", ref)
	}
	k.FromNetwork(url.Values{"dlr-mid": {found[2]}, "dlr-mask": {"1"}, "dlr-url": {found[1]}})
}
