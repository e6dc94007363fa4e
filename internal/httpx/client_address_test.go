package httpx_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"example.com/griot/internal/httpx"
)

// Rules: L36.
func TestOrigins(t *testing.T) {
	t.Parallel()
	const own = "https://login.example.com"
	for name, tc := range map[string]struct {
		origin, site  string
		same, foreign bool
	}{
		"own":                    {own, "", true, false},
		"own, says the browser":  {own, "same-origin", true, false},
		"own, says only Origin":  {own, "cross-site", false, false},
		"missing":                {"", "", false, false},
		"null":                   {"null", "", false, true},
		"another":                {"https://evil.example", "", false, true},
		"a subdomain":            {"https://x.login.example.com", "same-site", false, true},
		"another port":           {own + ":444", "", false, true},
		"another scheme":         {"http://login.example.com", "", false, true},
		"own with a slash added": {own + "/", "", false, true},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/", nil)
		if tc.origin != "" {
			r.Header.Set("Origin", tc.origin)
		}
		if tc.site != "" {
			r.Header.Set("Sec-Fetch-Site", tc.site)
		}
		if httpx.SameOrigin(r, own) != tc.same || httpx.ForeignOrigin(r, own) != tc.foreign {
			t.Errorf("%s: same %v, foreign %v", name, httpx.SameOrigin(r, own), httpx.ForeignOrigin(r, own))
		}
	}
}

