package operate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/gateway/remote"
	"example.com/griot/internal/certificate/certtest"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/doctor"
	"example.com/griot/internal/waittest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/systemtest"
)

// Each proxy runs with what init writes for it, in front of griot serve: TLS and HTTP/2, the visitor's address, a login whose
// events stream while the gateway's webhook brings the words, a send, large bodies, the streams of pairing and of griot listen,
// what doctor says of it, and nothing of the internal listener. make test-system has one of the proxies, make test-long all three;
// internal/setup's tests hold what is written for each.
func TestInit_ProxiesInFront(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	files := certtest.Write(t, base, time.Now().AddDate(0, 3, 0), loginHost, apiHost)
	mine := systemtest.NewRemoteGateway(t, true)
	linking := systemtest.NewRemoteGateway(t, true)
	linking.Pairs = &systemtest.RemotePairing{Progress: `{"state":"none"}`}
	mail, mailPort := systemtest.StartRelay(t)
	settings := filepath.Join(base, "gateway.json")
	systemtest.Must(t, os.WriteFile(settings, mine.JSON("whatsapp"), 0o600))
	systemtest.Must(t, os.WriteFile(settings+".linking", linking.JSON("whatsapp"), 0o600))
	s := &systemtest.Server{Out: &systemtest.Buffer{}}
	listeners := []string{systemtest.FreeAddress(t), systemtest.FreeAddress(t), systemtest.FreeAddress(t)}
	s.Internal = "http://" + listeners[2]
	env := append(systemtest.Environ(), "GRIOT_AUTH_LISTEN="+listeners[0], "GRIOT_API_LISTEN="+listeners[1], "GRIOT_INTERNAL_LISTEN="+listeners[2], "SSL_CERT_FILE="+files.Cert)
	kinds := []string{"nginx"}
	if systemtest.IsLong() {
		kinds = append(kinds, "caddy", "haproxy")
	}
	public := systemtest.FreePort(t) // used by one after the other
	login, api := publicURLs(public)
	for _, kind := range kinds {
		cmd := exec.CommandContext(t.Context(), systemtest.Binary, "init", filepath.Join(base, kind), "--auth-url", login, "--api-url", api, "--database", "sqlite:"+filepath.Join(base, "griot.db"),
			"--gateway", "remote", "--gateway-name", "mine", "--gateway-settings", settings, "--login-number", "p1:+22370000099",
			"--mail-host", "127.0.0.1", "--mail-port", fmt.Sprint(mailPort), "--mail-tls", "none", "--mail-from", "bonjour@griot.example", "--proxy", kind, "--tls-cert", files.Cert, "--tls-key", files.Key)
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("init for %s: %v\n%s", kind, err, out)
		}
	}
	dir := filepath.Join(base, kinds[0]) // they differ only in the paths of their secrets
	config := filepath.Join(dir, "griot.yaml")
	s.Cmd = exec.CommandContext(context.Background(), systemtest.Binary, "serve", "--config", config)
	s.Cmd.Dir, s.Cmd.Env, s.Cmd.Stdout, s.Cmd.Stderr = dir, env, s.Out, s.Out
	if err := s.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Cmd.Process.Kill(); _ = s.Cmd.Wait() })
	waittest.Until(t, func() error {
		if r, err := systemtest.Call("GET", s.Internal+"/readyz", ""); err != nil || r.Status != 200 {
			return fmt.Errorf("%w\n%s", errors.Join(err, systemtest.ErrNotYet), s.Out)
		}
		return nil
	})
	o := &systemtest.Operator{T: t, Dir: base, Env: env, Args: []string{"--config", config}}
	tenant := systemtest.RunJSON[authverbs.Tenant](o, "tenants", "create", "--name", "Marché")
	client := systemtest.RunJSON[authverbs.Client](o, "clients", "create", "--tenant", tenant.ID, "--type", "CONFIDENTIAL", "--mode", "LIVE", "--redirect", "https://app.example/cb")
	account := systemtest.RunJSON[messagingverbs.Account](o, "accounts", "create", "--name", "Boutique", "--email", "awa@boutique.example", "--plan", "pro")
	systemtest.RunJSON[messagingverbs.Sender](o, "senders", "add", "--account", account.ID, "--channel", "whatsapp", "--address", "22370000001", "--gateway", "mine")
	o.Run("gateways", "add", "linking", "--kind", "remote", "--settings", settings+".linking")
	number := systemtest.RunJSON[messagingverbs.Sender](o, "senders", "add", "--account", account.ID, "--channel", "whatsapp", "--address", "22370000099", "--gateway", "linking", "--login-number")
	p := &proxied{t: t, s: s, o: o, login: login, api: api, tenant: tenant.ID, client: client.ClientID, mail: mail, linking: linking, sender: number.ID, key: systemtest.RunJSON[messagingverbs.Key](o, "api-keys", "create", "--account", account.ID).Key}
	systemtest.WaitUntilConnected(t, "http://"+listeners[1], p.key)
	for i, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			p.t, p.from = t, fmt.Sprintf("2237600000%d", i+1)
			written := map[string]string{"nginx": "nginx.conf", "caddy": "Caddyfile", "haproxy": "haproxy.cfg"}[kind]
			p.c = runProxy(t, kind, filepath.Join(base, kind, written), public, files, listeners[0], listeners[1])
			p.redirects()
			p.signsIn(login+"/authorize?"+url.Values{"client_id": {p.client}, "redirect_uri": {"https://app.example/cb"}, "state": {"0123456789abcdef"}}.Encode(), p.bringsWords)
			p.sends()
			p.pairs()
			p.listens()
			p.isExamined()
			p.hidesTheRest()
		})
	}
	if out := s.Out.String(); strings.Contains(out, "X-Forwarded-For is ignored") {
		t.Errorf("the log says that a proxy isn't trusted:\n%s", out)
	}
}

