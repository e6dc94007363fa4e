package clients_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// Public libraries accept delivered events, and refuse modified ones.
// Rules: M155.
func TestWebhooks_IndependentLibraries(t *testing.T) {
	h := systemtest.NewWebhookServer(t, systemtest.AcceptsAll)
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory", "--webhook-url", h.Url)
	secret := p.Accounts.Business.WebhookSecret
	p.Send(p.Accounts.Business.LiveKey, systemtest.SmsToAwa)
	p.Call("POST", p.BaseURL+"/dev/phones/22376000001/messages", fmt.Sprintf(`{"channel":"whatsapp","to":%q,"text":"Je voudrais \u00ab 2 \u00bb caf\u00e9s \ud83d\ude00"}`, p.Accounts.Business.WhatsAppNumber))
	p.Send(p.Accounts.Business.LiveKey, systemtest.SmsToAwa)
	type endpoint struct {
		Secret  string
		Pending int
	}
	h.WaitFor(t, 3)
	waittest.Until(t, func() error {
		if e := systemtest.RunJSON[endpoint](p.Operator(), "webhooks", "show", "--account", "business@griot.example"); e.Pending > 0 {
			return systemtest.ErrNotYet
		}
		return nil
	})
	before := len(h.Received())
	fresh := systemtest.RunJSON[endpoint](p.Operator(), "webhooks", "rotate-secret", "--account", "business@griot.example").Secret
	p.Operator().Run("webhooks", "ping", "--account", "business@griot.example")
	all := h.WaitFor(t, before+1)

	type line struct {
		Secret  string            `json:"secret"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
	}
	var input bytes.Buffer
	var waitFor []bool
	try := func(good bool, secret string, d systemtest.ReceivedWebhook, change func(*line)) {
		t.Helper()
		l := line{secret, map[string]string{}, d.Body}
		for name := range d.Header {
			l.Headers[strings.ToLower(name)] = d.Header.Get(name)
		}
		change(&l)
		b, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(b, '\n'))
		waitFor = append(waitFor, good)
		header := http.Header{}
		for name, value := range l.Headers {
			header.Set(name, value)
		}
		v, err := standardwebhooks.NewWebhook(l.Secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Verify([]byte(l.Body), header); (err == nil) != good {
			t.Errorf("the Go library says %v, want it accepted: %v", err, good)
		}
	}
	as := func(*line) {}
	for i, d := range all {
		try(true, secret, d, as)
		try(i >= before, fresh, d, as) // after the rotation, both secrets sign
		try(false, secret, d, func(l *line) { l.Body = strings.Replace(l.Body, "evt_", "evt-", 1) })
		try(false, secret, d, func(l *line) { l.Headers["webhook-id"] = "evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D" })
		try(false, secret, d, func(l *line) { l.Headers["webhook-timestamp"] = secondEarlier(t, l.Headers["webhook-timestamp"]) })
		try(false, secret, d, func(l *line) { l.Headers["webhook-timestamp"] = "1600000000" })
		try(false, secret, d, func(l *line) { l.Headers["webhook-signature"] = "v1," })
		try(false, "whsec_"+strings.Repeat("A", 32), d, as)
	}
	out, err := node(t, &input, filepath.Join(npmFolder, "webhooks/verify.mjs")).Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderrOf(err))
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(waitFor) {
		t.Fatalf("%d answers to %d deliveries", len(lines), len(waitFor))
	}
	for i, answer := range lines {
		var output struct{ Standardwebhooks, Svix string }
		if err := json.Unmarshal([]byte(answer), &output); err != nil {
			t.Fatal(err)
		}
		if (output.Standardwebhooks == "") != waitFor[i] || (output.Svix == "") != waitFor[i] {
			t.Errorf("delivery %d: %s, want it accepted: %v", i, answer, waitFor[i])
		}
	}
	if strings.Contains(p.Out.String(), "voudrais") || strings.Contains(p.Out.String(), "whsec_") {
		t.Error("what was delivered, or a secret, was logged")
	}
}

// The guide's receivers, exactly as printed, accept delivered events, and refuse modified ones.
func TestWebhooks_GuideReceivers(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	b, err := os.ReadFile("../../../docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	code := func(language string) string {
		m := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```$").FindStringSubmatch(string(b))
		if m == nil {
			t.Fatalf("docs/webhooks.md has no %s", language)
		}
		return m[1]
	}
	for language, start := range map[string]func(t *testing.T, dir string) *exec.Cmd{
		"go": func(t *testing.T, dir string) *exec.Cmd {
			systemtest.WriteFile(t, filepath.Join(dir, "main.go"), code("go"))
			program := filepath.Join(dir, "receiver")
			if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, filepath.Join(dir, "main.go")).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			return exec.CommandContext(context.Background(), program)
		},
		"js": func(t *testing.T, dir string) *exec.Cmd {
			systemtest.WriteFile(t, filepath.Join(dir, "hook.mjs"), code("js"))
			return node(t, nil, filepath.Join(dir, "hook.mjs"))
		},
		"python": func(t *testing.T, dir string) *exec.Cmd {
			if _, err := exec.LookPath("python3"); err != nil {
				t.Fatal("python3 isn't installed: run make setup")
			}
			systemtest.WriteFile(t, filepath.Join(dir, "hook.py"), code("python"))
			return exec.CommandContext(context.Background(), "python3", filepath.Join(dir, "hook.py"))
		},
		"php": func(t *testing.T, dir string) *exec.Cmd {
			if _, err := exec.LookPath("php"); err != nil {
				t.Fatal("php isn't installed: run make setup")
			}
			systemtest.WriteFile(t, filepath.Join(dir, "hook.php"), code("php"))
			return exec.CommandContext(context.Background(), "php", "-S", "LISTEN", filepath.Join(dir, "hook.php"))
		},
	} {
		t.Run(language, func(t *testing.T) {
			receive(t, p, start(t, t.TempDir()))
		})
	}
}

