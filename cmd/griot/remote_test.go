package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

const remoteSecret = "a-secret-of-at-least-32-characters"

// remoteGateway is a gateway of docs/gateway-protocol.md, whose server can be closed and started again.
type remoteGateway struct {
	t            *testing.T
	address      string
	deduplicates bool

	mu     sync.Mutex
	server *http.Server
	sent   map[string]int    // reference -> how often it was sent
	texts  map[string]string // reference -> its text
	pairs  *remotePairing    // nil: it links no numbers
	hangs  chan struct{}     // not nil: a message whose text has "hang" is answered when it is closed
}

func newRemoteGateway(t *testing.T, deduplicates bool) *remoteGateway {
	t.Helper()
	f := &remoteGateway{t: t, address: "127.0.0.1:0", deduplicates: deduplicates, sent: map[string]int{}, texts: map[string]string{}}
	f.listen()
	t.Cleanup(f.close)
	return f
}

// listen starts its server, at the address that it had before.
func (f *remoteGateway) listen() {
	f.t.Helper()
	l, err := (&net.ListenConfig{}).Listen(f.t.Context(), "tcp", f.address)
	if err != nil {
		f.t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(f.serve)}
	s.SetKeepAlivesEnabled(false)
	f.mu.Lock()
	f.address, f.server = l.Addr().String(), s
	f.mu.Unlock()
	go func() { _ = s.Serve(l) }()
}

// close closes the server, with every connection.
func (f *remoteGateway) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = f.server.Close()
}

func (f *remoteGateway) serve(w http.ResponseWriter, r *http.Request) {
	answer := func(status int, format string, args ...any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, format, args...)
	}
	ref, query := strings.CutPrefix(r.URL.Path, "/messages/")
	switch {
	case r.URL.Path == "/info":
		answer(200, `{"protocol":1,"deduplicates":%v,"pairing":%v}`, f.deduplicates, f.pairs != nil)
	case r.URL.Path == "/pair" && f.pairs != nil:
		answer(200, "%s", f.pairs.serve(r))
	case query:
		f.mu.Lock()
		n := f.sent[ref]
		f.mu.Unlock()
		if n == 0 {
			answer(404, `{"error":{"class":"permanent","code":"never_seen"}}`)
			return
		}
		answer(200, `{"reference":%q,"providerId":%q}`, ref, "p_"+ref)
	case r.URL.Path == "/send":
		var m struct{ Reference, Text string }
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			return // cut off
		}
		f.mu.Lock()
		f.sent[m.Reference]++
		f.texts[m.Reference] = m.Text
		hangs := f.hangs
		f.mu.Unlock()
		if hangs != nil && strings.Contains(m.Text, "hang") {
			select {
			case <-hangs:
			case <-r.Context().Done():
				return
			}
		}
		answer(200, `{"reference":%q,"providerId":%q}`, m.Reference, "p_"+m.Reference)
	default:
		answer(404, `{}`)
	}
}

// settings returns its entry in griot.yaml.
func (f *remoteGateway) settings(name, channel string) string {
	return fmt.Sprintf(`
  - name: %s
    kind: remote
    settings: {url: "http://%s", channels: [%s], info_interval: 3600, keys: [{id: k1, secret: %s}]}
`, name, f.address, channel, remoteSecret)
}

// json returns its settings for griot admin and griot init.
func (f *remoteGateway) json(channel string) []byte {
	return fmt.Appendf(nil, `{"url":"http://%s","channels":[%q],"info_interval":3600,"keys":[{"id":"k1","secret":%q}]}`, f.address, channel, remoteSecret)
}

// delivered returns how often each text was sent, and under how many references.
func (f *remoteGateway) delivered() (sent map[string]int, refs map[string]int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	sent, refs = map[string]int{}, map[string]int{}
	for ref, text := range f.texts {
		sent[text] += f.sent[ref]
		refs[text]++
	}
	return sent, refs
}

// dial opens a connection that a test may cut.
func dial(t *testing.T, url string) net.Conn {
	t.Helper()
	var d net.Dialer
	c, err := d.DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}
