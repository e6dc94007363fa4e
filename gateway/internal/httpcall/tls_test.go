package httpcall

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/griot/gateway"
)

func TestDo_TLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }))
	server.Config.ErrorLog = nil
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	a, e := client(t, Options{Authorities: trusted}).Do(t.Context(), post(server.URL, "a"))
	if e != nil || string(a.Body) != "a" {
		t.Fatal(a, e)
	}
	_, e = client(t, Options{}).Do(t.Context(), post(server.URL, "a"))
	wantFailure(t, e, gateway.SenderDown, CodeTLS)
	_, e = client(t, Options{Authorities: trusted}).Do(t.Context(), post(strings.Replace(server.URL, "127.0.0.1", "localhost", 1), "a"))
	wantFailure(t, e, gateway.SenderDown, CodeTLS)

	plain := newPeer(t, func(_ *peer, _ int, c net.Conn, in *bufio.Reader) {
		_, _ = in.Peek(1)
		_, _ = io.WriteString(c, "HTTP/1.1 400 "+secretWord+"\r\n\r\n")
	})
	_, e = client(t, Options{}).Do(t.Context(), post(strings.Replace(plain.url, "http:", "https:", 1), "a"))
	wantFailure(t, e, gateway.SenderDown, CodeTLS)
	dropped := newPeer(t, func(*peer, int, net.Conn, *bufio.Reader) {})
	_, e = client(t, Options{}).Do(t.Context(), post(strings.Replace(dropped.url, "http:", "https:", 1), "a"))
	wantFailure(t, e, gateway.Temporary, CodeUnavailable)
	old := newPeer(t, func(_ *peer, _ int, c net.Conn, _ *bufio.Reader) {
		_ = tls.Server(c, &tls.Config{MaxVersion: tls.VersionTLS11, Certificates: server.TLS.Certificates}).Handshake()
	})
	_, e = client(t, Options{Authorities: trusted}).Do(t.Context(), post(strings.Replace(old.url, "http:", "https:", 1), "a"))
	wantFailure(t, e, gateway.SenderDown, CodeTLS)
}

func TestDo_HangsBefore(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Run("", func(t *testing.T) {
		reached := make(chan struct{}, 1)
		p := newPeer(t, func(_ *peer, _ int, _ net.Conn, in *bufio.Reader) {
			_, _ = in.Peek(1)
			reached <- struct{}{}
			_, _ = io.Copy(io.Discard, in)
		})
		c := client(t, Options{})
		url := strings.Replace(p.url, "http:", "https:", 1)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-reached; cancel() }()
		_, e := c.Do(ctx, post(url, "a"))
		wantFailure(t, e, gateway.Temporary, CodeTimeout)
		_, e = c.Do(ctx, post(url, "a"))
		wantFailure(t, e, gateway.Temporary, CodeTimeout)
		silent := newPeer(t, func(_ *peer, _ int, _ net.Conn, in *bufio.Reader) { _, _ = io.Copy(io.Discard, in) })
		_, e = client(t, Options{Connect: 20 * time.Millisecond}).Do(t.Context(), post(strings.Replace(silent.url, "http:", "https:", 1), "a"))
		wantFailure(t, e, gateway.Temporary, CodeUnavailable)
		go func() { <-reached; _ = c.Close() }()
		_, e = c.Do(t.Context(), post(url, "b"))
		wantFailure(t, e, gateway.SenderDown, CodeClosed)
		_, e = c.Do(t.Context(), post(url, "c"))
		wantFailure(t, e, gateway.SenderDown, CodeClosed)
	})
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}
