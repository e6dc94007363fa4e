package webhook_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/waittest"
	"example.com/griot/internal/webhook"
)

// Rules: M155.
func TestSign_TheSpecificationsVector(t *testing.T) {
	key, err := webhook.ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	webhook.Sign(h, [][]byte{key}, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if got := h.Get("webhook-signature"); got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Errorf("got %s", got)
	}
}

func TestSign_WithBothSecretsDuringARotation(t *testing.T) {
	secrets := []string{webhook.NewSecret(), webhook.NewSecret()}
	var keys [][]byte
	for _, s := range secrets {
		key, err := webhook.ParseSecret(s)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	h, body := http.Header{}, []byte(`{"event":"x"}`)
	webhook.Sign(h, keys, "evt_1", clock.System(), body)
	for _, s := range append(secrets, webhook.NewSecret()) {
		v, err := standardwebhooks.NewWebhook(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Verify(body, h); (err == nil) != (s == secrets[0] || s == secrets[1]) {
			t.Errorf("with one of %d secrets: %v", len(secrets), err)
		}
	}
}

func TestParseSecret(t *testing.T) {
	for _, s := range []string{"", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_!!", "whsec_" + strings.Repeat("A", 28), "whsec_" + strings.Repeat("A", 92)} {
		if _, err := webhook.ParseSecret(s); err == nil {
			t.Errorf("%q was accepted", s)
		}
	}
	if _, err := webhook.ParseSecret(webhook.WriteSecret(make([]byte, 64))); err != nil {
		t.Error(err)
	}
}

func FuzzParseSecret(f *testing.F) {
	f.Add("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	f.Fuzz(func(t *testing.T, s string) {
		if key, err := webhook.ParseSecret(s); err == nil && (len(key) < 24 || len(key) > 64) {
			t.Fatalf("%q holds %d bytes", s, len(key))
		}
	})
}

func TestTiming_Next(t *testing.T) {
	for name, timing := range map[string]webhook.Timing{"standard": webhook.StandardTiming(), "short": webhook.ShortTiming()} {
		if len(timing.Schedule) != 10 {
			t.Errorf("%s: %d attempts", name, len(timing.Schedule))
		}
		least, most := time.Hour*1000, time.Duration(0)
		for range 2000 {
			wait, ok := timing.Next(3, 0)
			least, most = min(least, wait), max(most, wait)
			if !ok || wait < timing.Schedule[3]*8/10 || wait > timing.Schedule[3]*12/10 {
				t.Fatalf("%s: %s", name, wait)
			}
		}
		if most-least < timing.Schedule[3]/4 {
			t.Errorf("%s: always about %s", name, most)
		}
		if _, ok := timing.Next(10, 0); ok {
			t.Errorf("%s: an eleventh attempt", name)
		}
	}
	if wait, _ := webhook.StandardTiming().Next(1, time.Hour); wait != time.Hour {
		t.Errorf("asked for an hour, it waits %s", wait)
	}
	if wait, _ := webhook.StandardTiming().Next(1, 100*time.Hour); wait != 24*time.Hour {
		t.Errorf("asked for 100 hours, it waits %s", wait)
	}
}

// pipes returns a client whose connections are served by serve, byte by byte, without a buffer in between.
func pipes(t *testing.T, serve func(net.Conn)) *http.Client {
	t.Helper()
	var work sync.WaitGroup
	t.Cleanup(work.Wait)
	tr := &http.Transport{DisableCompression: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		t.Cleanup(func() { _ = there.Close() })
		work.Go(func() { serve(there) })
		return here, nil
	}}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// readRequest reads one request.
func readRequest(c net.Conn) {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err == nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
}

func post(c *http.Client, url string, timeout time.Duration) webhook.Result {
	p := &webhook.Poster{Client: c, Now: clock.System, Timeout: timeout, Agent: "Griot/test"}
	return p.Post(context.Background(), &webhook.Request{URL: url, EventID: "evt_1", Type: "application/json", Body: []byte("{}"), Keys: [][]byte{make([]byte, 32)}})
}

func TestPost_ReadsLittleOfALargeAnswer(t *testing.T) {
	var sent atomic.Int64
	ended := make(chan struct{})
	c := pipes(t, func(c net.Conn) {
		defer close(ended)
		readRequest(c)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10485760\r\n\r\n")
		block := []byte(strings.Repeat("é", 2048))
		for sent.Load() < 10<<20 {
			n, err := c.Write(block)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	})
	r := post(c, "http://endpoint.example/", waittest.Limit)
	<-ended
	if r.Class != webhook.OK || r.Status != 200 || r.Answer != strings.Repeat("é", 512) {
		t.Errorf("%s %d, %d bytes of answer", r.Class, r.Status, len(r.Answer))
	}
	if n := sent.Load(); n > 32<<10 {
		t.Errorf("it read %d bytes", n)
	}
}

func TestPost_Outcomes(t *testing.T) {
	answer := func(text string) func(net.Conn) {
		return func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, text)
			_ = c.Close()
		}
	}
	drips := func(begin string) func(net.Conn) {
		return func(c net.Conn) {
			readRequest(c)
			_, err := io.WriteString(c, begin)
			for ; err == nil; time.Sleep(5 * time.Millisecond) {
				_, err = io.WriteString(c, "x")
			}
		}
	}
	hangs := func(c net.Conn) {
		readRequest(c)
		_, _ = c.Read(make([]byte, 1)) // until the client closes the connection
	}
	for name, tc := range map[string]struct {
		serve  func(net.Conn)
		class  webhook.Class
		status int
		asked  time.Duration
	}{
		"200":                    {answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), webhook.OK, 200, 0},
		"204":                    {answer("HTTP/1.1 204 No\r\n\r\n"), webhook.OK, 204, 0},
		"302":                    {answer("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n"), webhook.Redirect, 302, 0},
		"400":                    {answer("HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n"), webhook.BadStatus, 400, 0},
		"410":                    {answer("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n"), webhook.Gone, 410, 0},
		"429":                    {answer("HTTP/1.1 429 Slow\r\nRetry-After: 90\r\nContent-Length: 0\r\n\r\n"), webhook.BadStatus, 429, 90 * time.Second},
		"no HTTP":                {answer("hello\r\n\r\n"), webhook.Lost, 0, 0},
		"hangs up":               {answer(""), webhook.Lost, 0, 0},
		"hangs":                  {hangs, webhook.Timeout, 0, 0},
		"does not read":          {func(c net.Conn) { time.Sleep(time.Hour); _ = c.Close() }, webhook.Timeout, 0, 0},
		"drips its head":         {drips("HTTP/1.1 200 OK\r\nX-Drip: "), webhook.Timeout, 0, 0},
		"drips its body":         {drips("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"), webhook.OK, 200, 0},
		"drips a failure's body": {drips("HTTP/1.1 500 Oh\r\nContent-Length: 100000\r\n\r\n"), webhook.BadStatus, 500, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := pipes(t, tc.serve)
				c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
				if r := post(c, "http://endpoint.example/", 10*time.Second); r.Class != tc.class || r.Status != tc.status || r.RetryAfter != tc.asked {
					t.Errorf("got %+v", r)
				}
			})
		})
	}
}

