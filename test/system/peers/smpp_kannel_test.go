package peers_test

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/gateway/smpp/smpptest"
	"example.com/griot/test/system/freeport"
	"example.com/griot/test/system/peers/kanneltest"
)

// Kannel is another SMPP client. Because it works with smpptest, smpptest implements
// SMPP, and not only the part that our driver expects.
func TestSMPP_Kannel(t *testing.T) {
	c := smpptest.Start(t, smpptest.Options{})
	k := startKannel(t, c.Port(), concatenated)
	if err := c.WaitFor(bounded(t), func() bool { return c.BindCount() > 0 }); err != nil {
		t.Fatal(err)
	}

	t.Run("send and receipt", func(t *testing.T) {
		for i, body := range []string{"Votre code : 123456 {€}", "Ça va ? ☀", strings.Repeat("Été à Ségou. ", 20)} {
			before := len(c.Submits())
			k.send(t, url.Values{
				"from": {griot}, "to": {aissata}, "text": {body}, "charset": {"UTF-8"}, "coding": {fmt.Sprint(i % 2 * 2)},
				"validity": {"5"}, "dlr-mask": {"31"}, "dlr-url": {k.web + fmt.Sprintf("/dlr/%d?type=%%d&id=%%F", i)},
			})
			segments := []int{1, 1, 2}[i]
			if err := c.WaitFor(bounded(t), func() bool { return len(c.Submits()) == before+segments }); err != nil {
				t.Fatal(err)
			}
			whole := ""
			for _, s := range c.Submits()[before:] {
				whole += s.Text()
				if s.Source.Addr != griot || s.Destination.Addr != aissata || s.Validity == "" || (s.ESMClass&pdu.ESMHeader != 0) != (segments > 1) {
					t.Errorf("Kannel submits %+v", s.Message)
				}
			}
			// Type 1 is delivered to the phone, with the id from the center. Kannel requests one receipt for a text.
			asked := slices.IndexFunc(c.Submits()[before:], func(s smpptest.Submit) bool { return s.RegisteredDelivery&1 != 0 })
			k.called(t, fmt.Sprintf("/dlr/%d?type=1&id=%s", i, c.Submits()[before+asked].ID))
			if whole != body {
				t.Errorf("Kannel's %q is read as %q", body, whole)
			}
		}
	})
	t.Run("inbound", func(t *testing.T) {
		long := strings.TrimSpace(strings.Repeat("C'est bien. ", 20))
		for range c.Deliver(smpptest.Text(aissata, griot, "Ça va ?")) {
		}
		for _, m := range smpptest.Parts(moussa, griot, long, 7) {
			for range c.Deliver(m) {
			}
		}
		k.called(t, "/mo?"+url.Values{"from": {"+" + aissata}, "text": {"Ça va ?"}, "to": {"+" + griot}}.Encode())
		k.called(t, "/mo?"+url.Values{"from": {"+" + moussa}, "text": {long}, "to": {"+" + griot}}.Encode())
	})
	t.Run("throttled", func(t *testing.T) {
		var once sync.Once
		c.OnSubmit(func(smpptest.Submit) (r smpptest.Reply) {
			once.Do(func() { r.Status = pdu.Throttled })
			return r
		})
		before := len(c.Submits())
		k.send(t, url.Values{"from": {griot}, "to": {aissata}, "text": {"encore"}})
		if err := c.WaitFor(bounded(t), func() bool { return len(c.Submits()) == before+1 }); err != nil { // the retry
			t.Fatal(err)
		}
	})
	t.Run("connection closed", func(t *testing.T) {
		before := c.BindCount()
		c.CloseConnections()
		if err := c.WaitFor(bounded(t), func() bool { return c.BindCount() > before }); err != nil {
			t.Fatal(err)
		}
	})
}

// Without max-messages, Kannel sends only the first segment of a text. Nothing that it reports shows this: its responses
// and receipts are those of a whole text. The page of the driver httpsms tells its readers.
func TestSMPP_KannelCutsLongTexts(t *testing.T) {
	const length = 400
	text := strings.Repeat("0123456789", length/10)
	for user, want := range map[string]struct{ segments, characters int }{
		"":                       {1, 160},
		"concatenation = true\n": {1, 153},
		"max-messages = 5\n":     {3, length}, // three messages that phones don't join
		"concatenation = true\nmax-messages = 2\n": {2, 306},
		concatenated: {3, length},
	} {
		t.Run(cmp.Or(strings.ReplaceAll(strings.TrimSpace(user), "\n", ", "), "neither"), func(t *testing.T) {
			t.Parallel()
			c := smpptest.Start(t, smpptest.Options{})
			k := startKannel(t, c.Port(), user)
			if err := c.WaitFor(bounded(t), func() bool { return c.BindCount() > 0 }); err != nil {
				t.Fatal(err)
			}
			send := func(text string) {
				t.Helper()
				k.send(t, url.Values{"from": {griot}, "to": {aissata}, "text": {text}, "coding": {"0"}, "dlr-mask": {"31"}, "dlr-url": {k.web + "/dlr?type=%d&report=%A"}})
			}
			send(text) // the response is the same in all cases
			send("the end")
			var parts []smpptest.Submit
			if err := c.WaitFor(bounded(t), func() bool {
				all := c.Submits()
				if len(all) == 0 || all[len(all)-1].Text() != "the end" {
					return false
				}
				parts = all[:len(all)-1]
				return true
			}); err != nil {
				t.Fatal(err)
			}
			whole, joined := "", false
			for _, p := range parts {
				whole += p.Text()
				joined = p.ESMClass&pdu.ESMHeader != 0
			}
			if len(parts) != want.segments || whole != text[:want.characters] || joined != (want.segments > 1 && strings.Contains(user, "concatenation")) {
				t.Errorf("%d segments with %d characters, joined %v; want %+v", len(parts), len(whole), joined, want)
			}
			asked := parts[0]
			for _, p := range parts {
				if p.RegisteredDelivery&1 != 0 {
					asked = p
				}
			}
			report := smpptest.Delivered(asked)
			k.called(t, "/dlr?type=1&report="+url.QueryEscape(string(report.Short)))
			k.called(t, "/dlr?type=8&report=ACK%2F")
			if !strings.Contains(string(report.Short), "stat:DELIVRD") {
				t.Errorf("the report is %q", report.Short)
			}
		})
	}
}

