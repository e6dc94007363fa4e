package api_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/phone"
)

// visit opens an address like a browser in which a person clicks a link of the service's own page. header changes the
// headers.
func (b *browser) visit(path string, header ...string) answer {
	b.t.Helper()
	r := b.request("GET", path, "", append([]string{"Accept", "text/html", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-User", "?1"}, header...)...)
	for name, values := range r.Header {
		if values[0] == "-" {
			r.Header.Del(name)
		}
	}
	return b.send(r)
}

// leads checks that a response is a 303 that isn't cached, to an address with a prefix.
func (a answer) leads(t *testing.T, prefix string) {
	t.Helper()
	if got := a.header.Get("Location"); a.status != 303 || !strings.HasPrefix(got, prefix) || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d to %q (Cache-Control %q), want 303 to %s…", a.status, got, a.header.Get("Cache-Control"), prefix)
	}
}

const waMe = "https://wa.me/" + receiverNumber + "?text="

// Rules: L169.
func TestOpen_APersonsClickActivates(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Public, tenant.Live)
		b := s.browser()
		for name, header := range map[string][]string{
			"a click":                      nil,
			"an old browser":               {"Sec-Fetch-Site", "-", "Sec-Fetch-Mode", "-", "Sec-Fetch-User", "-", "Referer", s.URL + "/waiting.html"},
			"one with an Origin only":      {"Sec-Fetch-Site", "-", "Sec-Fetch-Mode", "-", "Sec-Fetch-User", "-", "Origin", s.URL},
			"one that knows no activation": {"Sec-Fetch-User", "-"},
		} {
			loginID := b.start(a)
			got := b.visit("/authorize/open?loginKeyId="+loginID, header...)
			got.leads(t, waMe)
			if link, err := url.Parse(got.header.Get("Location")); err != nil || !strings.Contains(link.Query().Get("text"), b.words(loginID)) {
				t.Errorf("%s: the link does not hold the words: %v", name, link)
			}
			if status := b.poll(loginID)["status"]; status != "ACTIVATED" {
				t.Errorf("%s: %v, want ACTIVATED", name, status)
			}
		}
	})
}

// Rules: L169.
func TestOpen_OtherwiseLeadsToThePlainPage(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	live, test := s.app(tenant.Public, tenant.Live), s.app(tenant.Public, tenant.Test)
	b := s.browser()
	loginID := b.start(live)
	plain := plainPath + "?loginKeyId=" + loginID
	for name, header := range map[string][]string{
		"loaded in advance":          {"Sec-Purpose", "prefetch"},
		"loaded in advance, shown":   {"Sec-Purpose", "prefetch;prerender"},
		"by an older browser":        {"Purpose", "prefetch"},
		"another site":               {"Sec-Fetch-Site", "cross-site"},
		"a sibling site":             {"Sec-Fetch-Site", "same-site"},
		"an old browser's other one": {"Sec-Fetch-Site", "-", "Referer", "https://evil.example/"},
		"a script":                   {"Sec-Fetch-Mode", "cors"},
		"a restored tab":             {"Sec-Fetch-Site", "none", "Sec-Fetch-User", "-"},
		"the address bar":            {"Sec-Fetch-Site", "none"},
		"without evidence":           {"Sec-Fetch-Site", "-", "Sec-Fetch-Mode", "-", "Sec-Fetch-User", "-"},
		"only the own name's begin":  {"Sec-Fetch-Site", "-", "Referer", s.URL + ".evil.example/"},
		"another Origin":             {"Sec-Fetch-Site", "-", "Origin", "https://evil.example", "Referer", s.URL + "/waiting.html"},
		"no Origin at all":           {"Sec-Fetch-Site", "-", "Origin", "null", "Referer", s.URL + "/waiting.html"},
	} {
		b.visit("/authorize/open?loginKeyId="+loginID, header...).leads(t, plain)
		if status := b.poll(loginID)["status"]; status != "PENDING" {
			t.Errorf("%s: %v, want PENDING", name, status)
		}
	}
	testID := b.start(test)
	b.visit("/authorize/open?loginKeyId="+testID).leads(t, plainPath+"?loginKeyId="+testID)
	s.accepted("m", alice, b.words(loginID))
	b.visit("/authorize/open?loginKeyId="+loginID).leads(t, plain)
	overID := b.start(live)
	s.Clock.Advance(90 * time.Second)
	b.visit("/authorize/open?loginKeyId="+overID).leads(t, plainPath)
	if r := b.request("HEAD", "/authorize/open?loginKeyId="+overID, ""); b.send(r).status != 405 {
		t.Error("HEAD is answered")
	}
}

