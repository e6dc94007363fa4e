package oauth_test

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/griot/auth/oauth"
)

// The example of RFC 7636, appendix B.
// Rules: L23.
func TestS256(t *testing.T) {
	for verifier, want := range map[string]string{"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "": ""} {
		if got := oauth.S256(verifier); got != want {
			t.Errorf("S256(%q) = %q, want %q", verifier, got, want)
		}
	}
}

// Rules: L22, L90.
func TestValid(t *testing.T) {
	for n, want := range map[int]bool{0: false, 42: false, 43: true, 44: false} {
		if oauth.ValidChallenge(strings.Repeat("_", n)) != want {
			t.Errorf("challenge of %d", n)
		}
	}
	for n, want := range map[int]bool{0: false, 42: false, 43: true, 128: true, 129: false} {
		if oauth.ValidVerifier(strings.Repeat("~", n)) != want {
			t.Errorf("verifier of %d", n)
		}
	}
	for _, c := range []string{"~", ".", "=", "+", "/", " ", "é"} {
		if oauth.ValidChallenge(strings.Repeat("a", 43-len(c)) + c) {
			t.Errorf("challenge with %q", c)
		}
	}
	for _, c := range []string{"=", "+", "/", " ", "é", "\x00"} {
		if oauth.ValidVerifier(strings.Repeat("a", 43) + c) {
			t.Errorf("verifier with %q", c)
		}
	}
}

// Rules: L159.
func TestRegistrable(t *testing.T) {
	for uri, want := range map[string][2]bool{ // for CONFIDENTIAL, for PUBLIC clients of either mode
		"https://app.example":                            {true, true},
		"https://app.example/cb?x=1":                     {true, true},
		"https://app.example:8443/cb":                    {true, true},
		"http://127.0.0.1/cb":                            {true, true},
		"http://127.0.0.1:4000/cb":                       {true, true},
		"http://[::1]:4000":                              {true, true},
		"http://localhost:4000/cb":                       {true, true},
		"com.example.app:/cb":                            {false, true},
		"com.example.app://login/cb":                     {false, true},
		"io.my-app.v2:/cb":                               {false, true},
		"https://[2001:db8::1]:8443/cb":                  {true, true},
		"https://192.0.2.1/cb":                           {true, true},
		"https://app-1.my_app.example./cb":               {true, true},
		"https://*.app.example/cb":                       {},
		"https://*/cb":                                   {},
		"https://app*.example/cb":                        {},
		"https://%2a.app.example/cb":                     {},
		"https://app..example/cb":                        {},
		"https://[::1%25eth0]/cb":                        {},
		"com.example.app://*/cb":                         {},
		"java.script:alert(1)":                           {},
		"Java.Script:alert(1)":                           {},
		"j.a.v.a.script:alert(1)":                        {},
		"java-script.:alert(1)":                          {},
		"javascript.x:alert(1)":                          {},
		"vb.script:x":                                    {},
		"da.ta:text/html,x":                              {},
		"view.source:x":                                  {},
		"ht.tps://app.example/cb":                        {},
		"com..example:/cb":                               {},
		"com.:/cb":                                       {},
		"http://app.example/cb":                          {},
		"http://127.0.0.2/cb":                            {},
		"http://localhost.evil.example/cb":               {},
		"http://localhost:0/cb":                          {},
		"http://localhost:65536/cb":                      {},
		"https://localhost:4000/cb":                      {true, true},
		"https://app.example:65535/cb":                   {true, true},
		"https://app.example:65536/cb":                   {},
		"https://app.example:99999999999999999999/cb":    {},
		"https://app.example:0/cb":                       {},
		"https://[2001:db8::1]:65536/cb":                 {},
		"com.example.app://login:65536/cb":               {},
		"https://app.example/cb?code=1":                  {},
		"https://app.example/cb?x=1&state":               {},
		"https://app.example/cb?iss=":                    {},
		"https://app.example/cb?error=x&y=1":             {},
		"https://app.example/cb?%63ode=1":                {},
		"https://app.example/cb?x=1;code=2":              {},
		"http://localhost:4000/?state=1":                 {},
		"com.example.app:/cb?code=1":                     {},
		"https://app.example/cb?codec=1&x=code":          {true, true},
		"https://app.example/code?from=state":            {true, true},
		"https://app.example/cb#x":                       {},
		"https://app.example/cb#":                        {},
		"https://user@app.example/cb":                    {},
		"https://user:pw@app.example/cb":                 {},
		"http://x@localhost/cb":                          {},
		"https:///cb":                                    {},
		"https://app.example/a b":                        {},
		"https://app.example/\\evil":                     {},
		"https://app.exämple/cb":                         {},
		"javascript:alert(1)":                            {},
		"myapp:/cb":                                      {},
		"data:text/html,x":                               {},
		"/cb":                                            {},
		"":                                               {},
		":":                                              {},
		"https://a.example/" + strings.Repeat("a", 2048): {},
	} {
		for _, test := range []bool{false, true} {
			if got := [2]bool{oauth.Registrable(uri, false, test), oauth.Registrable(uri, true, test)}; got != want {
				t.Errorf("%s, TEST %t: %v, want %v", uri, test, got, want)
			}
		}
	}
}