// Kannel adds a plus to international senders only. Other digits are a national number, or one with the country's code.
func TestSMPP_KannelSenders(t *testing.T) {
	c := smpptest.Start(t, smpptest.Options{})
	k := startKannel(t, c.Port(), concatenated)
	if err := c.WaitFor(bounded(t), func() bool { return c.BindCount() > 0 }); err != nil {
		t.Fatal(err)
	}
	for ton := range byte(5) {
		m := smpptest.Text("70112233", griot, "national?")
		m.Source.TON = ton
		<-c.Deliver(m)
	}
	for from, count := range map[string]int{"+70112233": 1, "70112233": 4} {
		k.calledTimes(t, "/mo?"+url.Values{"from": {from}, "text": {"national?"}, "to": {"+" + griot}}.Encode(), count)
	}
}

// kannel is a running Kannel with the calls that it has made.
type kannel struct {
	port int
	web  string

	mu      sync.Mutex
	changed chan struct{}
	calls   []string
}

const kannelConf = `
group = core
admin-port = %[1]d
admin-interface = 127.0.0.1
admin-password = test
smsbox-port = %[2]d
smsbox-interface = 127.0.0.1
box-allow-ip = 127.0.0.1
sms-resend-freq = 1

group = smsc
smsc = smpp
smsc-id = center
host = 127.0.0.1
port = %[3]d
transceiver-mode = true
smsc-username = %[4]s
smsc-password = %[5]s
system-type = ""
address-range = ""
source-addr-autodetect = true
reconnect-delay = 1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = %[6]d
sendsms-interface = 127.0.0.1

group = sendsms-user
username = griot
password = test
%[8]s
group = sms-service
keyword = default
catch-all = true
max-messages = 0
get-url = "%[7]s/mo?from=%%p&text=%%a&to=%%P"
`

// concatenated is the part of a user's group without which Kannel sends only the first segment of a text.
const concatenated = "concatenation = true\nmax-messages = 5\n"

// startKannel starts a Kannel. user is the rest of its user's group.
func startKannel(t *testing.T, center int, user string) *kannel {
	t.Helper()
	bearerbox, smsbox := kanneltest.Program(t, "bearerbox"), kanneltest.Program(t, "smsbox")
	k := &kannel{changed: make(chan struct{})}
	web := httptest.NewServer(http.HandlerFunc(k.serve))
	t.Cleanup(web.Close)
	k.web = web.URL
	ports := freeport.Find(t, 3)
	k.port = ports[2]
	conf := filepath.Join(t.TempDir(), "kannel.conf")
	text := fmt.Sprintf(kannelConf, ports[0], ports[1], center, smpptest.SystemID, smpptest.Password, ports[2], web.URL, user)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // after the programs have ended
		if log, err := os.ReadFile(conf + ".log"); err == nil && t.Failed() {
			t.Logf("%s", log[max(0, len(log)-8000):])
		}
	})
	runKannel(t, bearerbox, conf)
	reachable(t, ports[1])
	runKannel(t, smsbox, conf)
	reachable(t, ports[2])
	kanneltest.Wait(t, ports[0], "test", kanneltest.HasSMSBox)
	return k
}

// runKannel runs a program of Kannel until the test or the test process ends.
func runKannel(t *testing.T, path, conf string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	command := exec.CommandContext(ctx, "sh", "-c", `"$1" -v 1 "$2" >>"$2.log" 2>&1 & cat; kill -9 $!; wait`, "sh", path, conf)
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = command.Wait()
		cancel()
	})
}

// reachable waits until something listens on a port.
func reachable(t *testing.T, port int) {
	t.Helper()
	for ctx := bounded(t); ; time.Sleep(20 * time.Millisecond) {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			_ = c.Close()
			return
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

func (k *kannel) serve(_ http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	q := r.URL.Query().Encode()
	if r.URL.Path != "/mo" {
		q = r.URL.RawQuery
	}
	k.calls = append(k.calls, r.URL.Path+"?"+q)
	close(k.changed)
	k.changed = make(chan struct{})
}

// called waits until Kannel has made a call.
func (k *kannel) called(t *testing.T, want string) {
	t.Helper()
	k.calledTimes(t, want, 1)
}

// calledTimes waits until Kannel has made a call at least n times.
func (k *kannel) calledTimes(t *testing.T, want string, n int) {
	t.Helper()
	for ctx := bounded(t); ; {
		k.mu.Lock()
		found, changed, calls := 0, k.changed, slices.Clone(k.calls)
		k.mu.Unlock()
		for _, call := range calls {
			if call == want {
				found++
			}
		}
		if found >= n {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("Kannel has called %s %d times, want %d, and %q", want, found, n, calls)
		}
	}
}

// send sends a message through Kannel.
func (k *kannel) send(t *testing.T, q url.Values) {
	t.Helper()
	q.Set("username", "griot")
	q.Set("password", "test")
	r, err := http.NewRequestWithContext(bounded(t), http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/cgi-bin/sendsms?%s", k.port, q.Encode()), nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusAccepted {
		t.Fatalf("Kannel answers %s", response.Status)
	}
}
