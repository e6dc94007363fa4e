package api_test

import (
	"bytes"
	"html"
	"image"
	"image/png"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth"
	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
)

// waitingPage requests a login's page with a cookie; empty: without one.
func (s *service) waitingPage(query, cookie string, header ...string) answer {
	s.t.Helper()
	r := s.request("GET", "/waiting.html?"+query, "", append(header, "Accept-Language", "en")...)
	if cookie != "" {
		r.Header.Set("Cookie", "svc_sid="+cookie)
	}
	return s.do(r)
}

// hasWords reports whether a page has the words of a login, each in one piece.
func (a answer) hasWords(words string) bool {
	return strings.Contains(string(a.body), `translate="no"><span>`+strings.ReplaceAll(words, " ", "</span> <span>")+"</span></p>")
}

// isStatic checks that a page is the same as without a cookie, in every byte and header.
func (s *service) isStatic(t *testing.T, what string, got answer, query string) {
	t.Helper()
	want := s.waitingPage(query, "")
	for _, a := range []answer{got, want} {
		a.header.Del("Date")
		a.header.Del("X-Request-Id")
	}
	for name := range want.header {
		if got.header.Get(name) != want.header.Get(name) || len(got.header) != len(want.header) {
			t.Errorf("%s: %s %q of %v, want %q", what, name, got.header.Get(name), got.header, want.header.Get(name))
		}
	}
	if got.status != http.StatusOK || string(got.body) != string(want.body) || !strings.Contains(string(got.body), `class="words" translate="no"></p>`) {
		t.Errorf("%s: %d %s, want the static page", what, got.status, got.body)
	}
}

// Rules: L196.
func TestWaitingPage_HasTheWordsForTheLoginsBrowserOnly(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	b, other := s.browser(), s.browser()
	live, test := s.app(tenant.Public, tenant.Live), s.app(tenant.Public, tenant.Test)
	waits, sandbox, proved, expires := b.start(live), b.start(test), b.start(test), b.start(test)
	words := b.words(waits)
	other.start(live)

	query := "loginKeyId=" + waits
	for _, activated := range []bool{false, true} {
		if activated {
			b.post("/authorize/activate", map[string]any{"loginKeyId": waits}).must(t, http.StatusCreated)
		}
		got := s.waitingPage(query, b.cookie, "If-None-Match", "*", "If-Modified-Since", time.Now().UTC().Format(http.TimeFormat))
		got.shows(t, http.StatusOK, ">"+html.EscapeString(s.Tenant.Name)+"</h1>", `<span id="clock-text" class="clock-text">1:30</span>`, `href="/authorize/open?loginKeyId=`+waits+`"`, `<div id="live" class="live">`)
		if !got.hasWords(words) || strings.Contains(string(got.body), "data-accent") {
			t.Errorf("activated %t: the page does not have the words %s: %s", activated, words, got.body)
		}
		if status := map[bool]string{false: "PENDING", true: "ACTIVATED"}[activated]; !strings.Contains(string(got.body), `data-status="`+status+`"`) {
			t.Errorf("the page does not have the status %s", status)
		}
		h := got.header
		if vary := strings.Join(h.Values("Vary"), ", "); !strings.Contains(vary, "Cookie") || h.Get("Etag") != "" || h.Get("Last-Modified") != "" || len(h.Values("Set-Cookie")) > 0 {
			t.Errorf("Vary %q, ETag %q, Last-Modified %q", vary, h.Get("Etag"), h.Get("Last-Modified"))
		}
	}
	s.waitingPage("loginKeyId="+sandbox, b.cookie).shows(t, http.StatusOK, `<form id="sandbox" class="stack" method="post"`, `<div id="live" class="live" hidden>`)
	head := s.request("HEAD", "/waiting.html?"+query, "", "Cookie", "svc_sid="+b.cookie)
	if got := s.do(head); got.status != http.StatusOK || len(got.body) > 0 || got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("HEAD: %d %v", got.status, got.header)
	}

	checkProved(t, b.sandbox(proved, "22300000001"), false)
	for what, r := range map[string]struct{ query, cookie string }{
		"another browser":           {query, other.cookie},
		"a cookie that is none":     {query, strings.Repeat("x", 43)},
		"an unknown login":          {"loginKeyId=01ARZ3NDEKTSV4RRFFQ69G5FAV", b.cookie},
		"no login":                  {"", b.cookie},
		"a malformed id":            {"loginKeyId=x", b.cookie},
		"a parameter that is shown": {query + "&x=" + words[:3], b.cookie},
		"a proved login":            {"loginKeyId=" + proved, b.cookie},
	} {
		s.isStatic(t, what, s.waitingPage(r.query, r.cookie), r.query)
	}
	s.Clock.Advance(40 * time.Second)
	s.waitingPage(query, b.cookie).shows(t, http.StatusOK, `class="clock-text">0:50<`)
	s.Clock.Advance(50 * time.Second)
	s.isStatic(t, "an expired login", s.waitingPage("loginKeyId="+expires, b.cookie), "loginKeyId="+expires)
	if strings.Contains(s.Log.String(), strings.Fields(words)[0]) {
		t.Errorf("the log has the words %s", words)
	}
}

