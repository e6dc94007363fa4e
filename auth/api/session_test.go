package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"example.com/griot/auth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

const unknownID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

// Rules: L2, L4, L33, L34, L35, L36, L79, L80, L135, L140.
func TestSession_Refuses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		b, other := s.browser(), s.browser()
		loginID := b.start(s.app(tenant.Public, tenant.Test))
		other.start(s.app(tenant.Public, tenant.Test))
		liveID := b.start(s.app(tenant.Public, tenant.Live))
		before := s.rows()
		type call = func(b *browser, loginID string) answer
		activate := func(b *browser, loginID string) answer {
			return b.post("/authorize/activate", map[string]any{"loginKeyId": loginID})
		}
		play := func(b *browser, loginID string) answer { return b.sandbox(loginID, "22300000001") }
		poll := func(b *browser, loginID string) answer {
			return b.send(b.request("GET", "/authorize/status?loginKeyId="+url.QueryEscape(loginID), ""))
		}
		qr := func(b *browser, loginID string) answer {
			return b.send(b.request("GET", "/authorize/qr.svg?loginKeyId="+url.QueryEscape(loginID), ""))
		}
		for name, call := range map[string]call{"activate": activate, "sandbox": play, "status": poll, "qr": qr} {
			t.Run(name, func(t *testing.T) {
				call(s.browser(), loginID).refused(t, 401, "access_denied", "session_missing")
				call(&browser{service: s, cookie: "short"}, loginID).refused(t, 401, "access_denied", "session_missing")
				call(b, "").refused(t, 400, "invalid_request", "missing_parameter")
				call(b, strings.ToLower(loginID)).refused(t, 400, "invalid_request", "malformed_parameter")
				call(b, loginID+"0").refused(t, 400, "invalid_request", "malformed_parameter")
				call(b, unknownID).refused(t, 401, "access_denied", "session_expired")
				call(other, loginID).refused(t, 403, "access_denied", "session_mismatch")
			})
		}
		for _, path := range []string{"/authorize/activate", "/authorize/sandbox"} {
			t.Run(path, func(t *testing.T) {
				body := `{"loginKeyId":"` + loginID + `","phoneE164":"22300000001"}`
				for _, origin := range []string{"", "null", "https://evil.example", s.URL + "/", strings.Replace(s.URL, "127.0.0.1", "localhost", 1)} {
					r := s.request("POST", path, body)
					if origin != "" {
						r.Header.Set("Origin", origin)
					}
					b.send(r).refused(t, 403, "access_denied", "origin_mismatch")
				}
				for _, site := range []string{"cross-site", "same-site"} {
					b.send(s.request("POST", path, body, "Origin", s.URL, "Sec-Fetch-Site", site)).refused(t, 403, "access_denied", "origin_mismatch")
				}
				for _, bad := range []string{"", "[]", "null", `{"loginKeyId":`, body + "{}", `{"loginKeyId":"\u0000"}`, "{\"loginKeyId\":\"\xff\"}"} {
					b.send(s.request("POST", path, bad, "Origin", s.URL)).refused(t, 400, "invalid_request", "invalid_json")
				}
				b.send(s.request("POST", path, `{"loginKeyId":7}`, "Origin", s.URL)).refused(t, 400, "invalid_request", "malformed_parameter")
				b.send(s.request("POST", path, body, "Origin", s.URL, "Content-Type", "text/plain")).refused(t, 400, "invalid_request", "unsupported_media_type")
				b.send(s.request("POST", path, strings.Repeat(" ", 1<<20)+body, "Origin", s.URL)).refused(t, 400, "invalid_request", "body_too_large")
				b.send(s.request("GET", path, "")).refused(t, 405, "invalid_request", "method_not_allowed")
			})
		}
		b.sandbox(liveID, "22300000001").refused(t, 400, "invalid_request", "sandbox_live_client")
		b.sandbox(loginID, "").refused(t, 400, "invalid_request", "missing_parameter")
		for _, number := range []string{"22300000000", "22300000010", "22300000098", "22300000100", "+22300000001", "2230000001", alice} {
			b.sandbox(loginID, number).refused(t, 400, "invalid_request", "sandbox_number")
		}
		b.send(s.request("GET", "/authorize/status?loginKeyId="+loginID+"&loginKeyId="+loginID, "")).refused(t, 400, "invalid_request", "malformed_parameter")
		if after := s.rows(); after != before {
			t.Errorf("refused requests stored something: %s, before: %s", after, before)
		}
	})
}

