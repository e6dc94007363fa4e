package oauth_test

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/griot/auth/oauth"
)

func TestParseOpenID_Scopes(t *testing.T) {
	for scope, want := range map[string]string{
		"openid": "openid", "phone openid": "openid phone", "profile  openid phone": "openid profile phone",
		"openid email offline_access address": "openid", "openid Phone": "openid", "openid\tphone": "", "": "",
	} {
		if got := oauth.HasScope(scope, oauth.OpenIDScope); got != (want != "") {
			t.Errorf("%q has openid: %v", scope, got)
		}
		if want == "" {
			continue
		}
		if got, refusal := oauth.ParseOpenID(url.Values{"scope": {scope}}, false); refusal != nil || got.Scope != want {
			t.Errorf("%q: %+v, %v; want %q", scope, got, refusal, want)
		}
		if got, _ := oauth.ParseOpenID(url.Values{"scope": {scope}}, true); got.Has(oauth.EmailScope) != oauth.HasScope(scope, oauth.EmailScope) {
			t.Errorf("%q of a client with a domain: %+v", scope, got)
		}
	}
}

func TestHostAndOrigin(t *testing.T) {
	for uri, want := range map[string]struct {
		host, origin string
		own          bool
	}{
		"https://app.example/cb?x=1":       {"app.example", "https://app.example", false},
		"https://app.example:8443/cb":      {"app.example:8443", "https://app.example:8443", false},
		"http://127.0.0.1:3000/cb":         {"127.0.0.1:3000", "http://127.0.0.1:3000", true},
		"http://[::1]/cb":                  {"[::1]", "http://[::1]", true},
		"https://localhost/cb":             {"localhost", "https://localhost", true},
		"https://localhost.example/cb":     {"localhost.example", "https://localhost.example", false},
		"http://192.168.1.7:3000/cb":       {"192.168.1.7:3000", "http://192.168.1.7:3000", false},
		"com.example.shop:/callback":       {"com.example.shop", "com.example.shop:", false},
		"com.example.shop://done/callback": {"done", "com.example.shop://done", false},
	} {
		if host, origin, own := oauth.Host(uri), oauth.Origin(uri), oauth.OfThisMachine(uri); host != want.host || origin != want.origin || own != want.own {
			t.Errorf("%s: %s, %s, %v; want %+v", uri, host, origin, own, want)
		}
	}
}

// For any input, the stored values are bounded and known, and the response to the application repeats nothing of it.
func FuzzParseOpenID(f *testing.F) {
	f.Add("openid phone", "n", "login", "0", "query", "", "")
	f.Add("openid", strings.Repeat("é", 600), "none login", "-1", "fragment", "x", "")
	f.Add("openid", "", "none", "", "form_post", "", "https://app.example/r")
	f.Fuzz(func(t *testing.T, scope, nonce, prompt, maxAge, mode, request, requestURI string) {
		q := url.Values{"scope": {scope}, "nonce": {nonce}, "prompt": {prompt}, "max_age": {maxAge}, "response_mode": {mode}, "request": {request}, "request_uri": {requestURI}}
		got, refusal := oauth.ParseOpenID(q, false)
		if refusal != nil {
			if got != (oauth.OpenID{}) || refusal.Silent != strings.Contains(" "+strings.Join(strings.Fields(prompt), " ")+" ", " none ") {
				t.Errorf("%+v, %+v", got, refusal)
			}
			for _, r := range refusal.Code + refusal.Description {
				if r < ' ' || r > '~' || r == '"' || r == '\\' { // RFC 6749 §4.1.2.1
					t.Errorf("%+v has %q", refusal, r)
				}
			}
			return
		}
		if got.Nonce != nonce || utf8.RuneCountInString(nonce) > 512 || request != "" || requestURI != "" || got.FormPost != (mode == "form_post") {
			t.Errorf("%+v of %v", got, q)
		}
		for s := range strings.SplitSeq(got.Scope, " ") {
			if got.Scope != "" && (s != "openid" && s != "profile" && s != "phone" || !oauth.HasScope(scope, s)) {
				t.Errorf("scope %q of %q", got.Scope, scope)
			}
		}
	})
}
