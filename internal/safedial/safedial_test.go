package safedial_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/griot/internal/safedial"
	"example.com/griot/internal/waittest"
)

// names returns a resolver with a name server that answers every query with the result of answer for its name.
func names(t *testing.T, answer func(name string) netip.Addr) *net.Resolver {
	t.Helper()
	c, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = c.WriteTo(reply(buf[:n], answer), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", c.LocalAddr().String())
	}}
}

// reply answers one question (RFC 1035 §4).
func reply(q []byte, answer func(name string) netip.Addr) []byte {
	var labels []string
	at := 12
	for q[at] != 0 {
		labels = append(labels, string(q[at+1:at+1+int(q[at])]))
		at += 1 + int(q[at])
	}
	at += 5
	typ := binary.BigEndian.Uint16(q[at-4:])
	out := append([]byte{}, q[:at]...)
	out[2], out[3] = 0x81, 0x80
	copy(out[6:], []byte{0, 0, 0, 0, 0, 0})
	ip := answer(strings.Join(labels, "."))
	if typ == 1 && ip.Is4() || typ == 28 && ip.Is6() {
		out[7] = 1
		out = append(out, 0xc0, 12, 0, byte(typ), 0, 1, 0, 0, 0, 0, 0, byte(ip.BitLen()/8))
		out = append(out, ip.AsSlice()...)
	}
	return out
}

// Every known spelling of an internal address is refused, by the IP address that it resolves to.
// Rules: M156.
func TestClient_Refuses(t *testing.T) {
	for _, proxy := range []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"} {
		t.Setenv(proxy, "http://127.0.0.1:1")
	}
	var reached atomic.Int64
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			reached.Add(1)
			_ = c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	// For Go, a non-canonical address is a name. Some systems' resolvers parse it as an address, as this one does.
	resolver := names(t, func(name string) netip.Addr {
		if name == "inside.example" {
			return netip.MustParseAddr("10.1.2.3")
		}
		if name == "inside6.example" {
			return netip.MustParseAddr("fd12::1")
		}
		return netip.MustParseAddr("127.0.0.1")
	})
	both := map[string]string{ // refused even if private networks are allowed
		"loopback": "127.0.0.1", "loopback, another": "127.8.8.8", "loopback IPv6": "[::1]", "localhost": "localhost", "decimal": "2130706433", "octal": "0177.0.0.1", "hexadecimal": "0x7f000001",
		"short": "127.1", "mapped": "[::ffff:127.0.0.1]", "mapped, hexadecimal": "[::ffff:7f00:1]", "compatible": "[::127.0.0.1]", "NAT64": "[64:ff9b::7f00:1]", "NAT64, local": "[64:ff9b:1::7f00:1]",
		"6to4": "[2002:7f00:1::]", "Teredo": "[2001:0:7f00:1::]", "unspecified": "0.0.0.0", "unspecified IPv6": "[::]", "name of the inside": "loopback.example",
		"metadata": "169.254.169.254", "metadata, mapped": "[::ffff:169.254.169.254]", "metadata, Azure": "168.63.129.16", "metadata, Alibaba": "100.100.100.200", "metadata, AWS IPv6": "[fd00:ec2::254]",
		"link-local": "169.254.1.1", "link-local IPv6": "[fe80::1]", "link-local with a zone": "[fe80::1%25lo]", "multicast": "224.0.0.1", "multicast IPv6": "[ff02::1]", "broadcast": "255.255.255.255",
		"documentation": "192.0.2.1", "benchmarking": "198.18.0.1", "reserved": "240.0.0.1",
	}
	private := map[string]string{
		"private 10/8": "10.0.0.1", "private 172.16/12": "172.31.255.254", "private 192.168/16": "192.168.1.1", "CGNAT": "100.64.0.1", "unique local IPv6": "[fd12:3456::1]", "private, mapped": "[::ffff:10.0.0.1]",
		"name of a private network": "inside.example", "name of a private IPv6 network": "inside6.example",
	}
	refuse := func(o safedial.Options, kind string, targets map[string]string) {
		o.Resolver = resolver
		c := safedial.Client(o)
		for name, host := range targets {
			t.Run(kind+"/"+name, func(t *testing.T) {
				ctx := waittest.Context(t)
				for _, scheme := range []string{"https", "http"} {
					req, err := http.NewRequestWithContext(ctx, http.MethodPost, scheme+"://"+host+":"+port+"/", strings.NewReader("{}"))
					if err != nil {
						t.Fatal(err)
					}
					res, err := c.Do(req)
					if err == nil {
						_ = res.Body.Close()
					}
					var unknown *net.DNSError // Go itself doesn't parse it as an address
					if !errors.Is(err, safedial.ErrRefused) && !errors.As(err, &unknown) {
						t.Errorf("%s: %v", scheme, err)
					}
				}
			})
		}
	}
	refuse(safedial.Options{}, "public only", both)
	refuse(safedial.Options{}, "public only", private)
	refuse(safedial.Options{Private: true}, "with private networks", both)
	if n := reached.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