// Rules: L40, L41, L42.
func TestActivate_Deeplink(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	b := s.browser()
	loginID := b.start(s.app(tenant.Public, tenant.Live))
	link := ""
	for range 2 { // once more is the same
		got := b.post("/authorize/activate", map[string]any{"loginKeyId": loginID})
		got.must(t, http.StatusCreated)
		link = text(t, got.json(t), "deeplink")
	}
	words := b.words(loginID)
	u, err := url.Parse(link)
	if err != nil || u.Host != "wa.me" || u.Path != "/"+receiverNumber || strings.Contains(link, "+") {
		t.Fatalf("deeplink %s: %v", link, err)
	}
	message := u.Query().Get("text")
	for _, want := range []string{words, "Bamako Bank", "app.example", "If someone asked you", loginID} {
		if !strings.Contains(message, want) {
			t.Errorf("the message doesn't say %q: %s", want, message)
		}
	}
	picture := b.send(s.request("GET", "/authorize/qr.svg?loginKeyId="+loginID, ""))
	if picture.status != http.StatusOK || picture.header.Get("Content-Type") != "image/svg+xml" || !strings.HasPrefix(string(picture.body), "<svg ") {
		t.Errorf("QR: %d %s", picture.status, picture.body)
	}
	if !s.message("m1", alice, message) {
		t.Error("the deeplink's own message was not accepted")
	}
	if s.count(`SELECT count(*) FROM audit_events WHERE type = 'login.activated'`) != 1 {
		t.Error("one activation, other than one event")
	}
}

// Rules: L30, L43.
func TestActivate_WithoutDeeplink(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), func(o *auth.Options) { o.Receivers = nil })
	b := s.browser()
	loginID := b.start(s.app(tenant.Public, tenant.Test))
	got := b.post("/authorize/activate", map[string]any{"loginKeyId": loginID})
	if got.status != http.StatusCreated || strings.TrimSpace(string(got.body)) != `{"activated":true,"deeplink":null}` {
		t.Errorf("%d %s", got.status, got.body)
	}
	b.send(s.request("GET", "/authorize/qr.svg?loginKeyId="+loginID, "")).refused(t, 404, "invalid_request", "not_found")
}

// Another host of the domain can set a cookie with the same name. The logins of both are found.
// Rules: L38.
func TestSession_CookiesOfOneName(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Public, tenant.Test)
	other, b := s.browser(), s.browser()
	for range 4 {
		other.start(a)
	}
	first, second := b.start(a), b.start(a)
	status := func(loginID, cookies string) answer {
		return s.do(s.request("GET", "/authorize/status?loginKeyId="+loginID, "", "Cookie", cookies))
	}
	both := "svc_sid=" + other.cookie + "; svc_sid=" + b.cookie
	for _, loginID := range []string{first, second} {
		if got := status(loginID, both); got.status != http.StatusOK {
			t.Errorf("behind another host's cookie: %d %s", got.status, got.body)
		}
	}
	started := s.do(s.request("GET", authorizeURL(a.ClientID), "", "Cookie", both))
	set, _, _ := strings.Cut(started.header.Get("Set-Cookie"), ";")
	if got := status(second, set); got.status != http.StatusOK {
		t.Errorf("another login beside it loses the tab before: %d %s", got.status, got.body)
	}
	status(first, "svc_sid="+other.cookie).refused(t, 403, "access_denied", "session_mismatch")
}

// Rules: L37, L38.
func TestTwoTabs(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Public, tenant.Test)
	b := s.browser()
	var logins []string
	for range 5 {
		logins = append(logins, b.start(a))
	}
	if n := len(strings.Split(b.cookie, ".")); n != 4 {
		t.Errorf("the cookie holds %d logins", n)
	}
	for _, loginID := range logins[1:] {
		if b.poll(loginID)["status"] != "PENDING" {
			t.Error("one of the last four logins is not pending")
		}
	}
	b.send(s.request("GET", "/authorize/status?loginKeyId="+logins[0], "")).refused(t, 403, "access_denied", "session_mismatch")
	checkProved(t, b.sandbox(logins[1], "22300000001"), false)
	checkProved(t, b.sandbox(logins[4], "22300000002"), false)
	for _, loginID := range []string{logins[1], logins[4]} {
		s.redeemed(a, b.code(loginID))
	}
	if stored := s.count(`SELECT count(*) FROM login_sessions WHERE cookie_hash LIKE '%' || $1 || '%'`, strings.Split(b.cookie, ".")[0]); stored != 0 {
		t.Error("a cookie is stored as it is")
	}
}