func TestOpen_BelongsToItsBrowser(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Public, tenant.Live)
	b, other := s.browser(), s.browser()
	loginID := b.start(a)
	other.start(a)
	for _, path := range []string{"/authorize/open", "/authorize/again"} {
		path += "?loginKeyId="
		s.browser().visit(path+loginID).shows(t, 401, "session_missing")
		other.visit(path+loginID).shows(t, 403, "session_mismatch")
		other.visit(path+unknownID).shows(t, 401, "session_expired")
		b.visit(path+"x").shows(t, 400, "malformed_parameter")
		b.visit(path).shows(t, 400, "missing_parameter")
	}
	if status := b.poll(loginID)["status"]; status != "PENDING" {
		t.Errorf("%v, want PENDING", status)
	}
	s.browser().send(s.request("GET", "/authorize/details?loginKeyId="+loginID, "")).refused(t, 401, "access_denied", "session_missing")
	other.send(s.request("GET", "/authorize/details?loginKeyId="+loginID, "")).refused(t, 403, "access_denied", "session_mismatch")
}

func TestOpen_IsLimited(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), withLimits)
	b := s.browser()
	loginID := b.start(s.app(tenant.Public, tenant.Live))
	for range 10 {
		b.visit("/authorize/open?loginKeyId="+loginID).leads(t, waMe)
	}
	b.visit("/authorize/open?loginKeyId="+loginID).shows(t, 429, "rate_limited")
}

// Rules: L169.
func TestOpen_TheVirtualPhones(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), func(o *auth.Options) { o.PhonesURL = "http://127.0.0.1:1/dev/phones" })
	b := s.browser()
	loginID := b.start(s.app(tenant.Public, tenant.Live))
	got := b.visit("/authorize/open?in=phones&loginKeyId=" + loginID)
	got.leads(t, "http://127.0.0.1:1/dev/phones?")
	link, err := url.Parse(got.header.Get("Location"))
	if q := link.Query(); err != nil || q.Get("to") != receiverNumber || !strings.HasPrefix(q.Get("text"), b.words(loginID)+"\n") {
		t.Errorf("%v %v", link, err)
	}
}

// Rules: L169.
func TestAgain_StartsTheSameLoginAfresh(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Public, tenant.Test)
	b := s.browser()
	loginID := b.start(a)
	b.visit("/authorize/again?loginKeyId="+loginID).leads(t, plainPath) // it is in progress
	s.Clock.Advance(90 * time.Second)
	again := b.visit("/authorize/again?loginKeyId=" + loginID)
	again.leads(t, "/authorize?")
	got, err := url.ParseQuery(strings.TrimPrefix(again.header.Get("Location"), "/authorize?"))
	want, _ := url.ParseQuery(strings.TrimPrefix(authorizeURL(a.ClientID), "/authorize?"))
	if err != nil || got.Encode() != want.Encode() {
		t.Errorf("%v, want %v", got, want)
	}
	second := b.visit(again.header.Get("Location"))
	second.leads(t, "/waiting.html?loginKeyId=")
	if strings.HasSuffix(second.header.Get("Location"), loginID) {
		t.Error("it is the same login")
	}
}

func TestAgain_LeavesALoginThatWasStopped(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	b := s.browser()
	loginID := b.start(s.app(tenant.Public, tenant.Live))
	s.accepted("m", alice, b.words(loginID))
	s.accepted("no", alice, "non")
	b.visit("/authorize/again?loginKeyId="+loginID).leads(t, plainPath)
}