func TestOptions_Private(t *testing.T) {
	for address, want := range map[string]bool{"10.0.0.1": true, "172.16.0.1": true, "192.168.1.1": true, "100.64.0.1": true, "[fd12::1]": true, "127.0.0.1": false, "169.254.169.254": false, "100.100.100.200": false, "[fd00:ec2::254]": false} {
		if err := (safedial.Options{Private: true}).Check("https://" + address + "/"); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A name that resolves to another address the second time is checked the second time.
// Rules: M29.
func TestClient_RebindingDNS(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") }))
	t.Cleanup(s.Close)
	var second atomic.Int64
	resolver := names(t, func(string) netip.Addr {
		if second.Load() == 0 {
			return netip.MustParseAddr("127.0.0.1")
		}
		return netip.MustParseAddr("10.0.0.1")
	})
	c := safedial.Client(safedial.Options{Loopback: true, Resolver: resolver})
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	get := func() error {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://rebinding.example:"+port, nil)
		if err != nil {
			return err
		}
		res, err := c.Do(req)
		if err == nil {
			err = res.Body.Close()
		}
		return err
	}
	if err := get(); err != nil {
		t.Fatal(err)
	}
	second.Add(1)
	if err := get(); !errors.Is(err, safedial.ErrRefused) {
		t.Errorf("the second time: %v", err)
	}
}

// Each hop is dialed under the same rules, regardless of the address to which its name resolves at that time.
// Rules: M28.
func TestClient_FollowsRedirects(t *testing.T) {
	t.Parallel()
	var leads atomic.Value
	mux := http.NewServeMux()
	mux.HandleFunc("/start", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, leads.Load().(string), http.StatusFound)
	})
	mux.HandleFunc("/end", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Referer")+r.Header.Get("Authorization")+r.Header.Get("Cookie") != "" {
			t.Errorf("sent on: %v", r.Header)
		}
	})
	s := httptest.NewTLSServer(mux)
	t.Cleanup(s.Close)
	var to atomic.Value
	resolver := names(t, func(string) netip.Addr { return to.Load().(netip.Addr) })
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "https://"), ":")
	c := safedial.Client(safedial.Options{Loopback: true, Redirects: 1, Roots: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, Resolver: resolver})
	t.Cleanup(c.CloseIdleConnections)
	get := func(address string) (int, error) {
		leads.Store(address)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/start?token=secret", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer secret")
		r.Header.Set("Cookie", "a=secret")
		res, err := c.Do(r)
		if res != nil {
			_ = res.Body.Close()
		}
		if err != nil {
			return 0, err
		}
		return res.StatusCode, nil
	}
	to.Store(netip.MustParseAddr("127.0.0.1"))
	for address, want := range map[string]int{"/end": 200, s.URL + "/end": 200, "https://example.com:" + port + "/end": 200, "/start": 302} {
		if got, err := get(address); got != want || err != nil {
			t.Errorf("%s: got %d, %v, want %d", address, got, err, want)
		}
	}
	for _, ip := range []string{"10.0.0.1", "169.254.169.254", "100.64.0.1", "fd00::1", "::ffff:192.168.1.1"} {
		to.Store(netip.MustParseAddr(ip).Unmap())
		if got, err := get("https://files.example:" + port + "/end"); !errors.Is(err, safedial.ErrRefused) {
			t.Errorf("a name that leads to %s: got %d, %v", ip, got, err)
		}
	}
	for _, address := range []string{"http://files.example/", "https://user@127.0.0.1:" + port + "/end", "https://10.0.0.1/", "https://files.example:22/", "ftp://files.example/", "https://files.localhost/"} {
		if got, err := get(address); !errors.Is(err, safedial.ErrRefused) || strings.Contains(errors.Unwrap(err).Error(), "files") {
			t.Errorf("%s: got %d, %v", address, got, err)
		}
	}
}

// Rules: M156.
func TestClient_FollowsNoRedirect(t *testing.T) {
	var other atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { other.Add(1) }))
	t.Cleanup(inside.Close)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, inside.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(s.Close)
	res, err := safedial.Client(safedial.Options{Loopback: true}).Post(s.URL, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusTemporaryRedirect || other.Load() != 0 {
		t.Errorf("%d, followed %d times", res.StatusCode, other.Load())
	}
}

func TestClient_BoundsTheHead(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Large", strings.Repeat("x", 64<<10)) }))
	t.Cleanup(s.Close)
	res, err := safedial.Client(safedial.Options{Loopback: true}).Get(s.URL)
	if err == nil {
		_ = res.Body.Close()
		t.Error("a head of 64 KiB was taken")
	}
}

func TestClient_TLS(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
	t.Cleanup(s.Close)
	pool := s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	res, err := safedial.Client(safedial.Options{Loopback: true, Roots: pool}).Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	c := safedial.Client(safedial.Options{Loopback: true})
	if res, err := c.Get(s.URL); err == nil {
		_ = res.Body.Close()
		t.Error("a certificate of an unknown authority was accepted")
	}
	c.CloseIdleConnections()
}