// A phone on the same network reaches the developer's machine by its IP address, only in TEST mode.
// Rules: L159.
func TestRegistrable_PrivateNetworks(t *testing.T) {
	for uri, want := range map[string]bool{ // for TEST clients
		"http://192.168.1.20/cb":            true,
		"http://192.168.1.20:4000/cb":       true,
		"http://10.0.0.1:4000":              true,
		"http://172.16.0.1/":                true,
		"http://172.31.255.255/":            true,
		"http://[fd12:3456::1]:4000/cb":     true,
		"http://172.32.0.1/":                false,
		"http://192.168.1.20:/cb":           false,
		"http://192.168.1.20:0/cb":          false,
		"http://192.168.1.20:65536/cb":      false,
		"http://192.168.1.020/cb":           false,
		"http://192.168.257/cb":             false,
		"http://3232235796/cb":              false,
		"http://[192.168.1.20]/cb":          false,
		"http://[::ffff:192.168.1.20]/cb":   false,
		"http://192.168.1.20.evil.example/": false,
		"http://x@192.168.1.20/":            false,
		"http://169.254.169.254/cb":         false,
		"http://[fe80::1]/cb":               false,
		"http://[fe80::1%25eth0]/cb":        false,
		"http://100.64.0.1/cb":              false,
		"http://8.8.8.8/cb":                 false,
		"http://printer.local/cb":           false,
	} {
		if got := oauth.Registrable(uri, true, true); got != want {
			t.Errorf("%s for a TEST client: %t, want %t", uri, got, want)
		}
		if oauth.Registrable(uri, true, false) {
			t.Errorf("%s for a LIVE client: true, want false", uri)
		}
	}
}

// Rules: L17, L18.
func TestMatchRedirect(t *testing.T) {
	registered := []string{"https://app.example/cb", "http://127.0.0.1:4000/cb?x=1", "http://[::1]/", "https://localhost:5173/cb"}
	for uri, want := range map[string][3]bool{ // the registered port, any of an IP address, any
		"https://app.example/cb":                    {true, true, true},
		"http://127.0.0.1:4000/cb?x=1":              {true, true, true},
		"http://127.0.0.1:1/cb?x=1":                 {false, true, true},
		"http://127.0.0.1/cb?x=1":                   {false, true, true},
		"http://[::1]:65535/":                       {false, true, true},
		"https://localhost:5173/cb":                 {true, true, true},
		"https://localhost:3443/cb":                 {false, false, true},
		"https://localhost/cb":                      {false, false, true},
		"http://localhost:5173/cb":                  {},
		"https://127.0.0.1:5173/cb":                 {},
		"https://127.0.0.1:4000/cb?x=1":             {},
		"https://localhost:3443@evil.example/cb":    {},
		"https://localhost.evil.example:5173/cb":    {},
		"https://app.example:8443/cb":               {},
		"https://app.example/CB":                    {},
		"https://app.example/cb/":                   {},
		"https://app.example/cb?":                   {},
		"http://127.0.0.1:4000/cb":                  {},
		"http://127.0.0.1:65536/cb?x=1":             {},
		"http://127.0.0.1:04000/cb?x=1":             {},
		"http://127.0.0.1:+400/cb?x=1":              {},
		"http://127.0.0.1:/cb?x=1":                  {},
		"http://127.0.0.1:4000@evil.example/cb?x=1": {},
		"http://localhost:4000/cb?x=1":              {},
		"http://127.0.0.1.evil.example/cb?x=1":      {},
		"HTTP://127.0.0.1:4000/cb?x=1":              {},
		"http://[::ffff:127.0.0.1]:65535/":          {},
		"http://[0:0:0:0:0:0:0:1]:65535/":           {},
		"http://127.1:4000/cb?x=1":                  {},
		"http://2130706433:4000/cb?x=1":             {},
		"http://127.0.0.1:4000:1/cb?x=1":            {},
		"http://127.0.0.1:1?x=1":                    {},
		"http://user@127.0.0.1:1/cb?x=1":            {},
		"":                                          {},
	} {
		if got := [3]bool{oauth.MatchRedirect(registered, uri, oauth.RegisteredPort), oauth.MatchRedirect(registered, uri, oauth.AnyPortOfIP), oauth.MatchRedirect(registered, uri, oauth.AnyPort)}; got != want {
			t.Errorf("%s: %v, want %v", uri, got, want)
		}
	}
}

