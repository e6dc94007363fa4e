package api_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/web"
)

const plainPath = "/authorize/page"

func (b *browser) form(values ...string) answer {
	b.t.Helper()
	v := url.Values{}
	for i := 0; i+1 < len(values); i += 2 {
		v.Set(values[i], values[i+1])
	}
	return b.send(b.request("POST", plainPath, v.Encode(), "Origin", b.URL, "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html"))
}

func (b *browser) page(query string) answer {
	b.t.Helper()
	return b.send(b.request("GET", plainPath+"?loginKeyId="+query, "", "Accept", "text/html"))
}

func (a answer) shows(t *testing.T, status int, texts ...string) {
	t.Helper()
	if a.status != status || !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v", a.status, a.header)
	}
	for _, s := range texts {
		if !strings.Contains(string(a.body), s) {
			t.Errorf("the page does not hold %q:\n%s", s, a.body)
		}
	}
}

// Rules: L168.
func TestPlain_ATestLogin(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Public, tenant.Test)
		b := s.browser()
		loginID := b.start(a)
		b.send(b.request("GET", "/waiting.html?loginKeyId="+loginID, "")).shows(t, 200, `content="0;url=/authorize/page?loginKeyId=`+loginID+`"`)
		page := b.page(loginID)
		page.shows(t, 200, b.words(loginID), "Bamako Bank", "Time left: 90 s", `value="22300000099"`, "/terms", "/privacy")
		if got := page.header.Get("Refresh"); got != "5;url=/authorize/page?loginKeyId="+loginID {
			t.Errorf("Refresh %q", got)
		}
		if strings.Contains(string(page.body), "<script") || strings.Contains(string(page.body), "qr.svg") {
			t.Errorf("%s", page.body)
		}
		posted := b.form("loginKeyId", loginID, "action", "sandbox", "phoneE164", "22300000001")
		if posted.status != 303 || posted.header.Get("Location") != plainPath+"?loginKeyId="+loginID+"&posted=1" {
			t.Fatalf("%d %s", posted.status, posted.body)
		}
		// A browser doesn't follow a redirect to the client after a form.
		b.page(loginID+"&posted=1").shows(t, 200, `content="0;url=/authorize/page?loginKeyId=`+loginID+`"`)
		back := b.page(loginID)
		if back.status != 303 || back.header.Get("Location") != b.poll(loginID)["redirectUrl"] || back.header.Get("Referrer-Policy") != "same-origin" {
			t.Errorf("%d %s", back.status, back.header.Get("Location"))
		}
		s.redeemed(a, b.code(loginID))
		b.page(loginID).shows(t, 200, "can close this page")
		again := b.form("loginKeyId", loginID, "action", "sandbox", "phoneE164", "22300000002")
		if again.status != 303 || !strings.HasPrefix(again.header.Get("Location"), plainPath) {
			t.Errorf("a form of a login with another status: %d %s", again.status, again.body)
		}
	})
}

// A TEST login is held without a message, and a sandbox number then proves it. No request for the number is sent.
// Rules: L168.
func TestPlain_AHiddenNumber(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const button = `name="action" value="hidden"`
		for held, asks := range map[string]bool{"number_hidden": false, "number_requested": true} {
			s, p := asking(t, d, func(o *auth.Options) { o.AskForNumber = func() bool { return asks } })
			a := s.app(tenant.Public, tenant.Test)
			b := s.browser()
			loginID := b.start(a)
			b.page(loginID).shows(t, 200, button)
			for range 2 { // the second changes nothing
				if posted := b.form("loginKeyId", loginID, "action", "hidden"); posted.status != 303 || posted.header.Get("Location") != plainPath+"?loginKeyId="+loginID+"&posted=1" {
					t.Fatalf("%d %s", posted.status, posted.body)
				}
				b.state(loginID, "PENDING", held)
			}
			page := b.page(loginID)
			page.shows(t, 200, "show us your number", `value="22300000099"`)
			if strings.Contains(string(page.body), button) {
				t.Error("a held login has the button")
			}
			if n := s.count(`SELECT count(*) FROM audit_events WHERE type = 'login.held' AND login_id = $1`, loginID); n != 1 || p.count() != 0 {
				t.Errorf("%d events and %d requests, want one and none", n, p.count())
			}
			b.form("loginKeyId", loginID, "action", "sandbox", "phoneE164", "22300000001")
			s.redeemed(a, b.code(loginID))
		}
	})
}