// Rules: L169.
func TestDetails(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	b := s.browser()
	details := func(loginID string) map[string]any {
		t.Helper()
		got := b.send(s.request("GET", "/authorize/details?loginKeyId="+loginID, ""))
		if got.status != 200 || got.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %v %s", got.status, got.header, got.body)
		}
		return got.json(t)
	}
	loginID := b.start(s.app(tenant.Public, tenant.Live))
	if got := details(loginID); got["receiver"] != receiverNumber || got["phone"] != nil || got["accent"] != nil || got["receiverText"] != phone.Grouped(receiverNumber) || got["returnHost"] != "app.example" || len(got) != 5 {
		t.Errorf("%v", got)
	}
	s.accepted("m", alice, b.words(loginID))
	if got := details(loginID); got["phone"] != "+223*****210" {
		t.Errorf("%v", got)
	}
	if got := details(b.start(s.app(tenant.Public, tenant.Test))); got["receiver"] != nil || got["receiverText"] != nil || got["phone"] != nil {
		t.Errorf("a TEST login: %v", got)
	}
}

var shortAddress = regexp.MustCompile(`^/q/[0-9A-Za-z]{12}$`)

// shortPath returns the path of a login's short address from the content of the QR code.
func (s *service) shortPath(loginID string) string {
	s.t.Helper()
	var code string
	if _, err := s.DB.Read(s.t.Context()).Row(`SELECT COALESCE(short_code, '') FROM login_sessions WHERE id = $1`, loginID).Scan(&code); err != nil {
		s.t.Fatal(err)
	}
	return "/q/" + code
}

// Rules: L170.
func TestShort_LeadsToTheDeeplinkWhileTheWordsAreAwaited(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		b, phone := s.browser(), s.browser()
		a := s.app(tenant.Public, tenant.Live)
		loginID := b.start(a)
		path := s.shortPath(loginID)
		if !shortAddress.MatchString(path) {
			t.Fatalf("the short address is %s", path)
		}
		before := s.rows()
		got := phone.visit(path, "Sec-Fetch-Site", "none")
		got.leads(t, waMe)
		if len(got.body) != 0 || phone.cookie != "" || s.rows() != before {
			t.Errorf("it does more: %q, cookie %q", got.body, phone.cookie)
		}
		if status := b.poll(loginID)["status"]; status != "PENDING" {
			t.Errorf("whoever reads the code activates the login: %v", status)
		}
		b.post("/authorize/activate", map[string]any{"loginKeyId": loginID})
		phone.visit(path).leads(t, waMe)
		s.accepted("m", alice, b.words(loginID))
		phone.visit(path).shows(t, 404, "not_found")

		phone.visit(path).shows(t, 404, "This code no longer works")

		overID := b.start(a)
		over := s.shortPath(overID)
		s.Clock.Advance(90 * time.Second)
		testID := b.start(s.app(tenant.Public, tenant.Test))
		for _, path := range []string{over, s.shortPath(testID) + "x", "/q/aaaaaaaaaaaa", "/q/" + overID, "/q/'", "/q/a/b"} {
			phone.send(phone.request("GET", path, "")).refused(t, 404, "invalid_request", "not_found")
		}
		if s.shortPath(testID) != "/q/" {
			t.Error("a TEST login has a short address")
		}
	})
}

// Rules: L170.
func TestShort_IsLimited(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), withLimits)
	for range 300 {
		s.do(s.request("GET", "/q/aaaaaaaaaaaa", "")).must(t, 404)
	}
	s.do(s.request("GET", "/q/aaaaaaaaaaaa", "")).refused(t, 429, "access_denied", "rate_limited")
}

// A phone can read modules of at least six pixels, all with the same width.
// Rules: L170.
func TestQR_IsCoarse(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), func(o *auth.Options) { o.URL = "https://auth.some-bank-of-mali.example" })
	b := s.browser()
	loginID := b.start(s.app(tenant.Public, tenant.Live))
	got := b.send(s.request("GET", "/authorize/qr.svg?loginKeyId="+loginID, ""))
	if got.header.Get("Cache-Control") != "private, max-age=90" {
		t.Errorf("Cache-Control %q", got.header.Get("Cache-Control"))
	}
	size := regexp.MustCompile(`width="(\d+)" height="(\d+)" viewBox="0 0 (\d+) (\d+)"`).FindStringSubmatch(string(got.body))
	if size == nil || size[1] != "222" || size[2] != "222" || size[3] != "37" || size[4] != "37" {
		t.Errorf("%v, want 37 modules (version 3 and its border) of 6 pixels", size)
	}
	if len(got.body) > 7000 {
		t.Errorf("%d bytes", len(got.body))
	}
}

