package demo_test

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/web"
)

// visit returns the status and the text of a page in English.
func (b *fixture) visit(t *testing.T, address string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Language", "en")
	answer, err := b.browser.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(address, b.app.URL) && answer.Request.URL.Path != "/authorize" {
		if answer.Header.Get("Cache-Control") != "no-store" || answer.Header.Get("Content-Security-Policy") != web.CSP {
			t.Errorf("%s: %v", address, answer.Header)
		}
	}
	if strings.Contains(string(body), code) || strings.Contains(string(body), "eyJ") {
		t.Errorf("%s shows a code or a token", address)
	}
	return answer.StatusCode, string(body)
}

// begin starts a login with a client, and returns the response to the demo after the person has proved it.
func (b *fixture) begin(t *testing.T, n string) url.Values {
	t.Helper()
	if status, _ := b.visit(t, b.app.URL+"/dev/demo/start/"+n); status != http.StatusOK {
		t.Fatalf("start: %d", status)
	}
	return url.Values{"code": {code}, "state": {b.authorize.Get("state")}, "iss": {b.URL}}
}

func (b *fixture) callback(t *testing.T, query url.Values) (int, string) {
	t.Helper()
	return b.visit(t, b.app.URL+"/dev/demo/callback?"+query.Encode())
}

func TestHome_OffersEveryClient(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	status, page := b.visit(t, b.app.URL+"/dev/demo")
	if status != http.StatusOK || !strings.Contains(page, b.app.URL+"/dev/demo/start/0") || !strings.Contains(page, b.app.URL+"/dev/demo/start/1") || strings.Contains(page, "cs_secret") {
		t.Errorf("%d\n%s", status, page)
	}
}

func TestStart_SendsStateAndChallenge(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	first := b.begin(t, "0").Get("state")
	sent := b.authorize
	if sent.Get("client_id") != "cl_test_public" || sent.Get("redirect_uri") != b.app.URL+"/dev/demo/callback" || sent.Get("response_type") != "code" ||
		sent.Get("code_challenge_method") != "S256" || len(sent.Get("code_challenge")) != 43 || len(first) < 16 {
		t.Errorf("sent %v", sent)
	}
	if second := b.begin(t, "0").Get("state"); second == first {
		t.Error("the same state twice")
	}
	for _, cookie := range b.browser.Jar.Cookies(mustParse(t, b.app.URL+"/dev/demo/callback")) {
		if strings.Contains(cookie.Value, first) {
			t.Error("the cookie shows what it holds")
		}
	}
	for _, n := range []string{"2", "-1", "x"} {
		if status, _ := b.visit(t, b.app.URL+"/dev/demo/start/"+n); status != http.StatusNotFound {
			t.Errorf("client %s: %d", n, status)
		}
	}
}

func TestStart_KeepsTheCookieToItself(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.app.URL+"/dev/demo/start/0", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := b.browser.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	cookies := answer.Cookies()
	if answer.StatusCode != http.StatusSeeOther || len(cookies) != 1 {
		t.Fatalf("%d, %d cookies", answer.StatusCode, len(cookies))
	}
	if c := cookies[0]; !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/dev/demo" || c.MaxAge != 600 || c.Secure {
		t.Errorf("the cookie is %v", c)
	}
}

func TestCallback_BelievesAGoodToken(t *testing.T) {
	t.Parallel()
	for n, secret := range map[string]string{"0": "", "1": "cs_secret"} {
		for _, status := range []int{http.StatusOK, http.StatusCreated} {
			b := newFixture(t)
			b.status = status
			got, page := b.callback(t, b.begin(t, n))
			for _, want := range []string{"Login verified", subject, "&#43;22300000001", "Awa &lt;b&gt;Traoré&lt;/b&gt;", "kid k1", "2026-09-21 12:15:00 UTC", "What the ID token of OpenID Connect says", "a login"} {
				if !strings.Contains(page, want) {
					t.Errorf("client %s: no %q on the page", n, want)
				}
			}
			sent := b.exchanged[0]
			if got != http.StatusOK || len(b.exchanged) != 1 || sent.Get("client_secret") != secret || sent.Get("redirect_uri") != b.app.URL+"/dev/demo/callback" || len(sent.Get("code_verifier")) < 43 {
				t.Errorf("client %s: %d, sent %v", n, got, sent)
			}
		}
	}
}

