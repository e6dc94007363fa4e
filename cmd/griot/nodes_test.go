package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"griot/gateway"
	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/db/dbtest"
	"griot/internal/seal"
	"griot/messaging/account"
)

const (
	nodes     = 3
	peerToken = "a-token-of-sixteen-or-more"
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

// cluster is a deployment of several nodes, with an account for each of its gateways.
type cluster struct {
	t        *testing.T
	nodes    []*server
	peers    map[string]*peer
	accounts map[string]*clusterAccount // by the name of its gateway
}

type clusterAccount struct {
	id, sender string
	keys       []*account.Key
	secrets    []string // of the keys
}

// startCluster starts the nodes. gateways are names, and what is added to their settings.
func startCluster(t *testing.T, gateways map[string]string) *cluster {
	t.Helper()
	f := &cluster{t: t, peers: map[string]*peer{}, accounts: map[string]*clusterAccount{}}
	database, masterKey := dbtest.PostgresURL(t), seal.NewMasterKey()
	for name := range gateways {
		f.peers[name] = newPeer(t)
	}
	f.open(database)
	for n := range nodes {
		settings := "send_wait: 100ms\ngateways:"
		for name, more := range gateways {
			settings += f.peers[name].settings(name, n, more)
		}
		f.nodes = append(f.nodes, startNode(t, database, settings, masterKey))
	}
	return f
}

// open makes an account for each gateway, with a sender there and two keys.
func (f *cluster) open(database string) {
	f.t.Helper()
	must := func(err error) {
		f.t.Helper()
		if err != nil {
			f.t.Fatal(err)
		}
	}
	d, err := db.Open(f.t.Context(), database)
	must(err)
	defer func() { must(d.Close()) }()
	_, err = d.Migrate(f.t.Context())
	must(err)
	directory := account.NewDirectory(d, clock.System)
	for name := range f.peers {
		a := &clusterAccount{sender: fmt.Sprintf("2237000%04d", len(f.accounts))}
		made, err := directory.Create(f.t.Context(), &account.Spec{
			Name: name, Email: name + "@example.com", Plan: "unlimited", Senders: []account.Sender{{Channel: gateway.SMS, Address: a.sender, Gateway: name}},
		})
		must(err)
		a.id = made.ID
		for range 2 {
			k, secret, err := directory.MakeKey(f.t.Context(), account.KeySpec{AccountID: a.id, Kind: account.Live})
			must(err)
			a.keys, a.secrets = append(a.keys, k), append(a.secrets, secret)
		}
		f.accounts[name] = a
	}
}

// send sends a text to a recipient on a node.
func (f *cluster) send(node int, name, to, text string) (*reply, error) {
	return call("POST", f.nodes[node].api+"/api/send", fmt.Sprintf(`{"channel":"sms","to":%q,"message":%q,"idempotencyKey":%q}`, to, text, text), "Authorization: Bearer "+f.accounts[name].secrets[0])
}

// sendAccepted is send, which must be accepted; it returns the message's id.
func (f *cluster) sendAccepted(t *testing.T, node int, name, to, text string) string {
	t.Helper()
	r, err := f.send(node, name, to, text)
	if err != nil {
		t.Fatal(err)
	}
	if r.status != 200 && r.status != 202 {
		t.Fatalf("%q by node %d: %d %s, want 200 or 202", text, node, r.status, r.raw)
	}
	return r.text("messageId")
}

// waitForStatus waits until messages have a status, as a node shows it.
func (f *cluster) waitForStatus(t *testing.T, node int, name, want string, ids []string, within time.Duration) {
	t.Helper()
	end := time.Now().Add(within)
	for _, id := range ids {
		eventually(t, time.Until(end), func() error {
			r, err := call("GET", f.nodes[node].api+"/api/status/"+id, "", "Authorization: Bearer "+f.accounts[name].secrets[0])
			if err != nil || r.text("status") != want {
				return fmt.Errorf("want %s: %w: %v", want, errors.Join(err, errNotYet), r)
			}
			return nil
		})
	}
}

// callback is a call of the gateway's to a node, which must be answered 200.
func (f *cluster) callback(node int, name, path, body string) error {
	r, err := call("POST", f.nodes[node].api+"/gateways/"+name+path, body, "X-Token: "+peerToken)
	if err != nil {
		return err
	}
	if r.status != http.StatusOK {
		return fmt.Errorf("%s by node %d: %d %s, want 200: %w", path, node, r.status, r.raw, errNotYet)
	}
	return nil
}

// Three nodes over one database do what one does: the order, the pace, receipts, opt-outs and revoked keys hold on whichever
// node a request comes in.
func TestNodes_DoWhatOneDoes(t *testing.T) {
	t.Parallel()
	f := startCluster(t, map[string]string{"order": "", "pace": "      rate: 10\n", "receipts": "", "changes": ""})
	t.Run("order", f.checkOrder)
	t.Run("pace", f.checkPace)
	t.Run("receipts", f.checkReceipts)
	t.Run("changes", f.checkChanges)
}

// checkOrder sends to one person by the nodes in turn.
func (f *cluster) checkOrder(t *testing.T) {
	const n = 60
	var sent []string
	for i := range n {
		text := fmt.Sprintf("n %02d", i)
		sent = append(sent, text)
		f.sendAccepted(t, i%nodes, "order", "22376000001", text)
	}
	eventually(t, 15*time.Second, func() error {
		if got := f.peers["order"].arrived(); len(got) < n {
			return fmt.Errorf("%w: %d of %d arrived", errNotYet, len(got), n)
		}
		return nil
	})
	if got := f.peers["order"].arrived(); !slices.Equal(got, sent) {
		t.Errorf("they arrived in the order %v", got)
	}
}

// checkPace sends more at once than the gateway may get in a second.
func (f *cluster) checkPace(t *testing.T) {
	const n, rate = 50, 10
	var wg sync.WaitGroup
	for i := range n {
		time.Sleep(time.Second / (2 * rate)) // each node has some that could go at once
		wg.Go(func() {
			if r, err := f.send(i%nodes, "pace", fmt.Sprintf("2237610%04d", i), fmt.Sprint("p ", i)); err != nil || r.status != 200 && r.status != 202 {
				t.Errorf("sending: %v, %+v", err, r)
			}
		})
	}
	wg.Wait()
	eventually(t, 20*time.Second, func() error {
		if got := f.peers["pace"].arrived(); len(got) < n {
			return fmt.Errorf("%w: %d of %d arrived", errNotYet, len(got), n)
		}
		return nil
	})
	calls := f.peers["pace"].seen()
	took := calls[len(calls)-1].at.Sub(calls[0].at)
	if got := float64(len(calls)-1) / took.Seconds(); got > rate*1.05 || got < rate/2 {
		t.Errorf("%d calls in %s: %.2f a second, want %d, and 5 %% more at most", len(calls), took, got, rate)
	}
}

// checkReceipts brings receipts that name only the gateway's id to another node than the one that sends, before that one has
// the gateway's answer.
func (f *cluster) checkReceipts(t *testing.T) {
	var mu sync.Mutex
	var failed error
	f.peers["receipts"].early = func(node int, id string) {
		err := f.callback((node+1)%nodes, "receipts", "/receipts", fmt.Sprintf(`{"id":%q,"status":"delivered"}`, id))
		mu.Lock()
		failed = errors.Join(failed, err)
		mu.Unlock()
	}
	var ids []string
	for i := range 40 {
		ids = append(ids, f.sendAccepted(t, i%nodes, "receipts", fmt.Sprintf("2237620%04d", i), fmt.Sprint("r ", i)))
	}
	f.waitForStatus(t, 2, "receipts", "DELIVERED", ids, 15*time.Second)
	mu.Lock()
	defer mu.Unlock()
	if failed != nil {
		t.Error(failed)
	}
}

// checkChanges has one node receive a STOP, and revoke a key, which the others must know in time.
func (f *cluster) checkChanges(t *testing.T) {
	const within, to = 2 * time.Second, "22376300001"
	a := f.accounts["changes"]
	check := func(node int) (*reply, error) {
		return call("GET", f.nodes[node].api+"/api/senders", "", "Authorization: Bearer "+a.secrets[1])
	}
	for n := range nodes { // now each of them knows the account and both keys
		f.sendAccepted(t, n, "changes", to, fmt.Sprint("before ", n))
		if r, err := check(n); err != nil || r.status != 200 {
			t.Fatalf("the second key on node %d: %v, %+v, want 200", n, err, r)
		}
	}
	if err := f.callback(1, "changes", "/inbound", fmt.Sprintf(`{"id":"in-1","from":%q,"to":%q,"text":"STOP"}`, to, a.sender)); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(within)
	for n := range nodes {
		tries := 0
		eventually(t, time.Until(deadline), func() error {
			tries++
			r, err := f.send(n, "changes", to, fmt.Sprintf("after %d %d", n, tries))
			if err != nil || r.text("code") != "recipient_opted_out" {
				return fmt.Errorf("node %d after STOP: %w, %+v, want recipient_opted_out", n, cmp.Or(err, errNotYet), r)
			}
			return nil
		})
	}
	o := &operator{t: t, dir: f.nodes[2].cmd.Dir, env: f.nodes[2].cmd.Env}
	o.run("api-keys", "revoke", "--account", a.id, a.keys[1].ID)
	deadline = time.Now().Add(within)
	for n := range nodes {
		eventually(t, time.Until(deadline), func() error {
			if r, err := check(n); err != nil || r.status != http.StatusUnauthorized {
				return fmt.Errorf("a revoked key on node %d: %w, %+v, want 401", n, cmp.Or(err, errNotYet), r)
			}
			return nil
		})
	}
}

// traffic is clients that send to some recipients by some nodes until it is stopped. What is not accepted is repeated under
// the same key.
type traffic struct {
	f    *cluster
	name string
	stop chan struct{}
	wg   sync.WaitGroup

	mu       sync.Mutex
	accepted map[string]string // text -> message id
}

// traffic starts a client for each node, that sends a message each pause.
func (f *cluster) traffic(name string, pause time.Duration, by ...int) *traffic {
	s := &traffic{f: f, name: name, stop: make(chan struct{}), accepted: map[string]string{}}
	for _, first := range by {
		s.wg.Go(func() {
			for i := 0; ; i++ {
				text := fmt.Sprintf("s %d %d", first, i)
				for n := range by { // its node, then the others
					if s.send(by[(slices.Index(by, first)+n)%len(by)], text, i) {
						break
					}
				}
				select {
				case <-s.stop:
					return
				case <-time.After(pause):
				}
			}
		})
	}
	return s
}

func (s *traffic) send(node int, text string, i int) bool {
	r, err := s.f.send(node, s.name, fmt.Sprintf("2237640%04d", i%8), text)
	if err != nil || r.status != 200 && r.status != 202 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accepted[text] = r.text("messageId")
	return true
}

// end stops the clients, and returns what was accepted.
func (s *traffic) end() map[string]string {
	close(s.stop)
	s.wg.Wait()
	return s.accepted
}

// check fails unless each accepted message is SENT, and was delivered under one reference.
func (f *cluster) checkDelivered(node int, name string, accepted map[string]string) {
	f.t.Helper()
	var ids []string
	for _, id := range accepted {
		ids = append(ids, id)
	}
	f.waitForStatus(f.t, node, name, "SENT", ids, 45*time.Second)
	count := map[string]int{}
	for _, text := range f.peers[name].arrived() {
		count[text]++
	}
	for text, n := range count {
		if n != 1 {
			f.t.Errorf("%q was delivered %d times, want once", text, n)
		}
	}
	for text := range accepted {
		if count[text] == 0 {
			f.t.Errorf("%q was accepted, and never delivered", text)
		}
	}
}

// owner waits until a number of messages has arrived, and returns the node that sent the last.
func (f *cluster) owner(name string, after int) int {
	f.t.Helper()
	eventually(f.t, 15*time.Second, func() error {
		if got := len(f.peers[name].seen()); got < after {
			return fmt.Errorf("%w: %d arrived, want %d", errNotYet, got, after)
		}
		return nil
	})
	calls := f.peers[name].seen()
	return calls[len(calls)-1].node
}

// otherNodes returns the nodes but one.
func otherNodes(node int) (out []int) {
	for n := range nodes {
		if n != node {
			out = append(out, n)
		}
	}
	return out
}

// waitForTakeover waits until another node sends for a sender, and returns how long that took.
func (f *cluster) waitForTakeover(name string, but int, since time.Time, within time.Duration) {
	f.t.Helper()
	eventually(f.t, within, func() error {
		for _, c := range f.peers[name].seen() {
			if c.node != but && c.at.After(since) && !c.repeated {
				f.t.Logf("another node went on after %s", c.at.Sub(since).Round(time.Millisecond))
				return nil
			}
		}
		return fmt.Errorf("%w: no other node has sent for %s", errNotYet, within)
	})
}

// A node is killed that delivers for a sender, under traffic.
func TestNodes_OneIsKilled(t *testing.T) {
	t.Parallel()
	f := startCluster(t, map[string]string{"killed": ""})
	s := f.traffic("killed", 20*time.Millisecond, 0, 1, 2)
	gone := f.owner("killed", 60)
	if err := f.nodes[gone].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	since := clock.System()
	f.waitForTakeover("killed", gone, since, 20*time.Second)
	time.Sleep(time.Second) // with the new owner
	f.checkDelivered(otherNodes(gone)[0], "killed", s.end())
}

// A node is stopped that delivers for a sender and has many that wait, for longer than its lease; then it goes on.
func TestNodes_OneIsStoppedForAWhile(t *testing.T) {
	t.Parallel()
	f := startCluster(t, map[string]string{"stopped": "      rate: 20\n"})
	accepted, ids := map[string]string{}, make([]string, 80)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			if r, err := f.send(0, "stopped", fmt.Sprintf("2237650%04d", i), fmt.Sprint("w ", i)); err == nil {
				ids[i] = r.text("messageId")
			}
		})
	}
	wg.Wait()
	for i, id := range ids {
		if id == "" {
			t.Fatalf("message %d was not accepted", i)
		}
		accepted[fmt.Sprint("w ", i)] = id
	}
	stopped := f.owner("stopped", 10)
	signal := func(s os.Signal) {
		t.Helper()
		if err := f.nodes[stopped].cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	signal(syscall.SIGSTOP)
	since := clock.System()
	if n := len(f.peers["stopped"].seen()); n >= len(ids) {
		t.Fatalf("%d calls were made before the node was stopped: nothing waits", n)
	}
	rest := otherNodes(stopped)
	s := f.traffic("stopped", 300*time.Millisecond, rest...)
	f.waitForTakeover("stopped", stopped, since, 20*time.Second)
	signal(syscall.SIGCONT)
	for i := range 10 { // its sender is another node's now
		text := fmt.Sprint("c ", i)
		accepted[text] = f.sendAccepted(t, stopped, "stopped", fmt.Sprintf("2237660%04d", i), text)
		time.Sleep(300 * time.Millisecond)
	}
	for text, id := range s.end() {
		accepted[text] = id
	}
	f.checkDelivered(rest[0], "stopped", accepted)
	var late []string
	for _, c := range f.peers["stopped"].seen() {
		if c.node == stopped && c.at.After(since.Add(time.Second)) {
			late = append(late, c.text)
		}
	}
	if len(late) > 0 {
		t.Errorf("the node that was stopped has sent after another had taken its sender: %s", strings.Join(late, ", "))
	}
}
