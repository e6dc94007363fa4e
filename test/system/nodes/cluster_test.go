package nodes_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/test/system/systemtest"
)

// cluster is a deployment of several nodes, with an account for each of its gateways.
type cluster struct {
	t        *testing.T
	database string
	nodes    []*systemtest.Server
	peers    map[string]*systemtest.Peer
	accounts map[string]*clusterAccount // by the name of its gateway
}

type clusterAccount struct {
	id, sender string
	keys       []*account.Key
	secrets    []string // of the keys
}

// startCluster starts the nodes. gateways are names, with additions to their settings.
func startCluster(t *testing.T, gateways map[string]string) *cluster {
	t.Helper()
	f := &cluster{t: t, database: dbtest.PostgresURL(t), peers: map[string]*systemtest.Peer{}, accounts: map[string]*clusterAccount{}}
	masterKey := seal.NewMasterKey()
	for name := range gateways {
		f.peers[name] = systemtest.NewPeer(t)
	}
	f.open()
	for n := range systemtest.Nodes {
		settings := "send_wait: 100ms\ngateways:"
		for name, more := range gateways {
			settings += f.peers[name].Settings(name, n, more)
		}
		f.nodes = append(f.nodes, systemtest.StartNode(t, f.database, settings, masterKey))
	}
	return f
}

// open creates an account for each gateway, with a sender there and two keys.
func (f *cluster) open() {
	f.t.Helper()
	must := func(err error) {
		f.t.Helper()
		if err != nil {
			f.t.Fatal(err)
		}
	}
	d, err := db.Open(f.t.Context(), f.database)
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

// send sends a text through a node. Its idempotency key is a header, so that the client repeats a request whose
// connection the node has just closed. A node that was stopped closes its idle connections.
func (f *cluster) send(node int, name, to, text string) (*systemtest.Reply, error) {
	return systemtest.Call("POST", f.nodes[node].Api+"/api/send", fmt.Sprintf(`{"channel":"sms","to":%q,"message":%q}`, to, text), "Authorization: Bearer "+f.accounts[name].secrets[0], "Idempotency-Key: "+text)
}

// sendAccepted sends a text like send. It must be accepted, and sendAccepted returns the message's id.
func (f *cluster) sendAccepted(t *testing.T, node int, name, to, text string) string {
	t.Helper()
	r, err := f.send(node, name, to, text)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != 200 && r.Status != 202 {
		t.Fatalf("%q by node %d: %d %s, want 200 or 202", text, node, r.Status, r.Raw)
	}
	return r.Text("messageId")
}

// waitForStatus waits until messages have a status at a node.
func (f *cluster) waitForStatus(t *testing.T, node int, name, want string, ids []string) {
	t.Helper()
	for _, id := range ids {
		waittest.Until(t, func() error {
			r, err := systemtest.Call("GET", f.nodes[node].Api+"/api/status/"+id, "", "Authorization: Bearer "+f.accounts[name].secrets[0])
			if err != nil || r.Text("status") != want {
				return fmt.Errorf("want %s: %w: %v", want, errors.Join(err, systemtest.ErrNotYet), r)
			}
			return nil
		})
	}
}

// callback is a call from the gateway to a node, whose response must be 200.
func (f *cluster) callback(node int, name, path, body string) error {
	r, err := systemtest.Call("POST", f.nodes[node].Api+"/gateways/"+name+path, body, "X-Token: "+systemtest.PeerToken)
	if err != nil {
		return err
	}
	if r.Status != http.StatusOK {
		return fmt.Errorf("%s by node %d: %d %s, want 200: %w", path, node, r.Status, r.Raw, systemtest.ErrNotYet)
	}
	return nil
}

// traffic is a group of clients that send to some recipients through some nodes until it is stopped. Messages that are
// not accepted are repeated with the same key.
type traffic struct {
	f    *cluster
	name string
	stop chan struct{}
	wg   sync.WaitGroup

	mu       sync.Mutex
	accepted map[string]string // text -> message id
}

// traffic starts a client for each node that sends a message after each pause.
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
	if err != nil || r.Status != 200 && r.Status != 202 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accepted[text] = r.Text("messageId")
	return true
}

// end stops the clients, and returns the accepted messages.
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
	f.waitForStatus(f.t, node, name, "SENT", ids)
	count := map[string]int{}
	for _, text := range f.peers[name].Arrived() {
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
	waittest.Until(f.t, func() error {
		if got := len(f.peers[name].Seen()); got < after {
			return fmt.Errorf("%w: %d arrived, want %d", systemtest.ErrNotYet, got, after)
		}
		return nil
	})
	calls := f.peers[name].Seen()
	return calls[len(calls)-1].Node
}

// otherNodes returns all nodes except one.
func otherNodes(node int) (out []int) {
	for n := range systemtest.Nodes {
		if n != node {
			out = append(out, n)
		}
	}
	return out
}

// waitForTakeover waits until another node sends for a sender, and returns how long that took.
func (f *cluster) waitForTakeover(name string, but int, since time.Time) {
	f.t.Helper()
	waittest.Until(f.t, func() error {
		for _, c := range f.peers[name].Seen() {
			if c.Node != but && c.At.After(since) && !c.Repeated {
				f.t.Logf("another node went on after %s", c.At.Sub(since).Round(time.Millisecond))
				return nil
			}
		}
		return fmt.Errorf("%w: no other node has sent", systemtest.ErrNotYet)
	})
}
