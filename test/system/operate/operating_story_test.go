package operate_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/internal/certificate/certtest"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/waittest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/peers/kanneltest"
	"example.com/griot/test/system/peers/postfixtest"
	"example.com/griot/test/system/systemtest"
)

// manual runs the commands on the pages of docs/operating, with other names, directories, and ports.
type manual struct {
	t    *testing.T
	env  []string
	here []string // pairs of a text on the page and its replacement here
}

// put sets the replacement of a text on the pages.
func (m *manual) put(page, here string) { m.here = append(m.here, page, here) }

// text returns a text of a page with the replacements.
func (m *manual) text(s string) string { return strings.NewReplacer(m.here...).Replace(s) }

// page reads a page.
func (m *manual) page(name string) string {
	m.t.Helper()
	b, err := os.ReadFile(filepath.Join("../../../docs/operating", name))
	systemtest.Must(m.t, err)
	return string(b)
}

// line returns the lines of code of a page that start with a text, including the lines after a backslash.
func (m *manual) line(page, begins string) string {
	m.t.Helper()
	found := regexp.MustCompile(`(?m)^    (` + regexp.QuoteMeta(begins) + `(?:.*\\\n)*.*)$`).FindStringSubmatch(m.page(page))
	if found == nil {
		m.t.Fatalf("%s has no line that begins with %q", page, begins)
	}
	return m.text(found[1])
}

// run runs a line of a page in a shell, optionally with additions, and returns its output.
func (m *manual) run(page, begins string, more ...string) string {
	m.t.Helper()
	line := strings.Join(append([]string{m.line(page, begins)}, more...), " ")
	c := exec.CommandContext(m.t.Context(), "sh", "-c", line)
	c.Dir, c.Env = filepath.Dir(systemtest.Binary), m.env
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		m.t.Fatalf("%s: %s: %v\n%s%s", page, line, err, out, &errs)
	}
	return string(out)
}

// reads runs a command like run and decodes its JSON output.
func reads[Out any](m *manual, page, begins string, more ...string) (out Out) {
	m.t.Helper()
	text := m.run(page, begins, more...)
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		m.t.Fatalf("%s: %s: %v\n%s", page, begins, err, text)
	}
	return out
}

// yaml returns the first YAML block of a page.
func (m *manual) yaml(page string) string {
	m.t.Helper()
	found := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(m.page(page))
	if found == nil {
		m.t.Fatalf("%s has no settings", page)
	}
	return m.text(found[1])
}

// metaSecret stands for the secrets from Meta's pages and for those that we choose.
const metaSecret = "0123456789abcdef0123456789abcdef"

// metaSubscribes makes Meta's call after someone enters the URL of the webhook on its pages.
func (m *manual) metaSubscribes(c *http.Client, api string) {
	m.t.Helper()
	res, body := answer(m.t, c, "GET", api+"/gateways/whatsapp/?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token="+metaSecret, nil, nil)
	if res.StatusCode != http.StatusOK || body != "1158201444" {
		m.t.Fatalf("Meta's check of the webhook: %d %s", res.StatusCode, body)
	}
}

// metaBrings calls Meta's webhook with a person's message.
func (m *manual) metaBrings(c *http.Client, api, person, text string) {
	m.t.Helper()
	body := fmt.Appendf(nil, `{"object":"whatsapp_business_account","entry":[{"id":"102290129340398","changes":[{"field":"messages","value":{"messaging_product":"whatsapp",
		"metadata":{"display_phone_number":"22370000099","phone_number_id":"105954538954427"},"contacts":[{"profile":{"name":"Awa"},"wa_id":%[1]q}],
		"messages":[{"from":%[1]q,"id":"wamid.HBgL","timestamp":"%[2]d","type":"text","text":{"body":%[3]q}}]}}]}]}`, person[1:], clock.System().Unix(), text)
	mac := hmac.New(sha256.New, []byte(metaSecret))
	mac.Write(body)
	header := http.Header{"Content-Type": {"application/json"}, "X-Hub-Signature-256": {"sha256=" + hex.EncodeToString(mac.Sum(nil))}}
	if res, answered := answer(m.t, c, "POST", api+"/gateways/whatsapp/", body, header); res.StatusCode != http.StatusOK {
		m.t.Fatalf("Meta's webhook: %d %s", res.StatusCode, answered)
	}
}