// proxied is a deployment behind a proxy.
type proxied struct {
	t                         *testing.T
	s                         *systemtest.Server
	o                         *systemtest.Operator
	c                         *http.Client // through the proxy
	login, api                string       // public addresses
	tenant, client, key, from string
	mail                      *systemtest.Relay
	linking                   *systemtest.RemoteGateway
	sender                    string // a number that can be linked
	session                   string // the dashboard's cookies, after someone has signed in
}

func (p *proxied) redirects() {
	p.t.Helper()
	res, _ := answer(p.t, p.c, "GET", "http://"+loginHost+"/authorize?state=a", nil, nil)
	to, err := url.Parse(res.Header.Get("Location"))
	if err != nil || res.StatusCode != http.StatusPermanentRedirect || to.Scheme != "https" || to.Hostname() != loginHost || to.RequestURI() != "/authorize?state=a" {
		p.t.Errorf("http: got %d to %q, want 308 to the same address in https", res.StatusCode, res.Header.Get("Location"))
	}
	for _, host := range []string{p.login, p.api} {
		res, body := answer(p.t, p.c, "GET", host+"/healthz", nil, nil)
		if res.StatusCode != http.StatusOK || res.ProtoMajor != 2 || res.Header.Get("Strict-Transport-Security") == "" {
			p.t.Errorf("%s: got %s %s with %v, %s; want 200 by HTTP/2, and Strict-Transport-Security", host, res.Proto, res.Status, res.Header, body)
		}
	}
}

// signsIn starts a login at a link, follows its events while its words are delivered, and returns the address to which
// the page redirects.
func (p *proxied) signsIn(link string, bring func(words string)) (handBack string) {
	p.t.Helper()
	start, err := url.Parse(link)
	systemtest.Must(p.t, err)
	redirect := start.Query().Get("redirect_uri")
	forged := http.Header{"X-Forwarded-For": {"203.0.113.9"}}
	res, body := answer(p.t, p.c, "GET", link, nil, forged)
	page, err := start.Parse(res.Header.Get("Location"))
	if err != nil || res.StatusCode != http.StatusSeeOther || !strings.HasPrefix(page.String(), p.login+"/") {
		p.t.Fatalf("/authorize: %d to %q, %s", res.StatusCode, page, body)
	}
	cookie, _, _ := strings.Cut(res.Header.Get("Set-Cookie"), ";")
	id := page.Query().Get("loginKeyId")
	if res, body := answer(p.t, p.c, "GET", page.String(), nil, http.Header{"Cookie": {cookie}}); res.StatusCode != http.StatusOK || !strings.Contains(body, "<html") {
		p.t.Errorf("the waiting page: %d\n%s", res.StatusCode, body)
	}
	events := systemtest.RunJSON[[]authverbs.Event](p.o, "events", "--tenant", p.tenant, "--limit", "50")
	// Starts in one minute are one event, with the network that they all share.
	if i := slices.IndexFunc(events, func(e authverbs.Event) bool { return e.Type == "login.started" }); i < 0 || events[i].IP != visitorNetwork {
		p.t.Errorf("the events are %+v, want the login's start from %s", events, visitorNetwork)
	}

	type login struct{ Status, MatchingWords, RedirectURL string }
	next := streamed[login](p, p.login+"/authorize/events?loginKeyId="+id, http.Header{"Cookie": {cookie}})
	first := next()
	if first.Status != "PENDING" || first.MatchingWords == "" {
		p.t.Fatalf("the first event: %+v", first)
	}
	bring(first.MatchingWords)
	proved := next()
	if proved.Status != "VERIFIED" || !strings.HasPrefix(proved.RedirectURL, redirect+"?") {
		p.t.Errorf("after the words: %+v, want VERIFIED", proved)
	}
	return proved.RedirectURL
}