func TestOptions_Check(t *testing.T) {
	public, dev := safedial.Options{}, safedial.Options{Loopback: true}
	for address, want := range map[string][2]bool{ // in production, in dev
		"https://shop.example/hooks?a=b": {true, true}, "https://shop.example:8443/": {true, true}, "https://93.184.216.34/": {true, true}, "https://[2606:2800:220:1::1]/": {true, true},
		"https://café.example/hook": {true, true}, "https://CAFE\u0301.example:8443/": {true, true}, "https://xn--caf-dma.example/": {true, true},
		"https://-é.example/": {}, "https://☃.example/": {}, "https://é..example/": {}, "https://１０.0.0.1/": {}, "https://１２７。0.0.1/": {false, true},
		"http://localhost:3000/hook": {false, true}, "http://127.0.0.1:3000": {false, true}, "http://[::1]:3000": {false, true}, "https://127.0.0.1/": {false, true},
		"http://shop.example/": {false, false}, "http://10.0.0.1/": {false, false}, "https://10.0.0.1/": {false, false}, "https://169.254.169.254/": {false, false}, "https://[::ffff:10.0.0.1]/": {false, false},
		"": {}, "shop.example": {}, "/hook": {}, "https://": {}, "https:///hook": {}, "https://:443/": {}, "ftp://shop.example/": {}, "javascript:alert(1)": {}, "https:shop.example": {},
		"https://user:pass@shop.example/": {}, "https://shop.example/#part": {}, "https://shop.example/" + strings.Repeat("x", 2048): {}, "https://shop.example/%zz": {}, "https://shop\n.example/": {},
	} {
		for i, o := range []safedial.Options{public, dev} {
			if err := o.Check(address); (err == nil) != want[i] {
				t.Errorf("%.60q, dev %v: %v", address, i == 1, err)
			}
		}
	}
}

func TestOptions_CheckLink(t *testing.T) {
	public, private, dev := safedial.Options{}, safedial.Options{Private: true}, safedial.Options{Loopback: true}
	for address, want := range map[string][3]bool{ // in production, with private networks, in dev
		"https://files.example/a.png?b=c#part": {true, true, true}, "https://files.example:443/": {true, true, true}, "https://files.example:8443/": {true, true, true}, "https://files.example:9000/": {true, true, true},
		"https://93.184.216.34/": {true, true, true}, "https://[2606:2800:220:1::1]/": {true, true, true}, "https://files.example./": {true, true, true}, "https://1.example/": {true, true, true}, "https://xn--bcher-kva.example/": {true, true, true}, "https://bücher.example/": {true, true, true},
		"https://１２７。1/": {}, "https://ｌocalhost/": {false, false, true}, "https://☃.example/": {},
		"https://files.example:22/": {}, "https://files.example:80/": {}, "https://files.example:0/": {}, "https://files.example:65536/": {}, "https://files.example:99999999999/": {},
		"https://10.0.0.1/": {false, true, false}, "https://10.0.0.1./": {false, true, false}, "https://192.168.1.1:9000/": {false, true, false}, "https://intranet/": {false, true, false}, "https://intranet:9000/": {false, true, false},
		"https://169.254.169.254/": {}, "https://[fe80::1%25lo]/": {}, "https://0.0.0.0/": {}, "https://[::]/": {},
		"https://2130706433/": {}, "https://0x7f000001/": {}, "https://0x7f.1/": {}, "https://0177.0.0.1/": {}, "https://127.1/": {}, "https://10.1/": {}, "https://0/": {}, "https://0x/": {}, "https://files.example.0x/": {},
		"https://127.0.0.1/": {false, false, true}, "https://localhost/": {false, false, true}, "https://localhost./": {false, false, true}, "https://files.localhost/": {}, "https://LOCALHOST/": {false, false, true},
		"http://127.0.0.1:80/": {false, false, true}, "http://localhost:3000/a.png": {false, false, true}, "http://[::1]:3000/": {false, false, true}, "https://[::1]/": {false, false, true}, "https://[::ffff:127.0.0.1]/": {false, false, true},
		"http://files.example/": {}, "ftp://files.example/": {}, "https://a:b@files.example/": {}, "": {}, "a.png": {},
	} {
		for i, o := range []safedial.Options{public, private, dev} {
			if err := o.CheckLink(address); (err == nil) != want[i] {
				t.Errorf("%.60q, %d: %v, want it taken: %v", address, i, err, want[i])
			}
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("https://shop.example/hook")
	f.Add("http://127.0.0.1:3000")
	f.Add("https://[::ffff:7f00:1]/")
	f.Fuzz(func(t *testing.T, s string) {
		if (safedial.Options{}).Check(s) != nil {
			return
		}
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
			t.Fatalf("%q was let pass", s)
		}
		if ip, err := netip.ParseAddr(u.Hostname()); err == nil && (ip.Unmap().IsLoopback() || ip.Unmap().IsPrivate()) {
			t.Fatalf("%q was let pass", s)
		}
	})
}
