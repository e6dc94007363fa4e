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

	"griot/gateway/gatewaytest"
)

// Modes of a peer that aren't the provider's own: how the connection fares.
const (
	Accept     = ""
	DropBefore = "drop before" // connections are closed before TLS
	HangBefore = "hang before" // connections get no answer to their TLS hello
	DropAfter  = "drop after"  // the request is taken, the connection closed
	HangAfter  = "hang after"  // the request is taken, and nothing said
	Garbage    = "garbage"     // the request is taken; what comes back isn't HTTP
)

// Reply is what a provider answers to a request.
type Reply struct {
	Status int
	Header map[string]string
	Body   string
	Taken  *gatewaytest.Received // the message that the provider has taken with it
	Then   func() *http.Request  // makes the calls that report it to the driver: each is repeated until it is answered with 2xx
}

// Provider answers a request in a mode of its own, or in [Accept].
type Provider func(mode string, r *http.Request, body []byte) Reply

// Peer is a server on 127.0.0.1.
type Peer struct {
	URL    string // https
	CAFile string // its certificate

	t        *testing.T
	server   *httptest.Server
	provider Provider
	done     chan struct{}
	work     sync.WaitGroup

	mu      sync.Mutex
	mode    string
	release chan struct{} // closed: what hangs goes on
	reached chan struct{} // a send is kept waiting
	got     []gatewaytest.Received
	driver  http.Handler
}

// New starts a peer that ends with the test.
func New(t *testing.T, provider Provider) *Peer {
	t.Helper()
	p := &Peer{t: t, provider: provider, done: make(chan struct{}), release: make(chan struct{}), reached: make(chan struct{}, 1)}
	p.server = httptest.NewUnstartedServer(http.HandlerFunc(p.serve))
	p.server.Listener = &listener{Listener: p.server.Listener, peer: p}
	p.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.server.StartTLS()
	t.Cleanup(func() {
		close(p.done)
		p.Script(Accept)
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

// Calls tells the peer where the provider's calls to us go.
func (p *Peer) Calls(h http.Handler) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.driver = h
}

// Script sets the mode, and lets go of what hangs.
func (p *Peer) Script(mode string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = mode
	close(p.release)
	p.release = make(chan struct{})
	p.reached = make(chan struct{}, 1)
}

// Scripted returns a function that sets a mode.
func (p *Peer) Scripted(mode string) func() { return func() { p.Script(mode) } }

// Hang returns a function that sets a mode in which the peer hangs.
func (p *Peer) Hang(mode string) func() gatewaytest.Hang {
	return func() gatewaytest.Hang {
		p.Script(mode)
		p.mu.Lock()
		defer p.mu.Unlock()
		return gatewaytest.Hang{Reached: p.reached, Release: p.Scripted(Accept)}
	}
}

// Received lists what the provider has taken.
func (p *Peer) Received() []gatewaytest.Received {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.got)
}

// FarEnd returns the scripts that every provider has; the provider knows the modes "refuse",
// "refuse for now", "refuse recipient" and "refuse login".
func (p *Peer) FarEnd() gatewaytest.FarEnd {
	return gatewaytest.FarEnd{
		Accept: p.Scripted(Accept), Refuse: p.Scripted("refuse"), RefuseForNow: p.Scripted("refuse for now"),
		RefuseRecipient: p.Scripted("refuse recipient"), RefuseLogin: p.Scripted("refuse login"),
		DropBefore: p.Scripted(DropBefore), DropAfter: p.Scripted(DropAfter),
		HangBefore: p.Hang(HangBefore), HangAfter: p.Hang(HangAfter), Received: p.Received,
	}
}