// Rules: L56.
func TestRedirect(t *testing.T) {
	params := []oauth.Param{{Name: "code", Value: "C"}, {Name: "state", Value: "a b&c=é"}}
	for uri, want := range map[string]string{
		"https://a.example":       "https://a.example?code=C&state=a+b%26c%3D%C3%A9",
		"https://a.example/?x=1":  "https://a.example/?x=1&code=C&state=a+b%26c%3D%C3%A9",
		"https://a.example/?":     "https://a.example/?code=C&state=a+b%26c%3D%C3%A9",
		"https://a.example/?x=1&": "https://a.example/?x=1&code=C&state=a+b%26c%3D%C3%A9",
		"com.example.app:/cb":     "com.example.app:/cb?code=C&state=a+b%26c%3D%C3%A9",
	} {
		if got := oauth.Redirect(uri, params...); got != want {
			t.Errorf("%s: %s, want %s", uri, got, want)
		}
	}
}

// Every match leads to the registered host.
// Rules: L17.
func FuzzMatchRedirect(f *testing.F) {
	for _, seed := range []string{
		"http://127.0.0.1:4000/cb", "http://127.0.0.1:80@evil.example/cb", "http://localhost:1/cb", "http://127.0.0.1:1\\@evil.example/cb", "http://[::1]:1/cb",
	} {
		f.Add(seed)
	}
	registered := []string{"http://127.0.0.1:4000/cb", "http://[::1]:4000/cb", "https://app.example/cb"}
	f.Fuzz(func(t *testing.T, uri string) {
		if oauth.MatchRedirect(registered, uri, oauth.RegisteredPort) && uri != registered[0] && uri != registered[1] && uri != registered[2] {
			t.Errorf("%q matches in LIVE mode", uri)
		}
		if oauth.MatchRedirect(registered, uri, oauth.AnyPortOfIP) && !oauth.MatchRedirect(registered, uri, oauth.AnyPort) {
			t.Errorf("%q matches a narrower rule alone", uri)
		}
		if !oauth.MatchRedirect(registered, uri, oauth.AnyPort) {
			return
		}
		if !slices.Contains(registered, uri) { // then only the port differs
			asked, err := url.Parse(uri)
			if err != nil {
				t.Fatalf("%q: %v", uri, err)
			}
			port := asked.Port()
			if asked.Host = asked.Host[:len(asked.Host)-len(port)]; port == "" {
				asked.Host += ":"
			}
			if asked.Host += "4000"; !slices.Contains(registered, asked.String()) {
				t.Errorf("%q is not one of %v with another port", uri, registered)
			}
			if n, err := strconv.Atoi(port); port != "" && (err != nil || n < 1 || n > 65535) {
				t.Errorf("%q has no port", uri)
			}
		}
		u, err := url.Parse(oauth.Redirect(uri, oauth.Param{Name: "code", Value: "C"}))
		if err != nil {
			t.Fatalf("%q: %v", uri, err)
		}
		if h := u.Hostname(); h != "127.0.0.1" && h != "::1" && h != "app.example" || u.Path != "/cb" || u.User != nil || u.Query().Get("code") != "C" {
			t.Errorf("%q leads to %s", uri, u)
		}
	})
}