// From an empty directory to a login and to messages, as docs/operating describes: griot behind nginx with TLS, with a
// real Kannel and a real Postfix. The test simulates Meta, the phones behind Kannel, and the server that Postfix relays
// to.
func TestOperating_FromAnEmptyFolderToALoginAndAMessage(t *testing.T) {
	t.Parallel()
	postfix := postfixtest.Start(t)
	base := t.TempDir()
	etc, port := filepath.Join(base, "etc"), systemtest.FreePort(t)
	files := certtest.Write(t, base, time.Now().AddDate(0, 3, 0), loginHost, apiHost)
	listeners := []string{systemtest.FreeAddress(t), systemtest.FreeAddress(t), systemtest.FreeAddress(t)}
	m := &manual{t: t, env: append(systemtest.Environ(), "PATH="+filepath.Dir(systemtest.Binary)+":"+os.Getenv("PATH"), "SSL_CERT_FILE="+files.Cert, "CURL_CA_BUNDLE="+files.Cert,
		"GRIOT_AUTH_LISTEN="+listeners[0], "GRIOT_API_LISTEN="+listeners[1], "GRIOT_INTERNAL_LISTEN="+listeners[2])}
	login, api := publicURLs(port)
	m.put("/etc/griot", etc)
	m.put("/var/lib/griot", filepath.Join(base, "lib"))
	m.put("https://login.example.com", login)
	m.put("https://api.example.com", api)
	for i, listen := range []string{"127.0.0.1:8081", "127.0.0.1:8080", "127.0.0.1:8082"} {
		m.put(listen, listeners[i])
	}
	m.put("--mail-port 25", fmt.Sprintf("--mail-port %d", postfix.Port))

	// The values from Meta: the token, and both secrets of its webhook.
	systemtest.Must(t, os.Mkdir(etc, 0o700))
	for _, name := range []string{"token", "secret", "verify"} {
		systemtest.Must(t, os.WriteFile(filepath.Join(etc, "whatsapp."+name), []byte(metaSecret), 0o600))
	}
	meta := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // it knows the number
		if r.URL.Path == "/v23.0/105954538954427" && r.Header.Get("Authorization") == "Bearer "+metaSecret {
			_, _ = io.WriteString(w, `{"id":"105954538954427"}`)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(meta.Close)
	systemtest.Must(t, os.WriteFile(filepath.Join(etc, "whatsapp.yaml"), []byte(m.yaml("login-number.md")+"base_url: "+meta.URL+"\n"), 0o600))
	m.run("login-number.md", "griot init")
	m.run("login-number.md", "griot config check")
	unit, err := os.ReadFile(filepath.Join(etc, "griot.service"))
	systemtest.Must(t, err)
	start := regexp.MustCompile(`(?m)^ExecStart=(.*)$`).FindStringSubmatch(string(unit))
	if start == nil {
		t.Fatalf("the unit starts nothing:\n%s", unit)
	}
	s := &systemtest.Server{Out: &systemtest.Buffer{}, Api: "http://" + listeners[1], Auth: "http://" + listeners[0], Internal: "http://" + listeners[2]}
	words := strings.Fields(start[1])
	s.Cmd = exec.CommandContext(context.Background(), words[0], words[1:]...)
	s.Cmd.Dir, s.Cmd.Env, s.Cmd.Stdout, s.Cmd.Stderr = base, m.env, s.Out, s.Out
	systemtest.Must(t, s.Cmd.Start())
	t.Cleanup(func() {
		_ = s.Cmd.Process.Kill()
		_ = s.Cmd.Wait()
		if t.Failed() {
			t.Logf("griot serve:\n%s", s.Out)
		}
	})
	waittest.Until(t, func() error {
		if r, err := systemtest.Call("GET", s.Internal+"/readyz", ""); err != nil || r.Status != 200 {
			return fmt.Errorf("%w\n%s", errors.Join(err, systemtest.ErrNotYet), s.Out)
		}
		return nil
	})
	m.run("configure.md", "curl http://127.0.0.1:8082/readyz", "--fail")
	public := runProxy(t, "nginx", filepath.Join(etc, "nginx.conf"), port, files, listeners[0], listeners[1])
	m.run("login-number.md", "griot admin --config /etc/griot/griot.yaml gateways test")
	if out := m.run("doctor.md", "griot doctor"); strings.Contains(out, "FAILED") || !strings.Contains(out, "proxies auth.url: through a proxy") {
		t.Errorf("griot doctor:\n%s", out)
	}

	// The login.
	tenant := reads[authverbs.Tenant](m, "configure.md", "griot admin --config /etc/griot/griot.yaml tenants create", "--json")
	m.put("TENANT", tenant.ID)
	client := reads[authverbs.Client](m, "configure.md", "griot admin --config /etc/griot/griot.yaml clients create", "--json")
	m.put("CLIENT", client.ClientID)
	p := &proxied{t: t, s: s, o: &systemtest.Operator{T: t, Dir: base, Env: m.env, Args: []string{"--config", filepath.Join(etc, "griot.yaml")}}, c: public, login: login, api: api, tenant: tenant.ID}
	m.metaSubscribes(public, api)
	const person = "+22370000002"
	handBack := p.signsIn(m.line("login-number.md", "https://login.example.com/authorize"), func(words string) { m.metaBrings(public, api, person, words) })
	back, err := url.Parse(handBack)
	systemtest.Must(t, err)
	code, err := json.Marshal(map[string]string{
		"grant_type": "authorization_code", "code": back.Query().Get("code"), "redirect_uri": client.RedirectURIs[0], "client_id": client.ClientID, "client_secret": client.ClientSecret,
	})
	systemtest.Must(t, err)
	if res, body := answer(t, public, "POST", login+"/token", code, map[string][]string{"Content-Type": {"application/json"}}); res.StatusCode != http.StatusCreated || !strings.Contains(body, `"token"`) {
		t.Errorf("/token: %d %s", res.StatusCode, body)
	}

	// The messages.
	reads[messagingverbs.Account](m, "configure.md", "griot admin --config /etc/griot/griot.yaml accounts create", "--json")
	key := reads[messagingverbs.Key](m, "configure.md", "griot admin --config /etc/griot/griot.yaml api-keys create", "--json").Key
	m.env = append(m.env, "KEY="+key)
	type sent struct{ MessageID, Status string }
	if mail := reads[sent](m, "configure.md", "curl https://api.example.com/api/send"); mail.Status != "SENT" {
		t.Errorf("the email is %+v", mail)
	}
	if mail := string(postfix.Next()); !strings.Contains(mail, "Subject: Bonjour") || !strings.Contains(mail, "To: <binta@example.com>") || !strings.Contains(mail, "From: <bonjour@example.com>") {
		t.Errorf("Postfix has relayed\n%s", mail)
	}
	m.run("kannel.md", "(umask 077;")
	secret := func(name string) string {
		b, err := os.ReadFile(filepath.Join(etc, name))
		systemtest.Must(t, err)
		return strings.TrimSpace(string(b))
	}
	m.put("TOKEN", secret("kannel.token"))
	group := regexp.MustCompile(`(?m)^    (group = sms-service\n(?:    .*\n)+)`).FindStringSubmatch(m.page("kannel.md"))
	if group == nil {
		t.Fatal("kannel.md has no group for messages from people")
	}
	kannel := kanneltest.Start(t, secret("kannel.password"), m.text(group[1]))
	m.put("http://127.0.0.1:13013/cgi-bin/sendsms", kannel.SendSMS)
	systemtest.Must(t, os.WriteFile(filepath.Join(etc, "kannel.yaml"), []byte(m.yaml("kannel.md")), 0o600))
	m.run("kannel.md", "griot admin --config /etc/griot/griot.yaml gateways add")
	m.run("kannel.md", "griot admin --config /etc/griot/griot.yaml senders add")
	sms := reads[sent](m, "kannel.md", "curl https://api.example.com/api/send")
	const number = "+22370000088"
	if got := kannel.Next(); sms.Status != "SENT" || got.Get("to") != person || got.Get("from") != number[1:] || got.Get("text") != "Votre commande est en route." {
		t.Errorf("the SMS is %+v, and arrives as %v", sms, got)
	}
	kannel.Delivered(sms.MessageID)
	m.put("MESSAGE", sms.MessageID)
	waittest.Until(t, func() error {
		if out := m.run("kannel.md", "griot admin --config /etc/griot/griot.yaml messages show"); !strings.Contains(out, "DELIVERED") {
			return fmt.Errorf("%w: %s", systemtest.ErrNotYet, out)
		}
		return nil
	})
	next := streamed[struct{ Type string }](p, api+"/api/webhooks/stream", http.Header{"Authorization": {"Bearer " + key}})
	next() // hello
	kannel.FromNetwork(url.Values{"from": {person}, "to": {number}, "text": {"Merci"}, "charset": {"UTF-8"}, "coding": {"0"}})
	for e := next(); e.Type != "message.received"; e = next() { // those of the sent messages come first
	}
	if out := m.run("kannel.md", "griot doctor"); strings.Contains(out, "FAILED") {
		t.Errorf("griot doctor:\n%s", out)
	}
	if s.Out.String() == "" || strings.Contains(s.Out.String(), `"level":"ERROR"`) {
		t.Errorf("the log has an error:\n%s", s.Out)
	}
}