// Rules: L121.
func TestDirectLoopback(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		peer, header string
		want         bool
	}{
		"this machine":           {"127.0.0.1:1", "", true},
		"this machine, IPv6":     {"[::1]:1", "", true},
		"mapped":                 {"[::ffff:127.0.0.1]:1", "", true},
		"elsewhere":              {"192.0.2.1:1", "", false},
		"behind a proxy":         {"127.0.0.1:1", "X-Forwarded-For", false},
		"behind another":         {"127.0.0.1:1", "Forwarded", false},
		"behind a third":         {"127.0.0.1:1", "X-Forwarded-Proto", false},
		"behind a fourth":        {"127.0.0.1:1", "X-Real-IP", false},
		"behind Cloudflare":      {"127.0.0.1:1", "CF-Connecting-IP", false},
		"behind Akamai":          {"127.0.0.1:1", "True-Client-IP", false},
		"behind HAProxy":         {"127.0.0.1:1", "X-Client-IP", false},
		"behind a load balancer": {"127.0.0.1:1", "X-Cluster-Client-IP", false},
		"behind Fastly":          {"127.0.0.1:1", "Fastly-Client-IP", false},
		"behind Envoy":           {"127.0.0.1:1", "X-Envoy-External-Address", false},
		"behind a CDN":           {"127.0.0.1:1", "CDN-Loop", false},
		"behind any":             {"127.0.0.1:1", "Via", false},
		"another header":         {"127.0.0.1:1", "X-Request-Id", true},
		"not an address at all":  {"@", "", false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/", nil)
		r.RemoteAddr = tc.peer
		if tc.header != "" {
			r.Header.Set(tc.header, "192.0.2.7")
		}
		if got := httpx.DirectLoopback(r); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestBehindProxies(t *testing.T) {
	t.Parallel()
	ours := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")}
	problems := map[string]httpx.ForwardedProblem{
		"made up by a client": httpx.ForwardedUntrusted, "not an address": httpx.ForwardedUnreadable, "version 4 in brackets": httpx.ForwardedUnreadable, "an open bracket": httpx.ForwardedUnreadable,
		"brackets and more": httpx.ForwardedUnreadable, "brackets and no port": httpx.ForwardedUnreadable, "quoted": httpx.ForwardedUnreadable,
	}
	for name, tc := range map[string]struct {
		peer      string
		forwarded []string
		want      string
	}{
		"nobody in between":              {"192.0.2.1:5", nil, "192.0.2.1"},
		"made up by a client":            {"192.0.2.1:5", []string{"203.0.113.9"}, "192.0.2.1"},
		"one proxy":                      {"127.0.0.1:5", []string{"203.0.113.9"}, "203.0.113.9"},
		"two proxies":                    {"127.0.0.1:5", []string{"203.0.113.9, 10.1.2.3"}, "203.0.113.9"},
		"two proxies, a header each":     {"127.0.0.1:5", []string{"203.0.113.9", "10.1.2.3"}, "203.0.113.9"},
		"what came before is made up":    {"127.0.0.1:5", []string{"198.51.100.4, 203.0.113.9"}, "203.0.113.9"},
		"a made-up proxy of ours":        {"127.0.0.1:5", []string{"198.51.100.4, 10.9.9.9, 203.0.113.9"}, "203.0.113.9"},
		"a proxy asks by itself":         {"127.0.0.1:5", nil, "127.0.0.1"},
		"nothing but proxies":            {"127.0.0.1:5", []string{"10.1.2.3"}, "10.1.2.3"},
		"not an address":                 {"127.0.0.1:5", []string{"203.0.113.9, unknown"}, "127.0.0.1"},
		"with a port":                    {"127.0.0.1:5", []string{"203.0.113.9:4711"}, "203.0.113.9"},
		"version 6":                      {"[2001:db8::1]:5", []string{"2001:470::7"}, "2001:470::7"},
		"version 6 with a port and zone": {"[2001:db8::1]:5", []string{"[fe80::7%eth0]:9"}, "fe80::7"},
		"version 6 in brackets":          {"127.0.0.1:5", []string{"[2001:470::7]"}, "2001:470::7"},
		"brackets, two proxies":          {"127.0.0.1:5", []string{"[2001:470::7], [2001:db8::2]"}, "2001:470::7"},
		"brackets with a zone":           {"127.0.0.1:5", []string{"[fe80::7%eth0]"}, "fe80::7"},
		"brackets, mapped":               {"127.0.0.1:5", []string{"[::ffff:203.0.113.9]"}, "203.0.113.9"},
		"an empty element":               {"127.0.0.1:5", []string{"203.0.113.9, , "}, "203.0.113.9"},
		"empty":                          {"127.0.0.1:5", []string{""}, "127.0.0.1"},
		"version 4 in brackets":          {"127.0.0.1:5", []string{"[203.0.113.9]"}, "127.0.0.1"},
		"an open bracket":                {"127.0.0.1:5", []string{"[2001:470::7"}, "127.0.0.1"},
		"brackets and more":              {"127.0.0.1:5", []string{"[2001:470::7]x"}, "127.0.0.1"},
		"brackets and no port":           {"127.0.0.1:5", []string{"[2001:470::7]:"}, "127.0.0.1"},
		"quoted":                         {"127.0.0.1:5", []string{`"[2001:470::7]"`}, "127.0.0.1"},
		"mapped":                         {"[::ffff:127.0.0.1]:5", []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.RemoteAddr = tc.peer
		r.Header["X-Forwarded-For"] = tc.forwarded
		got, problem := "", httpx.ForwardedProblem(0)
		httpx.BehindProxies(ours, func(p httpx.ForwardedProblem, _ netip.Addr) { problem = p }, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			got = httpx.ClientIP(r).String()
			if httpx.DirectLoopback(r) && tc.forwarded != nil {
				t.Errorf("%s: taken for this machine", name)
			}
		})).ServeHTTP(httptest.NewRecorder(), r)
		if got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
		if want := problems[name]; problem != want {
			t.Errorf("%s: problem %d, want %d", name, problem, want)
		}
	}
}

func FuzzBehindProxies(f *testing.F) {
	f.Add("127.0.0.1:5", "203.0.113.9, 10.1.2.3")
	f.Add("@", ",,[::1%a]:")
	f.Fuzz(func(t *testing.T, peer, forwarded string) {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.RemoteAddr = peer
		r.Header.Set("X-Forwarded-For", forwarded)
		before := httpx.ClientIP(r)
		httpx.BehindProxies([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, nil, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if after := httpx.ClientIP(r); before.IsValid() && !after.IsValid() || !before.IsLoopback() && after != before {
				t.Errorf("%q with %q is %v", peer, forwarded, after)
			}
		})).ServeHTTP(httptest.NewRecorder(), r)
	})
}
