package peertest

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"example.com/griot/gateway/gatewaytest"
)

// Modes of a peer's connections. A test's handler may have other modes.
const (
	Accept     = ""
	DropBefore = "drop before" // connections are closed before TLS
	HangBefore = "hang before" // connections get no response to their TLS hello
	DropAfter  = "drop after"  // the request is accepted, the connection closed
	HangAfter  = "hang after"  // the request is accepted without a response
	Garbage    = "garbage"     // the request is accepted; the response is not HTTP
)

// Reply is a provider's response.
type Reply struct {
	Status   int
	Header   map[string]string
	Body     string
	Taken    *gatewaytest.Received // the message that the provider has accepted
	Callback func() *http.Request  // builds the webhook call that reports the message; the call is repeated until the response is 2xx
}

// Handler responds to a request in [Accept] or a mode of the test.
type Handler func(mode string, r *http.Request, body []byte) Reply

// Peer is a server on 127.0.0.1.
type Peer struct {
	URL    string // https
	CAFile string // the file of its certificate

	t       *testing.T
	server  *httptest.Server
	handler Handler
	done    chan struct{}
	work    sync.WaitGroup

	mu       sync.Mutex
	mode     string
	release  chan struct{} // closed: hanging requests continue
	reached  chan struct{} // receives a value when a request hangs
	received []gatewaytest.Received
	driver   http.Handler
}

// New starts a peer that stops with the test.
func New(t *testing.T, handler Handler) *Peer {
	t.Helper()
	p := &Peer{t: t, handler: handler, done: make(chan struct{}), release: make(chan struct{}), reached: make(chan struct{}, 1)}
	p.server = httptest.NewUnstartedServer(http.HandlerFunc(p.serve))
	p.server.Listener = &listener{Listener: p.server.Listener, peer: p}
	p.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.server.StartTLS()
	t.Cleanup(func() {
		close(p.done)
		p.SetMode(Accept)
		p.server.CloseClientConnections()
		p.server.Close()
		p.work.Wait()
	})
	p.URL, p.CAFile = p.server.URL, filepath.Join(t.TempDir(), "peer.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.server.Certificate().Raw})
	if err := os.WriteFile(p.CAFile, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// SetDriver sets the handler of the provider's webhook calls.
func (p *Peer) SetDriver(h http.Handler) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.driver = h
}

// SetMode sets the mode, and releases requests that hang.
func (p *Peer) SetMode(mode string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = mode
	close(p.release)
	p.release = make(chan struct{})
	p.reached = make(chan struct{}, 1)
}

// Script returns a function that sets a mode.
func (p *Peer) Script(mode string) func() { return func() { p.SetMode(mode) } }

// Hang returns a function that sets [HangBefore] or [HangAfter].
func (p *Peer) Hang(mode string) func() gatewaytest.Hang {
	return func() gatewaytest.Hang {
		p.SetMode(mode)
		p.mu.Lock()
		defer p.mu.Unlock()
		return gatewaytest.Hang{Reached: p.reached, Release: p.Script(Accept)}
	}
}

// Received lists the messages that the provider has accepted.
func (p *Peer) Received() []gatewaytest.Received {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.received)
}

// Provider returns the scripts that every provider has. The handler must support the modes "refuse", "refuse for
// now", "refuse recipient", and "refuse login".
func (p *Peer) Provider() gatewaytest.Provider {
	return gatewaytest.Provider{
		Accept: p.Script(Accept), Refuse: p.Script("refuse"), RefuseForNow: p.Script("refuse for now"),
		RefuseRecipient: p.Script("refuse recipient"), RefuseLogin: p.Script("refuse login"),
		DropBefore: p.Script(DropBefore), DropAfter: p.Script(DropAfter),
		HangBefore: p.Hang(HangBefore), HangAfter: p.Hang(HangAfter), Received: p.Received,
	}
}