func TestPost_WhyThereIsNoConnection(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	public, dev := safedial.Client(safedial.Options{Connect: waittest.Limit}), safedial.Client(safedial.Options{Loopback: true, Connect: waittest.Limit})
	for _, tc := range []struct {
		c    *http.Client
		url  string
		want webhook.Class
	}{
		{public, secure.URL, webhook.AddressRefused},
		{public, plain.URL, webhook.AddressRefused},
		{dev, "http://127.0.0.1:1", webhook.NoConnection},
		{dev, secure.URL, webhook.BadTLS},
		{dev, "https" + strings.TrimPrefix(plain.URL, "http"), webhook.BadTLS},
		{public, "https://2130706433/", webhook.NoSuchHost},
		{public, "https://a b/", webhook.AddressRefused},
	} {
		if r := post(tc.c, tc.url, waittest.Limit); r.Class != tc.want && !(tc.want == webhook.NoSuchHost && r.Class == webhook.AddressRefused) {
			t.Errorf("%s: %s, want %s", tc.url, r.Class, tc.want)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nRetry-After: 5\r\nContent-Length: 3\r\n\r\na\x00\xff")
	f.Add("HTTP/1.1 429 No\r\nRetry-After: Wed, 04 Mar 2026 15:00:00 GMT\r\n\r\n")
	f.Add("HTTP/1.1 503 No\r\nRetry-After: 18446744073709551615\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		c := pipes(t, func(c net.Conn) { readRequest(c); _, _ = io.WriteString(c, text); _ = c.Close() })
		c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		r := post(c, "http://endpoint.example/", time.Second)
		if r.RetryAfter < 0 || r.RetryAfter > webhook.MaxRetryAfter || len(r.Answer) > 3<<10 || !utf8.ValidString(r.Answer) || strings.Contains(r.Answer, "\x00") {
			t.Fatalf("%q: %+v", text, r)
		}
	})
}