// Only the browser of a TEST login that waits can hold it, as often as it can press sandbox numbers.
func TestPlain_AHiddenNumberIsGuarded(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), withLimits)
	b := s.browser()
	live := b.start(s.app(tenant.Public, tenant.Live))
	if refused := b.form("loginKeyId", live, "action", "hidden"); refused.status != 400 || !strings.Contains(string(refused.body), "sandbox_live_client") {
		t.Errorf("LIVE: %d %s", refused.status, refused.body)
	}
	b.state(live, "PENDING", nil)
	loginID := b.start(s.app(tenant.Public, tenant.Test))
	body := url.Values{"loginKeyId": {loginID}, "action": {"hidden"}}.Encode()
	for name, r := range map[string]answer{
		"another site":    b.send(b.request("POST", plainPath, body, "Origin", "https://evil.example", "Content-Type", "application/x-www-form-urlencoded")),
		"another browser": s.browser().form("loginKeyId", loginID, "action", "hidden"),
	} {
		if r.status != 403 && r.status != 401 {
			t.Errorf("%s: %d", name, r.status)
		}
	}
	b.state(loginID, "PENDING", nil)
	for range 10 {
		b.form("loginKeyId", loginID, "action", "hidden")
	}
	if last := b.form("loginKeyId", loginID, "action", "hidden"); last.status != 429 {
		t.Errorf("the eleventh: %d, want 429", last.status)
	}
	s.waitingPage("loginKeyId="+loginID, b.cookie).shows(t, 200, ` role="status">Your words have arrived. Waiting for your number…</span>`)
}

// WhatsApp doesn't know the number beside virtual phones.
func TestPlain_BesideVirtualPhones(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), func(o *auth.Options) { o.PhonesURL = "http://127.0.0.1:1/dev/phones" })
	b := s.browser()
	loginID := b.start(s.app(tenant.Public, tenant.Live))
	page := b.page(loginID)
	page.shows(t, 200, b.words(loginID), `href="/authorize/open?in=phones&amp;loginKeyId=`+loginID+`"`)
	for _, not := range []string{"/authorize/qr.svg", `id="whatsapp"`} {
		if strings.Contains(string(page.body), not) {
			t.Errorf("the page has %s", not)
		}
	}
}

// Rules: L168.
func TestPlain_ALiveLogin(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Public, tenant.Live)
	b := s.browser()
	loginID := b.start(a)
	first := b.page(loginID)
	first.shows(t, 200, b.words(loginID), "/authorize/qr.svg?loginKeyId="+loginID, `href="/authorize/open?loginKeyId=`+loginID+`"`, receiverNumber)
	if strings.Contains(string(first.body), "sandbox") {
		t.Error("a sandbox for a LIVE client")
	}
	b.form("loginKeyId", loginID, "action", "activate").must(t, 303)
	if b.poll(loginID)["status"] != "ACTIVATED" {
		t.Error("not activated")
	}
	s.Clock.Advance(30 * time.Second)
	b.page(loginID).shows(t, 200, "Time left: 60 s")
	b.form("loginKeyId", loginID, "action", "sandbox", "phoneE164", "22300000001").shows(t, 400, "sandbox_live_client")
	s.accepted("m", alice, b.words(loginID))
	if got := b.page(loginID); got.status != 303 || !strings.HasPrefix(got.header.Get("Location"), redirect) {
		t.Errorf("%d %s", got.status, got.header.Get("Location"))
	}
	s.accepted("no", alice, "non")
	b.page(loginID).shows(t, 200, "access_denied", "app.example")
}

func TestPlain_AnApplicationsOwnScheme(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.NewClient(t, tenant.Public, tenant.Test, "com.example.app:/back")
	b := s.browser()
	loginID := b.start(a, "redirect_uri", "com.example.app:/back")
	s.Clock.Advance(90 * time.Second)
	b.page(loginID).shows(t, 200, `href="com.example.app:/back?error=access_denied`)
}

