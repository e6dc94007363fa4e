package nodes_test

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// Three nodes over one database behave like one: the order, the pace, receipts, opt-outs, and revoked keys apply on
// every node that receives a request.
// Rules: M182.
func TestNodes_DoWhatOneDoes(t *testing.T) {
	t.Parallel()
	f := startCluster(t, map[string]string{"order": "", "pace": "      rate: 10\n", "receipts": "", "changes": ""})
	t.Run("order", f.checkOrder)
	t.Run("pace", f.checkPace)
	t.Run("receipts", f.checkReceipts)
	t.Run("changes", f.checkChanges)
}

// checkOrder sends to one person through the nodes in turn.
func (f *cluster) checkOrder(t *testing.T) {
	const n = 60
	var sent []string
	for i := range n {
		text := fmt.Sprintf("n %02d", i)
		sent = append(sent, text)
		f.sendAccepted(t, i%systemtest.Nodes, "order", "22376000001", text)
	}
	waittest.Until(t, func() error {
		if got := f.peers["order"].Arrived(); len(got) < n {
			return fmt.Errorf("%w: %d of %d arrived", systemtest.ErrNotYet, len(got), n)
		}
		return nil
	})
	if got := f.peers["order"].Arrived(); !slices.Equal(got, sent) {
		t.Errorf("they arrived in the order %v", got)
	}
}

// checkPace sends more messages at the same time than the gateway can get in a second.
func (f *cluster) checkPace(t *testing.T) {
	const n, rate = 50, 10
	var wg sync.WaitGroup
	for i := range n {
		time.Sleep(time.Second / (2 * rate)) // each node has some that could be sent immediately
		wg.Go(func() {
			if r, err := f.send(i%systemtest.Nodes, "pace", fmt.Sprintf("2237610%04d", i), fmt.Sprint("p ", i)); err != nil || r.Status != 200 && r.Status != 202 {
				t.Errorf("sending: %v, %+v", err, r)
			}
		})
	}
	wg.Wait()
	waittest.Until(t, func() error {
		if got := f.peers["pace"].Arrived(); len(got) < n {
			return fmt.Errorf("%w: %d of %d arrived", systemtest.ErrNotYet, len(got), n)
		}
		return nil
	})
	calls := f.peers["pace"].Seen()
	took := calls[len(calls)-1].At.Sub(calls[0].At)
	if got := float64(len(calls)-1) / took.Seconds(); got > rate*1.05 || got < rate/2 {
		t.Errorf("%d calls in %s: %.2f a second, want %d, and 5 %% more at most", len(calls), took, got, rate)
	}
}

// checkReceipts delivers receipts that only name the gateway's id to a node other than the sending one, before that one
// has the gateway's response.
func (f *cluster) checkReceipts(t *testing.T) {
	var mu sync.Mutex
	var failed error
	f.peers["receipts"].Early = func(node int, id string) {
		err := f.callback((node+1)%systemtest.Nodes, "receipts", "/receipts", fmt.Sprintf(`{"id":%q,"status":"delivered"}`, id))
		mu.Lock()
		failed = errors.Join(failed, err)
		mu.Unlock()
	}
	var ids []string
	for i := range 40 {
		ids = append(ids, f.sendAccepted(t, i%systemtest.Nodes, "receipts", fmt.Sprintf("2237620%04d", i), fmt.Sprint("r ", i)))
	}
	f.waitForStatus(t, 2, "receipts", "DELIVERED", ids)
	mu.Lock()
	defer mu.Unlock()
	if failed != nil {
		t.Error(failed)
	}
}

// checkChanges makes one node receive a STOP and revoke a key, which the others must notice. Package test/system/fleet
// checks how soon (M13), because its checker knows when the machine stalled.
func (f *cluster) checkChanges(t *testing.T) {
	const to = "22376300001"
	a := f.accounts["changes"]
	check := func(node int) (*systemtest.Reply, error) {
		return systemtest.Call("GET", f.nodes[node].Api+"/api/senders", "", "Authorization: Bearer "+a.secrets[1])
	}
	for n := range systemtest.Nodes { // now each of them has cached the account and both keys
		f.sendAccepted(t, n, "changes", to, fmt.Sprint("before ", n))
		if r, err := check(n); err != nil || r.Status != 200 {
			t.Fatalf("the second key on node %d: %v, %+v, want 200", n, err, r)
		}
	}
	if err := f.callback(1, "changes", "/inbound", fmt.Sprintf(`{"id":"in-1","from":%q,"to":%q,"text":"STOP"}`, to, a.sender)); err != nil {
		t.Fatal(err)
	}
	for n := range systemtest.Nodes {
		tries := 0
		waittest.Until(t, func() error {
			tries++
			r, err := f.send(n, "changes", to, fmt.Sprintf("after %d %d", n, tries))
			if err != nil || r.Text("code") != "recipient_opted_out" {
				return fmt.Errorf("node %d after STOP: %w, %+v, want recipient_opted_out", n, cmp.Or(err, systemtest.ErrNotYet), r)
			}
			return nil
		})
	}
	o := &systemtest.Operator{T: t, Dir: f.nodes[2].Cmd.Dir, Env: f.nodes[2].Cmd.Env}
	o.Run("api-keys", "revoke", "--account", a.id, a.keys[1].ID)
	for n := range systemtest.Nodes {
		waittest.Until(t, func() error {
			if r, err := check(n); err != nil || r.Status != http.StatusUnauthorized {
				return fmt.Errorf("a revoked key on node %d: %w, %+v, want 401", n, cmp.Or(err, systemtest.ErrNotYet), r)
			}
			return nil
		})
	}
}

// A node that delivers for a sender and has many waiting messages is stopped for longer than its lease, and then
// continues.
func TestNodes_OneIsStoppedForAWhile(t *testing.T) {
	t.Parallel()
	f := startCluster(t, map[string]string{"stopped": "      rate: 20\n"})
	accepted, ids := map[string]string{}, make([]string, 80)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			if r, err := f.send(0, "stopped", fmt.Sprintf("2237650%04d", i), fmt.Sprint("w ", i)); err == nil {
				ids[i] = r.Text("messageId")
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
	resume := f.stop(stopped)
	since := clock.System()
	if n := len(f.peers["stopped"].Seen()); n >= len(ids) {
		t.Fatalf("%d calls were made before the node was stopped: nothing waits", n)
	}
	rest := otherNodes(stopped)
	s := f.traffic("stopped", 300*time.Millisecond, rest...)
	f.waitForTakeover("stopped", stopped, since)
	resume()
	for i := range 10 { // its sender belongs to another node now
		text := fmt.Sprint("c ", i)
		accepted[text] = f.sendAccepted(t, stopped, "stopped", fmt.Sprintf("2237660%04d", i), text)
		time.Sleep(300 * time.Millisecond)
	}
	for text, id := range s.end() {
		accepted[text] = id
	}
	f.checkDelivered(rest[0], "stopped", accepted)
	var late []string
	for _, c := range f.peers["stopped"].Seen() {
		if c.Node == stopped && c.At.After(since.Add(time.Second)) {
			late = append(late, c.Text)
		}
	}
	if len(late) > 0 {
		t.Errorf("the node that was stopped has sent after another had taken its sender: %s", strings.Join(late, ", "))
	}
}
