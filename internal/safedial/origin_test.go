package safedial_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/griot/internal/safedial"
)

// post sends a request, and returns its status, or 0 if it was refused.
func post(t *testing.T, c *http.Client, address string) int {
	t.Helper()
	res, err := c.Post(address, "application/json", strings.NewReader("{}"))
	if err != nil {
		if !errors.Is(err, safedial.ErrRefused) {
			t.Fatalf("%s: %v", address, err)
		}
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// An allowed origin can be reached with http and on this machine. Nothing else can, even if it looks similar.
func TestAllow_ExactlyTheOrigin(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	count := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		if r.URL.Path == "/redirect" {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
		}
	})
	app, other := httptest.NewServer(count), httptest.NewServer(count)
	t.Cleanup(app.Close)
	t.Cleanup(other.Close)
	port := app.URL[strings.LastIndex(app.URL, ":"):]
	where := netip.MustParseAddr("127.0.0.1")
	resolver := names(t, func(string) netip.Addr { return where })
	o := safedial.Options{Allow: []string{app.URL, "http://App.test" + port, "http://Café.test" + port}, Own: []string{strings.TrimPrefix(other.URL, "http://"), "[::1]:0"}, Resolver: resolver}
	c := safedial.Client(o)
	for address, want := range map[string]int{
		app.URL + "/webhooks?a=b": 200, "http://app.test" + port + "/": 200, "http://APP.test" + port: 200, "http://cafe\u0301.test" + port: 200, "http://xn--caf-dma.test" + port: 200,
		app.URL + "/redirect": 307,
		other.URL:             0, "http://127.0.0.1/": 0, "http://127.0.0.2" + port: 0, "http://localhost" + port: 0, "http://[::ffff:127.0.0.1]" + port: 0, "https://127.0.0.1" + port: 0, "http://app.test.": 0, "http://app.test." + port: 0,
		"http://cafe.test" + port: 0, "http://evil.test" + port: 0, "https://evil.test" + port: 0, "http://app.test:1/": 0,
	} {
		before := reached.Load()
		if got := post(t, c, address); got != want || reached.Load()-before != int64(min(want, 1)) {
			t.Errorf("%s: got %d, and %d requests arrived; want %d", address, got, reached.Load()-before, want)
		}
		if err := o.Check(address); (err == nil) != (want != 0) && !strings.HasPrefix(address, "https://evil") {
			t.Errorf("Check(%s): %v", address, err)
		}
		if err := o.CheckLink(address); err == nil && !strings.HasPrefix(address, "https://evil") {
			t.Errorf("CheckLink(%s): a file may be fetched from there", address)
		}
	}
	if err := o.Check("http://user@app.test" + port + "/"); err == nil {
		t.Error("a user name was taken")
	}
	c.CloseIdleConnections()
}

// The name of an allowed origin can resolve to another address the next time, but never to cloud metadata or a listener
// of Griot.
func TestAllow_RebindingDNS(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") }))
	t.Cleanup(s.Close)
	address := strings.TrimPrefix(s.URL, "http://")
	_, port, _ := strings.Cut(address, ":")
	var to atomic.Value
	to.Store(netip.MustParseAddr("127.0.0.1"))
	resolver := names(t, func(string) netip.Addr { return to.Load().(netip.Addr) })
	allow := []string{"http://app.test:" + port}
	c := safedial.Client(safedial.Options{Allow: allow, Resolver: resolver})
	if got := post(t, c, allow[0]); got != 200 {
		t.Fatalf("got %d, want 200", got)
	}
	for _, ip := range []string{"169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "fd00:ec2::254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "fe80::1", "0.0.0.0", "::", "224.0.0.1", "255.255.255.255"} {
		to.Store(netip.MustParseAddr(ip).Unmap())
		if got := post(t, c, allow[0]); got != 0 {
			t.Errorf("%s: got %d, want it refused", ip, got)
		}
	}
	to.Store(netip.MustParseAddr("127.0.0.1"))
	for _, own := range []string{address, "0.0.0.0:" + port, "[::]:" + port, ":" + port, "localhost:" + port} {
		c := safedial.Client(safedial.Options{Allow: allow, Own: []string{own}, Resolver: resolver})
		if got := post(t, c, allow[0]); got != 0 {
			t.Errorf("a listener at %s: got %d, want it refused", own, got)
		}
	}
	c = safedial.Client(safedial.Options{Allow: allow, Own: []string{"127.0.0.9:" + port, "127.0.0.1:1", "x"}, Resolver: resolver})
	if got := post(t, c, allow[0]); got != 200 {
		t.Errorf("other listeners: got %d, want 200", got)
	}
}

func TestCheckOrigin(t *testing.T) {
	t.Parallel()
	o := safedial.Options{Own: []string{"127.0.0.1:8082", ":8080"}}
	for origin, want := range map[string]bool{
		"http://127.0.0.1:3000": true, "http://app:3000": true, "https://app": true, "http://localhost:3000": true, "http://[::1]:3000": true, "http://10.0.0.5": true, "HTTP://App:3000": true, "https://93.184.216.34": true,
		"https://café.example": true, "https://-é.example": false, "http://１２７.0.0.1:8082": false,
		"http://127.0.0.1:8082": false, "http://localhost:8082": false, "http://127.0.0.1:8080": false, "http://[::1]:8080": false, "http://127.0.0.2:8082": true, "http://[::1]:8082": true,
		"http://169.254.169.254": false, "http://[fe80::1]:80": false, "http://0.0.0.0:3000": false, "http://100.100.100.200": false,
		"app:3000": false, "ftp://app": false, "http://": false, "http://app:3000/": false, "http://app/hooks": false, "http://app?": false, "http://app#x": false, "http://u@app": false, "http://app:99999": false, "http://*:3000": true, "": false,
	} {
		if err := o.CheckOrigin(origin); (err == nil) != want {
			t.Errorf("%q: got %v, want it taken: %v", origin, err, want)
		}
	}
}