// The page reads the same as a poll: nothing from the database while the login waits. Without the database, it is
// the static page.
// Rules: L196.
func TestWaitingPage_CostsNoMoreThanAPoll(t *testing.T) {
	d, err := db.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "griot.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := newService(t, d, withLimits)
	b, other := s.browser(), s.browser()
	a := s.app(tenant.Public, tenant.Test)
	loginID := b.start(a)
	words := b.words(loginID)
	other.start(a)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	query := "loginKeyId=" + loginID
	for range 20 { // doesn't count toward the poll limit of the login
		if got := s.waitingPage(query, b.cookie); !got.hasWords(words) {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	b.poll(loginID)
	s.isStatic(t, "another browser", s.waitingPage(query, other.cookie), query)
}

// Rules: L196.
func TestWaitingPage_OfALoginThatAnotherNodeStarted(t *testing.T) {
	d := dbtest.Postgres(t)
	node := func(o *auth.Options) { o.Now = clock.System }
	s, other := newService(t, d, node), newService(t, d, node)
	waittest.Run(t, s.run)
	b := other.browser()
	query := "loginKeyId=" + b.start(other.app(tenant.Public, tenant.Test))
	words := b.words(strings.TrimPrefix(query, "loginKeyId="))
	waittest.Eventually(t, true, func() bool { return s.waitingPage(query, b.cookie).hasWords(words) })
}

// The page names the logo in a place from which browsers don't load it before the script runs. The page without a
// script shows it next to the name.
// Rules: L198.
func TestWaitingPage_HasTheTenantsLogo(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	b, live := s.browser(), s.app(tenant.Public, tenant.Live)
	loginID := b.start(live) // caches the client
	if page := s.waitingPage("loginKeyId="+loginID, b.cookie); strings.Contains(string(page.body), "logo") || strings.Contains(string(b.page(loginID).body), "logo") {
		t.Error("a page has a logo before there is one")
	}
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	look, _, err := s.Tenants.ChangeAppearance(t.Context(), s.Tenant.ID, &tenant.AppearanceChange{Logo: file.Bytes()})
	if err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(30 * time.Second) // like another node
	s.waitingPage("loginKeyId="+loginID, b.cookie).shows(t, http.StatusOK, `<div id="logo" class="logo" data-src="/logos/`+look.Logo+`"></div>`)
	b.page(loginID).shows(t, http.StatusOK, `<img src="/logos/`+look.Logo+`" alt="" loading="lazy" fetchpriority="low">`)
	s.isStatic(t, "another browser", s.waitingPage("loginKeyId="+loginID, s.browser().cookie), "loginKeyId="+loginID)
	got := s.do(s.request("GET", "/logos/"+look.Logo, ""))
	if got.must(t, http.StatusOK); !bytes.Equal(got.body, file.Bytes()) {
		t.Errorf("the logo has %d bytes, want %d", len(got.body), file.Len())
	}
	if head := s.do(s.request("HEAD", "/logos/"+look.Logo, "")); head.status != http.StatusOK || len(head.body) > 0 || head.header.Get("Content-Type") != "image/png" {
		t.Errorf("HEAD: %d %v", head.status, head.header)
	}
}

// Rules: L196.
func TestWaitingPage_HasTheTenantsColor(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	s.dashboard(s.Tenant).send("PATCH", "/manage/appearance", `{"accent":"teal"}`).must(t, http.StatusOK)
	b := s.browser()
	got := s.waitingPage("loginKeyId="+b.start(s.app(tenant.Public, tenant.Live)), b.cookie)
	got.shows(t, http.StatusOK, `<body data-accent="teal">`, "css/accents.css")
}

// A tenant can take another's name and logo. The host to which the login returns is its own.
// Rules: L196.
func TestWaitingPage_ShowsTheHost(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	live, test := s.app(tenant.Public, tenant.Live), s.app(tenant.Public, tenant.Test)
	for _, tt := range []struct {
		a        app
		redirect string
		host     string
	}{{live, redirect, "app.example"}, {test, "http://127.0.0.1:4711/callback", "127.0.0.1:4711"}} {
		b := s.browser()
		loginID := b.start(tt.a, "redirect_uri", tt.redirect)
		if got := text(t, b.send(b.request("GET", "/authorize/details?loginKeyId="+loginID, "")).json(t), "returnHost"); got != tt.host {
			t.Errorf("returnHost %q, want %q", got, tt.host)
		}
		for lang, want := range map[string]string{"en": "Then you return to", "fr": "Vous revenez ensuite à"} {
			for path, bdi := range map[string]string{"/waiting.html": `<bdi id="return-host" translate="no">`, "/authorize/page": `<bdi translate="no">`} {
				r := s.request("GET", path+"?loginKeyId="+loginID, "", "Accept-Language", lang, "Cookie", "svc_sid="+b.cookie)
				s.do(r).shows(t, http.StatusOK, want+" "+bdi+tt.host+"</bdi>")
			}
		}
	}
}

// A login that waits when its number is removed from the configuration, or before another node gets it, shows no words.
// Rules: L30.
func TestWaitingPage_NumberIsGone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		b := s.browser()
		loginID := b.start(s.app(tenant.Public, tenant.Live))
		words := b.words(loginID)
		proved, provedID := s.provedLogin(s.app(tenant.Public, tenant.Test), "22300000001")
		for name, receivers := range map[string][]login.Receiver{
			"none":    nil,
			"another": {{PhoneID: otherID, Number: "22370000002", Secret: otherSecret}},
		} {
			after := newService(t, d, func(o *auth.Options) { o.Receivers = receivers })
			moved, done := *b, *proved
			moved.service, done.service = after, after
			page := moved.send(after.request("GET", "/waiting.html?loginKeyId="+loginID, "", "Accept", "text/html"))
			if page.status != 303 || page.header.Get("Location") != plainPath+"?loginKeyId="+loginID {
				t.Errorf("%s: the waiting page: %d %v", name, page.status, page.header)
			}
			plain := moved.page(loginID)
			again := moved.send(after.request("GET", "/authorize/again?loginKeyId="+loginID, ""))
			if receivers == nil {
				plain.shows(t, 503, "Sign-in isn’t set up", "no_login_number")
			} else {
				plain.shows(t, 200, "no longer available", "/authorize/again?loginKeyId="+loginID)
			}
			if strings.Contains(string(plain.body), words) || strings.Contains(string(plain.body), "qr.svg") {
				t.Errorf("%s: the page shows words that no one can send:\n%s", name, plain.body)
			}
			if again.status != 303 || !strings.HasPrefix(again.header.Get("Location"), "/authorize?") {
				t.Errorf("%s: again: %d %v", name, again.status, again.header)
			}
			if got := moved.poll(loginID); got["status"] != "PENDING" {
				t.Errorf("%s: status %v", name, got)
			}
			done.page(provedID).want(t, 303) // to the application
		}
	})
}
