package systemtest

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

const (
	// Nodes is the number of nodes of a deployment.
	Nodes = 3
	// PeerToken authenticates the peer at the nodes.
	PeerToken = "a-token-of-sixteen-or-more"
)

// Peer is an HTTP API for SMS that all nodes of a deployment use. It delivers each reference once.
type Peer struct {
	Server *httptest.Server
	Early  func(node int, id string) // called before the response to a send; can be nil

	mu    sync.Mutex
	calls []peerCall
	refs  map[string]bool
}

// NewPeer starts a peer.
func NewPeer(t *testing.T) *Peer {
	t.Helper()
	p := &Peer{refs: map[string]bool{}}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Server.Close)
	return p
}

func (p *Peer) serve(w http.ResponseWriter, r *http.Request) {
	var m struct{ Ref, Text string }
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		return // the request was cut off
	}
	node, err := strconv.Atoi(r.Header.Get("X-Node"))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	p.calls = append(p.calls, peerCall{Node: node, Ref: m.Ref, Text: m.Text, At: clock.System(), Repeated: p.refs[m.Ref]})
	p.refs[m.Ref] = true
	p.mu.Unlock()
	if p.Early != nil {
		p.Early(node, "id-"+m.Ref)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"id":%q}`, "id-"+m.Ref)
}

// Seen returns the requests so far.
func (p *Peer) Seen() []peerCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}

// Arrived returns the delivered texts in order.
func (p *Peer) Arrived() (texts []string) {
	for _, c := range p.Seen() {
		if !c.Repeated {
			texts = append(texts, c.Text)
		}
	}
	return texts
}

// Settings returns its entry in the griot.yaml of a node.
func (p *Peer) Settings(name string, node int, more string) string {
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
`, name, p.Server.URL+"/send", node, PeerToken, PeerToken) + more
}

// peerCall is one request of a node.
type peerCall struct {
	Node      int
	Ref, Text string
	At        time.Time
	Repeated  bool // the reference was known
}