// receive runs a receiver behind `griot dev`, and then sends it events that are not Griot's.
func receive(t *testing.T, p *systemtest.Dev, receiver *exec.Cmd) {
	t.Helper()
	here := systemtest.FreeAddress(t)
	for i := range receiver.Args {
		receiver.Args[i] = strings.ReplaceAll(receiver.Args[i], "LISTEN", here)
	}
	out := &systemtest.Buffer{}
	receiver.Stdout, receiver.Stderr = out, out
	receiver.Env = append(systemtest.Environ(), "LISTEN="+here, "WEBHOOK_SECRET="+p.Accounts.Business.WebhookSecret)
	if err := receiver.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = receiver.Process.Kill()
		_ = receiver.Wait()
		if t.Failed() {
			t.Logf("the receiver said:\n%s", out)
		}
	})
	url := "http://" + here + "/hook"
	waittest.Until(t, func() error {
		_, err := systemtest.Call("POST", url, "{}")
		return err
	})
	o := p.Operator()
	o.Run("webhooks", "set", "--account", "business@griot.example", "--url", url)
	type event struct{ ID, Delivery string }
	made := systemtest.RunJSON[event](o, "webhooks", "ping", "--account", "business@griot.example")
	waittest.Until(t, func() error {
		if all := systemtest.RunJSON[[]event](o, "webhooks", "list", "--account", "business@griot.example", "--limit", "1"); all[0].ID != made.ID || all[0].Delivery != "delivered" {
			return fmt.Errorf("got %v", all)
		}
		if !strings.Contains(out.String(), made.ID) {
			return fmt.Errorf("the output is %s", out)
		}
		return nil
	})
	body := `{"event":"webhook.ping"}`
	now := fmt.Sprint(time.Now().Unix())
	for name, headers := range map[string][]string{
		"no headers": nil, "no signature": {"webhook-id: evt_1", "webhook-timestamp: " + now},
		"a wrong one":  {"webhook-id: evt_1", "webhook-timestamp: " + now, "webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
		"an empty one": {"webhook-id: evt_1", "webhook-timestamp: " + now, "webhook-signature: v1,"}, "nonsense": {"webhook-id: evt_1", "webhook-timestamp: soon", "webhook-signature: x"},
	} {
		if r, err := systemtest.Call("POST", url, body, headers...); err != nil || r.Status != http.StatusUnauthorized {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
}

// An endpoint that doesn't respond is disabled, its account gets an email, and after it works again no event is
// missing.
func TestWebhooks_GoneAndBack(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	status := http.StatusGone
	h := systemtest.NewWebhookServer(t, func(int, *http.Request) int {
		mu.Lock()
		defer mu.Unlock()
		return status
	})
	dir := t.TempDir()
	p := systemtest.StartDev(t, dir, "--webhook-url", h.Url)
	p.Send(p.Accounts.Business.LiveKey, systemtest.SmsToAwa)
	h.WaitFor(t, 1)
	o := p.Operator()
	type endpoint struct {
		Enabled     bool
		DisabledFor string
		Pending     int
	}
	waittest.Until(t, func() error {
		if e := systemtest.RunJSON[endpoint](o, "webhooks", "show", "--account", p.Accounts.Business.ID); e.Enabled || e.DisabledFor != "gone" {
			return fmt.Errorf("got %+v", e)
		}
		return nil
	})
	before := len(h.Received())
	p.Send(p.Accounts.Business.LiveKey, systemtest.SmsToAwa)
	p.Stop()
	p = systemtest.StartDev(t, dir) // at its start, it sends the events that were due before
	o = p.Operator()
	waittest.Until(t, func() error {
		if mail := p.Phone("business@griot.example"); len(mail) != 1 || !strings.Contains(mail[0].Text, "410") {
			return fmt.Errorf("the account's mailbox has %+v", mail)
		}
		return nil
	})
	if n := len(h.Received()); n != before {
		t.Errorf("%d deliveries to a disabled endpoint", n-before)
	}
	mu.Lock()
	status = http.StatusOK
	mu.Unlock()
	o.Run("webhooks", "enable", "--account", "business@griot.example")
	waittest.Until(t, func() error {
		if e := systemtest.RunJSON[endpoint](o, "webhooks", "show", "--account", p.Accounts.Business.ID); !e.Enabled || e.Pending != 0 {
			return fmt.Errorf("got %+v", e)
		}
		return nil
	})
	p.Stop()
	if n := systemtest.CountRows(t, dir, `SELECT count(*) FROM webhook_events WHERE delivered_at IS NULL`); n != 0 {
		t.Errorf("%d events are missing", n)
	}
}

// Rules: M152.
func TestWebhooks_AdminRefuses(t *testing.T) {
	p := systemtest.StartDev(t, t.TempDir())
	o := p.Operator()
	const of = "business@griot.example"
	for _, url := range []string{"http://shop.example/hook", "https://10.0.0.1/", "https://user:hunter2@shop.example/", "ftp://shop.example/"} {
		o.MustFail("The URL can't be used", "webhooks", "set", "--account", of, "--url", url)
	}
	o.MustFail("The account doesn't exist.", "webhooks", "show", "--account", "nobody@griot.example")
	o.MustFail("The account doesn't exist.", "webhooks", "ping", "--account", "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D")
	o.MustFail("The account doesn't have this event.", "webhooks", "resend", "evt_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D", "--account", of)
	o.MustFail("The account doesn't have this event.", "webhooks", "attempts", "x", "--account", of)
	o.MustFail("pending, delivered, failed, or not_sent", "webhooks", "list", "--account", of, "--delivery", "lost")
	o.MustFail("The limit must be 1 to 1000.", "webhooks", "list", "--account", of, "--limit", "0")
	o.MustEnd(exit.CodeUsage, "account", "webhooks", "list")
	p.Stop()
	secret := systemtest.RunJSON[struct{ Secret string }](o, "webhooks", "set", "--account", "free@griot.example", "--url", "http://127.0.0.1:9/hook").Secret // on the database
	if !strings.HasPrefix(secret, "whsec_") {
		t.Errorf("its first secret is %q", secret)
	}
	if again := systemtest.RunJSON[struct{ Secret string }](o, "webhooks", "set", "--account", "free@griot.example", "--url", "http://127.0.0.1:9/other").Secret; again != "" {
		t.Error("a secret was shown again")
	}
}

// secondEarlier returns another time that every library accepts.
func secondEarlier(t *testing.T, stamp string) string {
	t.Helper()
	n, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.FormatInt(n-1, 10)
}

// With the setting, an account sets its own URL and gets its events. After a kill, the URL and its secret are the same.
// Rules: M212, M213.
func TestWebhooks_OfTheAccountItself(t *testing.T) {
	h := systemtest.NewWebhookServer(t, systemtest.AcceptsAll)
	dir, env := t.TempDir(), append(systemtest.Environ(), "GRIOT_WEBHOOKS_ACCOUNTS_SET_URL=true")
	p := systemtest.StartDevWith(t, systemtest.Binary, dir, env, "--phones", "memory")
	key := p.Accounts.Unlimited.LiveKey
	set := p.Call("PUT", p.BaseURL+"/api/webhooks", fmt.Sprintf(`{"url":%q}`, h.Url), "Authorization: Bearer "+key)
	secret := set.Text("secret")
	if set.Status != http.StatusOK || secret == "" {
		t.Fatalf("got %d %s, want a secret", set.Status, set.Raw)
	}
	p.Send(key, systemtest.SmsToAwa)
	h.WaitFor(t, 1)
	p.Kill()
	p = systemtest.StartDevWith(t, systemtest.Binary, dir, env, "--phones", "memory")
	before := len(h.Received())
	p.Send(key, systemtest.SmsToAwa)
	for _, d := range h.WaitFor(t, before+1) {
		v, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Verify([]byte(d.Body), d.Header); err != nil {
			t.Errorf("%s: %v", d.Body, err)
		}
	}
	p.Stop()
	p = systemtest.StartDev(t, dir, "--phones", "memory") // without the setting
	for path, want := range map[string]int{"PUT /api/webhooks": http.StatusMethodNotAllowed, "POST /api/webhooks/rotate-secret": http.StatusNotFound} {
		method, path, _ := strings.Cut(path, " ")
		if r := p.Call(method, p.BaseURL+path, `{"url":null}`, "Authorization: Bearer "+key); r.Status != want {
			t.Errorf("%s %s: %d %s, want %d", method, path, r.Status, r.Raw, want)
		}
	}
	if r := p.Call("GET", p.BaseURL+"/api/webhooks", "", "Authorization: Bearer "+key); !strings.Contains(r.Raw, h.Url) {
		t.Errorf("the endpoint stays: %s", r.Raw)
	}
}
