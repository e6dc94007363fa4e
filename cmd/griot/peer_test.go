package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"example.com/griot/internal/clock"
)

// peer is an HTTP API for SMS that all nodes of a deployment use. It delivers a reference once.
type peer struct {
	server *httptest.Server
	early  func(node int, id string) // called before a send is answered; nil: nothing

	mu    sync.Mutex
	calls []peerCall
	refs  map[string]bool
}

// peerCall is one request of a node.
type peerCall struct {
	node      int
	ref, text string
	at        time.Time
	repeated  bool // the reference was known
}

func newPeer(t *testing.T) *peer {
	t.Helper()
	p := &peer{refs: map[string]bool{}}
	p.server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.server.Close)
	return p
}

func (p *peer) serve(w http.ResponseWriter, r *http.Request) {
	var m struct{ Ref, Text string }
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		return // cut off
	}
	node, err := strconv.Atoi(r.Header.Get("X-Node"))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	p.calls = append(p.calls, peerCall{node: node, ref: m.Ref, text: m.Text, at: clock.System(), repeated: p.refs[m.Ref]})
	p.refs[m.Ref] = true
	p.mu.Unlock()
	if p.early != nil {
		p.early(node, "id-"+m.Ref)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"id":%q}`, "id-"+m.Ref)
}

// seen returns the requests so far.
func (p *peer) seen() []peerCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}

// arrived returns the texts that it has delivered, in their order.
func (p *peer) arrived() (texts []string) {
	for _, c := range p.seen() {
		if !c.repeated {
			texts = append(texts, c.text)
		}
	}
	return texts
}

// settings returns its entry in the griot.yaml of a node.
func (p *peer) settings(name string, node int, more string) string {
	return fmt.Sprintf(`
  - name: %s
    kind: httpsms
    settings:
      url: %q
      headers: {X-Node: "%d"}
      json: {to: "{{to}}", text: "{{text}}", ref: "{{ref}}"}
      id: {json: id}
      deduplicates: true
      receipts: {auth: {kind: token, token: %s, header: X-Token}, fields: {id: id, status: status}, statuses: {delivered: delivered}}
      inbound: {auth: {kind: token, token: %s, header: X-Token}, fields: {id: id, from: from, to: to, text: text}}
`, name, p.server.URL+"/send", node, peerToken, peerToken) + more
}