// In all these cases, the code stays with its owner.
func TestCallback_LeavesOthersCodesAlone(t *testing.T) {
	t.Parallel()
	for name, modify := range map[string]func(b *fixture, query url.Values){
		"another state":        func(_ *fixture, query url.Values) { query.Set("state", "0123456789abcdef0123456789abcdef") },
		"a state that differs": func(_ *fixture, query url.Values) { query.Set("state", query.Get("state")+"x") },
		"no state":             func(_ *fixture, query url.Values) { query.Del("state") },
		"another browser":      func(b *fixture, _ url.Values) { b.browser = &http.Client{} },
		"too late":             func(b *fixture, _ url.Values) { b.clock.Advance(10 * time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			query := b.begin(t, "0")
			modify(b, query)
			status, page := b.callback(t, query)
			if status != http.StatusOK || !strings.Contains(page, "This login came from elsewhere") || len(b.exchanged) > 0 {
				t.Errorf("%d, %d exchanges\n%s", status, len(b.exchanged), page)
			}
		})
	}
}

func TestCallback_AStateServesOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	query := b.begin(t, "0")
	b.callback(t, query)
	if _, page := b.callback(t, query); !strings.Contains(page, "This login came from elsewhere") || len(b.exchanged) != 1 {
		t.Errorf("%d exchanges\n%s", len(b.exchanged), page)
	}
}

func TestCallback_TwoTabsDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	first := b.begin(t, "0")
	challenge := b.authorize
	b.begin(t, "1")
	b.authorize = challenge
	if status, page := b.callback(t, first); status != http.StatusOK || !strings.Contains(page, "Login verified") {
		t.Errorf("%d\n%s", status, page)
	}
}

func TestCallback_RefusesWrongAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		modify    func(query url.Values)
		says      string
		saysNever string
	}{
		"another issuer": {modify: func(q url.Values) { q.Set("iss", "https://evil.example") }, says: "its iss is wrong"},
		"no issuer":      {modify: func(q url.Values) { q.Del("iss") }, says: "its iss is wrong"},
		"no code":        {modify: func(q url.Values) { q.Del("code") }, says: "contains no code"},
		"a refusal": {modify: func(q url.Values) {
			q.Del("code")
			q.Set("error", "access_denied")
			q.Set("error_description", "The login <expired>.")
		}, says: "The login &lt;expired&gt;."},
		"a refusal from nowhere": {modify: func(q url.Values) {
			q.Set("state", "0123456789abcdef")
			q.Set("error", "access_denied")
			q.Set("error_description", "Call this number")
		}, says: "access_denied", saysNever: "Call this number"},
		"a word that is none": {modify: func(q url.Values) { q.Set("error", "Call this number") }, says: "did not go through", saysNever: "Call this number"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			query := b.begin(t, "0")
			c.modify(query)
			status, page := b.callback(t, query)
			if status != http.StatusBadRequest || !strings.Contains(plain(page), c.says) || len(b.exchanged) > 0 {
				t.Errorf("%d, %d exchanges\n%s", status, len(b.exchanged), page)
			}
			if c.saysNever != "" && strings.Contains(page, c.saysNever) {
				t.Errorf("the page shows the text of a forged redirect:\n%s", page)
			}
		})
	}
}

// The other requirements of a token are tested with the client (client/login, test/system/behaviour).
func TestCallback_RefusesWrongTokens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		modify func(b *fixture)
		says   string
	}{
		"signed with another key":  {func(b *fixture) { b.key = otherKey() }, "its signature is wrong"},
		"another mode":             {func(b *fixture) { b.claims["mode"] = "LIVE" }, "its mode is not TEST"},
		"a profile of another one": {func(b *fixture) { b.profile["id"] = "01J9ZQ7Y3K4M5N6P7Q8R9S0T1X" }, "the profile is not that of the token"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			query := b.begin(t, "0")
			c.modify(b)
			status, page := b.callback(t, query)
			if status != http.StatusBadGateway || !strings.Contains(page, "The token cannot be trusted") || !strings.Contains(page, "<dd>"+c.says+"</dd>") || strings.Contains(page, "22300000001") {
				t.Errorf("%d\n%s", status, page)
			}
		})
	}
}

func TestCallback_SaysWhatTheServiceSaid(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	query := b.begin(t, "0")
	b.status = http.StatusBadRequest
	if status, page := b.callback(t, query); status != http.StatusBadGateway || !strings.Contains(page, "code_expired") || !strings.Contains(page, "The code has expired.") {
		t.Errorf("%d\n%s", status, page)
	}
	query = b.begin(t, "0")
	b.service.Close()
	if status, page := b.callback(t, query); status != http.StatusBadGateway || !strings.Contains(page, "did not respond as expected") {
		t.Errorf("%d\n%s", status, page)
	}
}

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

var tag = regexp.MustCompile(`<[^>]*>`)

func plain(page string) string { return tag.ReplaceAllString(page, "") }