// isExamined runs griot doctor, whose requests go through the proxy.
func (p *proxied) isExamined() {
	p.t.Helper()
	report := examined(p.s, p.t)
	for _, name := range []string{"tls", "proxies"} {
		n := 0
		for _, f := range report.Findings {
			if f.Check != name {
				continue
			}
			n++
			if f.Status != doctor.OK || name == "proxies" && f.Text != "through a proxy, with the client's address" {
				p.t.Errorf("doctor: %s %s is %s: %s", f.Check, f.Subject, f.Status, f.Text)
			}
		}
		if n != 2 {
			p.t.Errorf("doctor has %d findings of %s, want those of both addresses", n, name)
		}
	}
}

// bringsWords calls the gateway's webhook with a person's words.
func (p *proxied) bringsWords(words string) {
	p.t.Helper()
	inbound := fmt.Sprintf(`{"type":"inbound","inbound":{"id":"in-%s","channel":"whatsapp","from":%q,"to":"22370000099","text":%q,"at":%q}}`, p.from, p.from, words, clock.System().UTC().Format(time.RFC3339))
	if status := p.event([]byte(inbound)); status != 200 {
		p.t.Fatalf("the webhook of a gateway: %d, want 200\n%s", status, p.s.Out)
	}
}

// event sends a signed webhook of the gateway, and returns the response's status.
func (p *proxied) event(body []byte) int {
	p.t.Helper()
	h := http.Header{"Content-Type": {"application/json"}}
	remote.Key{ID: "k1", Secret: systemtest.RemoteSecret}.Sign(h, "POST", "/events", body, clock.System())
	res, text := answer(p.t, p.c, "POST", p.api+"/gateways/mine/events", body, h)
	if res.StatusCode != http.StatusOK {
		p.t.Logf("/gateways/mine/events: %s", text)
	}
	return res.StatusCode
}

// sends sends a message, and bodies up to Griot's limit and larger ones.
func (p *proxied) sends() {
	p.t.Helper()
	send := func(text string) (*http.Response, string) {
		body := fmt.Appendf(nil, `{"channel":"whatsapp","to":%q,"message":%q}`, p.from, text)
		return answer(p.t, p.c, "POST", p.api+"/api/send", body, http.Header{"Authorization": {"Bearer " + p.key}, "Content-Type": {"application/json"}})
	}
	if res, body := send("Bonjour"); res.StatusCode != http.StatusOK || !strings.Contains(body, `"status":"SENT"`) {
		p.t.Errorf("/api/send: %d %s", res.StatusCode, body)
	}
	const tooLarge = 3 << 19 // Griot accepts one MiB here
	if res, body := send(strings.Repeat("x", tooLarge)); res.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(body, `"payload_too_large"`) {
		p.t.Errorf("a body of 1.5 MiB: %d %.100s, want Griot's own 413", res.StatusCode, body)
	}
	const attachment = 22 << 20 // 16 MiB in base64
	receipt := fmt.Sprintf(`{"type":"receipt","receipt":{"reference":"msg_unknown","status":"read","at":%q}}`, clock.System().UTC().Format(time.RFC3339))
	if status := p.event(append([]byte(receipt), bytes.Repeat([]byte(" "), attachment)...)); status != 200 {
		p.t.Errorf("an event of 22 MiB: %d, want 200", status)
	}
}

// hidesTheRest requests the pages for this machine from the outside.
func (p *proxied) hidesTheRest() {
	p.t.Helper()
	for _, host := range []string{p.login, p.api} {
		for _, path := range []string{"/metrics", "/livez", "/readyz", "/internal/verify", "/internal/admin", "/debug/pprof/", "/dev/phones"} {
			if res, body := answer(p.t, p.c, "GET", host+path, nil, nil); res.StatusCode != http.StatusNotFound {
				p.t.Errorf("%s%s: %d %.100s, want 404", host, path, res.StatusCode, body)
			}
		}
	}
}