func TestErrors_ArePagesForPeople(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	b := s.browser()
	b.visit("/nowhere").shows(t, 404, "There is nothing at this address", `<html lang="en"`)
	b.lang = "fr"
	b.visit("/nowhere").shows(t, 404, "Il n’y a rien à cette adresse", `<html lang="fr"`)
	b.send(s.request("GET", "/nowhere", "", "Accept", "application/json")).refused(t, 404, "invalid_request", "not_found")
	// A program that names text/html, as Java's client does, gets the response for programs.
	b.send(s.request("GET", "/manage/overview", "", "Accept", "text/html, image/gif, *; q=.2")).refused(t, 401, "access_denied", "dashboard_missing")
	b.send(s.request("POST", "/nowhere", "{}", "Accept", "text/html")).refused(t, 404, "invalid_request", "not_found")
}

// The language of a login: the person's own choice, then the application's request, then the browser's.
// Rules: L25.
func TestUILocales(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Public, tenant.Live)
	says := func(locales, cookie string, want string) {
		t.Helper()
		r := s.request("GET", authorizeURL(a.ClientID, "ui_locales", locales), "", "Accept-Language", "fr", "Cookie", cookie)
		started := s.do(r)
		var cookies []string
		for _, c := range (&http.Response{Header: started.header}).Cookies() {
			cookies = append(cookies, c.Name+"="+c.Value)
		}
		page := s.do(s.request("GET", started.header.Get("Location"), "", "Accept-Language", "fr", "Cookie", strings.Join(append(cookies, cookie), "; ")))
		page.shows(t, 200, `<html lang="`+want+`"`)
	}
	says("-", "", "fr")
	says("en", "", "en")
	says("de en-GB fr", "", "en")
	says("de", "", "fr")
	says("en", "griot_lang=fr", "fr")
	says("-", "griot_lang=en", "en")
	says("-", "griot_lang=xx", "fr")

	refused := func(cookie, want string, parameters ...string) {
		t.Helper()
		parameters = append(parameters, "ui_locales", "en")
		got := s.do(s.request("GET", authorizeURL(a.ClientID, parameters...), "", "Accept", "text/html", "Accept-Language", "fr", "Cookie", cookie))
		got.shows(t, 400, `<html lang="`+want+`"`)
	}
	refused("", "en", "state", "short")
	refused("griot_lang=fr", "fr", "state", "short")
	refused("", "en", "scope", "openid", "request", "x")
	for _, query := range []string{"state=short&", "", "scope=openid&request=x&"} { // never redirects, and sets no cookie
		got := s.do(s.request("GET", "/authorize?"+query+"client_id="+a.ClientID+"&lang=fr&theme=dark&ui_locales=en", "", "Accept", "text/html"))
		got.shows(t, 400, `<html lang="en"`)
		if cookies := got.header.Values("Set-Cookie"); len(cookies) != 0 {
			t.Errorf("%s: the error sets %q", query, cookies)
		}
	}
}

// Rules: L31.
func TestPages_KeepAChosenLanguageAndTheme(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	chosen := s.do(s.request("GET", "/terms?lang=en&theme=dark&x=1", "", "Accept-Language", "fr"))
	chosen.leads(t, "?x=1") // only the query, so that it can't redirect to another site
	var cookies []string
	for _, c := range (&http.Response{Header: chosen.header}).Cookies() {
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.MaxAge < 300*24*60*60 {
			t.Errorf("%s", c)
		}
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	s.do(s.request("GET", "/terms", "", "Accept-Language", "fr", "Cookie", strings.Join(cookies, "; "))).shows(t, 200, `<html lang="en" data-theme="dark">`, `href="?lang=fr"`, `href="?theme=light"`)
	s.do(s.request("GET", "/terms?lang=xx&theme=pink", "", "Accept-Language", "fr")).shows(t, 200, `<html lang="fr">`)
}

func TestWaitingPage_OfOperaMiniIsThePlainOne(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	b := s.browser()
	loginID := b.start(s.app(tenant.Public, tenant.Live))
	mini := []string{"User-Agent", "Opera/9.80 (Android; Opera Mini/36.2.2254/119.132; U; fr) Presto/2.12.423 Version/12.16"}
	b.send(b.request("GET", "/waiting.html?loginKeyId="+loginID, "", mini...)).leads(t, plainPath+"?loginKeyId="+loginID)
	b.send(b.request("GET", "/waiting.html?loginKeyId=x", "", mini...)).shows(t, 200, "Sign-in not found")
}