// Rules: L168.
func TestPlain_HoldsTheRulesOfTheOthers(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), withLimits)
	a := s.app(tenant.Public, tenant.Test)
	b := s.browser()
	loginID := b.start(a)
	s.browser().page(loginID).shows(t, 401, "session_missing")
	b.page("x").shows(t, 400, "malformed_parameter")
	other := s.browser()
	other.start(a)
	other.page(loginID).shows(t, 403, "session_mismatch")
	other.form("loginKeyId", loginID, "action", "activate").shows(t, 403, "session_mismatch")
	b.form("loginKeyId", loginID).shows(t, 400, "missing_parameter")
	b.form("loginKeyId", loginID, "action", "dance").shows(t, 400, "malformed_parameter")
	b.form("loginKeyId", loginID, "action", "sandbox", "phoneE164", "22300000010").shows(t, 400, "sandbox_number")
	b.post(plainPath, map[string]any{"loginKeyId": loginID, "action": "activate"}).refused(t, 400, "invalid_request", "unsupported_media_type")
	foreign := b.request("POST", plainPath, "loginKeyId="+loginID+"&action=activate", "Origin", "https://evil.example", "Content-Type", "application/x-www-form-urlencoded")
	b.send(foreign).refused(t, 403, "access_denied", "origin_mismatch")
	if b.poll(loginID)["status"] != "PENDING" {
		t.Error("a refused form changed the login")
	}
	for range 4 {
		b.page(loginID)
	}
	slow := b.page(loginID)
	slow.shows(t, 429, "rate_limited")
	if slow.header.Get("Refresh") != slow.header.Get("Retry-After") || slow.header.Get("Refresh") == "" {
		t.Errorf("the page does not come back: %v", slow.header)
	}
}

// Rules: L11, L128.
func TestLegalPages(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	en, fr := s.browser(), s.browser()
	fr.lang = "fr"
	get := func(b *browser, path string) answer { return b.send(b.request("GET", path, "")) }
	_, host, _ := strings.Cut(s.URL, "://")
	get(en, "/terms").shows(t, 200, host, "22 November 2026", "private pilot", "sends no WhatsApp messages", "CANCEL")
	get(fr, "/terms").shows(t, 200, "pilote privé", "NON")
	get(en, "/privacy").shows(t, 200, "phone number", "a day after its end", "CANCEL")
	get(fr, "/privacy").shows(t, 200, "numéro de téléphone")
	replies := newService(t, dbtest.SQLite(t), func(o *auth.Options) { o.ConfirmSignIn = func() bool { return true } }).browser()
	get(replies, "/terms").shows(t, 200, "private pilot", "it only answers your message")
	m := get(en, "/.well-known/oauth-authorization-server").json(t)
	if m["op_tos_uri"] != s.URL+"/terms" || m["op_policy_uri"] != s.URL+"/privacy" {
		t.Errorf("%v", m)
	}
	own := newService(t, dbtest.SQLite(t), func(o *auth.Options) { o.Terms, o.Privacy = "First <b>.\r\n\r\n\r\nSecond\nline.\n", "Ours." })
	b := own.browser()
	get(b, "/terms").shows(t, 200, `<p class="said">First &lt;b&gt;.</p>`, "<p class=\"said\">Second\nline.</p>")
	get(b, "/privacy").shows(t, 200, "Ours.")
	if a := get(b, "/terms"); strings.Contains(string(a.body), "<time") {
		t.Errorf("an operator's own text has a date that nobody said: %s", a.body)
	}
	named := newService(t, dbtest.SQLite(t), func(o *auth.Options) {
		o.Operator = web.Operator{Name: "Kalabash <b>", Contact: "aide@example.com", Since: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	})
	b = named.browser()
	get(b, "/privacy").shows(t, 200, "Kalabash &lt;b&gt;", `href="mailto:aide@example.com"`, `<time datetime="2026-03-01">1 March 2026</time>`)
	b.lang = "fr"
	get(b, "/terms").shows(t, 200, "1er mars 2026")
}
