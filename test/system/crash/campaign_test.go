package crash_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/internal/seal"
	"example.com/griot/internal/verb"
	"example.com/griot/internal/waittest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/fleet/history"
	"example.com/griot/test/system/systemtest"
)

// Parts of a campaign.
const (
	campaignBatch   = 100
	campaignPersons = 20  // of a batch, with five messages each
	campaignCallers = 3   // beside each other
	campaignSingle  = 4   // each fourth request of a caller is a single message
	campaignWaiting = 400 // messages that wait, as far as is known, for which the callers wait
	campaignLooks   = 5   // messages that an operator looks at during a suspension
)

// A campaign is an account whose callers send batches beside single messages. Each request has a key, and a request that
// a kill has cut off is repeated. Others cancel messages, opt people out, and suspend the account. A campaign records a
// history. Its methods return false after the process is gone.
type campaign struct {
	t       *testing.T
	name    string // of the account and of the gateway
	id, key string // of the account
	sender  string
	address string // of the sender
	class   history.Class
	latency time.Duration // of the gateway
	took    *systemtest.Peer
	callers []*caller
	began   time.Time

	mu        sync.Mutex
	h         history.History
	suspended bool          // perhaps
	held      chan struct{} // not nil: the gateway responds after it is closed
	waiting   []waiting     // accepted, and neither called nor halted, as far as is known
	called    map[string]bool
	ended     map[string]bool // IDs of the messages of earlier histories
	persons   int
	total     map[history.Kind]int
}

// waiting is a message that waits.
type waiting struct{ id, to string }

// newCampaign adds an account with a gateway that has some settings, in addition to those that each campaign has.
// Without an address, its sender is the platform's. env are the variables of the process.
func newCampaign(p *systemtest.Dev, env []string, name, address string, class history.Class, settings string) *campaign {
	p.T.Helper()
	c := &campaign{t: p.T, name: name, address: address, class: class, took: systemtest.NewPeer(p.T), began: time.Now(), ended: map[string]bool{}, total: map[history.Kind]int{}}
	c.took.Early = c.take
	c.restart()
	for n := range campaignCallers {
		c.callers = append(c.callers, &caller{c: c, number: n})
	}
	file := filepath.Join(p.T.TempDir(), name+".yaml")
	systemtest.WriteFile(p.T, file, fmt.Sprintf(`{url: %q, headers: {X-Node: "0"}, json: {to: "{{to}}", text: "{{text}}", ref: "{{ref}}"}, id: {json: id}, deduplicates: %v, connections: 64, %s, inbound: {auth: {kind: token, token: %s, header: X-Token}, fields: {id: id, from: from, to: to, text: text}}}`, c.took.Server.URL+"/send", class == history.Deduplicates, settings, systemtest.PeerToken))
	o := p.Operator()
	o.Env = env
	o.Run("gateways", "add", name, "--kind", "httpsms", "--settings", file)
	c.id = systemtest.RunJSON[messagingverbs.Account](o, "accounts", "create", "--name", name, "--email", name+"@example.com", "--plan", "unlimited").ID
	c.key = systemtest.RunJSON[struct{ Key string }](o, "api-keys", "create", "--account", c.id).Key
	add := []string{"senders", "add", "--channel", "sms", "--gateway", name, "--address", cmp.Or(address, "22370000090")}
	if address != "" {
		add = append(add, "--account", c.id)
	}
	c.sender = systemtest.RunJSON[messagingverbs.Sender](o, add...).ID
	return c
}

// restart starts the next history.
func (c *campaign) restart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.h {
		if e := &c.h[i]; e.Kind == history.Send && e.Message != "" {
			c.ended[e.Message] = true
		}
	}
	c.waiting, c.called = nil, map[string]bool{}
	c.h = history.History{{Kind: history.Gateway, Gateway: c.name, Class: c.class}, {Kind: history.Account, Account: c.name}}
}

// now returns the time of the history, in microseconds.
func (c *campaign) now() int64 { return time.Since(c.began).Microseconds() }

// add adds an event that ends now.
func (c *campaign) add(e history.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.End = c.now()
	c.h = append(c.h, e)
	if e.Result == "" || e.Result == history.Accepted {
		c.total[e.Kind]++
	}
}

// count counts the acknowledged requests of a kind, or the other events, of all histories.
func (c *campaign) count(kind history.Kind) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total[kind]
}

// responses counts the requests with a response: batches, cancellations, and opt-outs.
func (c *campaign) responses() int {
	return c.count(history.Send)/campaignBatch + c.count(history.Cancel) + c.count(history.Stop)
}

// take is called for each request to the gateway.
func (c *campaign) take(_ int, id string) {
	ref := strings.TrimPrefix(id, "id-")
	message, _, _ := strings.Cut(ref, "-")
	c.add(history.Event{Kind: history.Call, Begin: c.now(), Gateway: c.name, Reference: ref, Message: message, Result: history.Accepted})
	c.forget(message)
	c.mu.Lock()
	c.called[message] = true
	late, held := c.ended[message], c.held
	c.mu.Unlock()
	if late {
		c.t.Errorf("%s was handed over after it had ended", message)
	}
	if held != nil {
		select {
		case <-held:
		case <-time.After(waittest.Limit):
		}
	}
	time.Sleep(c.latency)
}

// hold makes the gateway hold its responses until release.
func (c *campaign) hold() (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	held := make(chan struct{})
	c.held = held
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.held = nil
		close(held)
	})
}

// forget removes a message from those that wait.
func (c *campaign) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = slices.DeleteFunc(c.waiting, func(w waiting) bool { return w.id == id })
}

// queued returns the messages that wait, oldest first.
func (c *campaign) queued() []waiting {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.waiting)
}

// pick chooses a message that waits: any, or one of those whose turn comes next.
func (c *campaign) pick(rng *rand.Rand) (w waiting, ok bool) {
	all := c.queued()
	if len(all) == 0 {
		return w, false
	}
	if rng.IntN(2) == 0 {
		all = all[:min(len(all), 10)]
	}
	return all[rng.IntN(len(all))], true
}

// A caller sends one request after another.
type caller struct {
	c      *campaign
	number int
	n      int
	person string   // one of those in the last batch; empty: no batch was sent
	cutOff *request // it got no response
}

// A request is a batch or a single message.
type request struct {
	path, body string
	items      []history.Event // as they are recorded, without times and results
}

// next returns the next request. Some batches have a key for all messages, and others have a key in each message.
func (k *caller) next() *request {
	c := k.c
	k.n++
	key := fmt.Sprintf("%s %d %d", c.name, k.number, k.n)
	item := func(to, key string) history.Event {
		return history.Event{Kind: history.Send, Account: c.name, Gateway: c.name, Sender: c.sender, To: to, Key: key}
	}
	if k.n%campaignSingle == 0 && k.person != "" {
		return &request{"/api/send", textTo("sms", k.person, key, fmt.Sprintf(`,"idempotencyKey":%q`, key)), []history.Event{item(k.person, key)}}
	}
	c.mu.Lock()
	first := c.persons
	c.persons += campaignPersons
	c.mu.Unlock()
	r := &request{path: "/api/send/batch"}
	var bodies []string
	for n := range campaignBatch {
		k.person = fmt.Sprintf("22371%06d", first+n%campaignPersons)
		e := item(k.person, fmt.Sprint(key, ":", n))
		e.ID, e.Place = key, n+1
		more := ""
		if k.n%2 == 0 {
			more = fmt.Sprintf(`,"idempotencyKey":%q`, e.Key)
		}
		r.items, bodies = append(r.items, e), append(bodies, textTo("sms", e.To, e.Key, more))
	}
	whole := ""
	if k.n%2 == 1 {
		whole = fmt.Sprintf(`,"idempotencyKey":%q`, key)
	}
	r.body = `{"messages":[` + strings.Join(bodies, ",") + `],"continueOnError":true` + whole + `}`
	return r
}

// send sends the next request, or the last one again if it got no response.
func (k *caller) send(p *systemtest.Dev) bool {
	if k.cutOff == nil {
		k.cutOff = k.next()
	}
	q, begin := k.cutOff, k.c.now()
	r, err := k.c.call(p, q.path, q.body)
	if err != nil {
		for _, e := range q.items {
			e.Begin, e.Result = begin, history.Unknown
			k.c.add(e)
		}
		return false
	}
	k.cutOff = nil
	results, _ := r.Body["results"].([]any)
	if results == nil {
		results = slices.Repeat([]any{r.Body}, len(q.items))
	}
	for n, e := range q.items {
		e.Begin = begin
		k.c.answered(e, results[n], r)
	}
	return true
}

// answered records the response for one message.
func (c *campaign) answered(e history.Event, result any, r *systemtest.Reply) {
	m, _ := result.(map[string]any)
	e.Message, _ = m["messageId"].(string)
	code, _ := m["code"].(string)
	switch {
	case e.Message != "":
		e.Result = history.Accepted
	case code == "account_suspended", code == "recipient_opted_out":
		e.Result, e.Code = history.Refused, code
	default:
		c.t.Errorf("%s to %s: %d %v, want that it is accepted", e.Key, e.To, r.Status, result)
		return
	}
	c.add(e)
	c.mu.Lock()
	defer c.mu.Unlock()
	if m["status"] == "QUEUED" && !c.called[e.Message] {
		c.waiting = append(c.waiting, waiting{e.Message, e.To})
	}
}

func (c *campaign) call(p *systemtest.Dev, path, body string) (*systemtest.Reply, error) {
	return systemtest.Call("POST", p.BaseURL+path, body, "Authorization: Bearer "+c.key)
}

// result returns the result of a request for a response.
func result(r *systemtest.Reply, err error) history.Result {
	switch {
	case err != nil:
		return history.Unknown
	case r.Status < 300:
		return history.Accepted
	}
	return history.Refused
}

// cancel cancels a message.
func (c *campaign) cancel(p *systemtest.Dev, w waiting) bool {
	e := history.Event{Kind: history.Cancel, Begin: c.now(), Message: w.id}
	r, err := c.call(p, "/api/messages/"+w.id+"/cancel", "")
	e.Result = result(r, err)
	c.add(e)
	switch {
	case err != nil:
		return false
	case e.Result == history.Refused && r.Text("code") == "account_suspended":
		return true
	case e.Result == history.Refused && r.Text("code") != "not_cancelable":
		c.t.Errorf("canceling %s: %d %s", w.id, r.Status, r.Raw)
	}
	c.forget(w.id)
	return true
}

// stop opts a person out, by the account or by their own STOP, and looks whether their messages still wait.
func (c *campaign) stop(p *systemtest.Dev, to string, byPerson bool) bool {
	e := history.Event{Kind: history.Stop, Begin: c.now(), Account: c.name, To: to}
	var r *systemtest.Reply
	var err error
	if byPerson {
		r, err = systemtest.Call("POST", p.BaseURL+"/gateways/"+c.name+"/inbound", fmt.Sprintf(`{"id":"stop %s","from":%q,"to":%q,"text":"STOP"}`, to, to, c.address), "X-Token: "+systemtest.PeerToken)
	} else {
		r, err = c.call(p, "/api/opt-outs", fmt.Sprintf(`{"channel":"sms","address":%q}`, to))
	}
	e.Result = result(r, err)
	c.add(e)
	switch {
	case err != nil:
		return false
	case e.Result == history.Refused && r.Text("code") == "account_suspended":
		return true
	case e.Result == history.Refused:
		c.t.Errorf("the STOP of %s: %d %s", to, r.Status, r.Raw)
	}
	for _, w := range c.queued() {
		if w.to != to {
			continue
		}
		if !c.look(p, w.id) {
			return false
		}
		c.forget(w.id)
	}
	return true
}

// operator returns a client of the process for its operator.
func (c *campaign) operator(p *systemtest.Dev) (*verb.Client, error) {
	b, err := os.ReadFile(filepath.Join(p.Dir, "master.key"))
	if err != nil {
		return nil, err
	}
	key, err := seal.ParseKey(strings.TrimSpace(string(b)))
	if err != nil {
		return nil, err
	}
	return verb.NewClient(p.InternalURL, key)
}

// run runs a command of the operator.
func (c *campaign) run(p *systemtest.Dev, name string, in map[string]string) (out json.RawMessage, err error) {
	o, err := c.operator(p)
	if err != nil {
		c.t.Error(err)
		return nil, err
	}
	body, err := json.Marshal(in)
	if err == nil {
		out, err = o.Call(c.t.Context(), name, body)
	}
	if refused, ok := errors.AsType[verb.ServerError](err); ok {
		c.t.Errorf("%s: %v", name, refused)
	}
	return out, err
}

// look records that a message waits, if it does. The operator reads it, because the account might be suspended.
func (c *campaign) look(p *systemtest.Dev, id string) bool {
	e := history.Event{Kind: history.Waits, Begin: c.now(), Message: id}
	status, err := c.status(p, id)
	if status == "QUEUED" || status == "SCHEDULED" {
		c.add(e)
	}
	return err == nil
}

// status returns a message's status.
func (c *campaign) status(p *systemtest.Dev, id string) (string, error) {
	out, err := c.run(p, "messages.show", map[string]string{"id": id})
	var m messagingverbs.Message
	if err == nil {
		err = json.Unmarshal(out, &m)
	}
	return m.Status, err
}

// lookAtSome looks at messages that wait, some of them at the head of the queue.
func (c *campaign) lookAtSome(p *systemtest.Dev, rng *rand.Rand) bool {
	for range campaignLooks {
		if w, ok := c.pick(rng); ok && !c.look(p, w.id) {
			return false
		}
	}
	return true
}

// setSuspended suspends the account, or ends its suspension.
func (c *campaign) setSuspended(p *systemtest.Dev, suspended bool) bool {
	e, verbName, in := history.Event{Kind: history.Resume, Begin: c.now(), Account: c.name}, "accounts.resume", map[string]string{"account": c.id}
	if suspended {
		e.Kind, verbName, in["reason"] = history.Suspend, "accounts.suspend", "a test"
	}
	_, err := c.run(p, verbName, in)
	e.Result = result(&systemtest.Reply{}, err)
	c.add(e)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.suspended = suspended || err != nil
	return err == nil
}

// isSuspended reports whether the account might be suspended.
func (c *campaign) isSuspended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.suspended
}

// suspendBriefly suspends the account and ends the suspension, which can have begun before a kill.
func (c *campaign) suspendBriefly(p *systemtest.Dev, rng *rand.Rand) bool {
	return (c.isSuspended() || c.setSuspended(p, true)) && c.lookAtSome(p, rng) && c.lookAtSome(p, rng) && c.setSuspended(p, false)
}

// load starts the campaign's clients with forever, which calls a function until it returns false. During a suspension,
// most clients pause, because they are refused.
func (c *campaign) load(p *systemtest.Dev, forever func(func(rng *rand.Rand, n int) bool)) {
	pauses := func(rng *rand.Rand) bool { return c.isSuspended() && rng.IntN(10) > 0 }
	for _, k := range c.callers {
		forever(func(rng *rand.Rand, _ int) bool {
			return pauses(rng) || k.cutOff == nil && len(c.queued()) >= campaignWaiting || k.send(p)
		})
	}
	forever(func(rng *rand.Rand, _ int) bool {
		w, ok := c.pick(rng)
		return !ok || pauses(rng) || rng.IntN(2) > 0 || c.cancel(p, w)
	})
	forever(func(rng *rand.Rand, _ int) bool {
		w, ok := c.pick(rng)
		return !ok || rng.IntN(6) > 0 || c.stop(p, w.to, c.address != "" && rng.IntN(2) == 0)
	})
	forever(func(rng *rand.Rand, n int) bool { // at once if the process before was killed during a suspension
		return n == 0 && !c.isSuspended() || n > 0 && rng.IntN(40) > 0 || c.suspendBriefly(p, rng)
	})
}

// settle repeats the requests without a response, and records how each accepted message ended. The account must not be
// suspended.
func (c *campaign) settle(p *systemtest.Dev) {
	c.t.Helper()
	for _, k := range c.callers {
		if k.cutOff != nil && !k.send(p) {
			c.t.Fatal("a request has no response")
		}
	}
	c.mu.Lock()
	accepted := map[string]bool{}
	for i := range c.h {
		if e := &c.h[i]; e.Kind == history.Send && e.Result == history.Accepted {
			accepted[e.Message] = true
		}
	}
	c.mu.Unlock()
	for id := range accepted {
		c.add(c.final(p, id))
	}
}

// final waits until a message is done, and returns how it ended.
func (c *campaign) final(p *systemtest.Dev, id string) (e history.Event) {
	c.t.Helper()
	waittest.Until(c.t, func() error {
		e = history.Event{Kind: history.Final, Begin: c.now(), Message: id}
		r := p.Call("GET", p.BaseURL+"/api/status/"+id, "", "X-API-Key: "+c.key)
		if failure, ok := r.Body["error"].(map[string]any); ok {
			e.Code, _ = failure["code"].(string)
		}
		steps, _ := r.Body["events"].([]any)
		for _, s := range steps {
			step, _ := s.(map[string]any)
			note, _ := step["note"].(string)
			e.Delayed = e.Delayed || note == "retry" || strings.Contains(note, "unknown")
		}
		if e.Status = r.Text("status"); !slices.Contains([]string{"SENT", "DELIVERED", "FAILED", "EXPIRED", "CANCELED"}, e.Status) {
			return fmt.Errorf("%w: %d %s", systemtest.ErrNotYet, r.Status, r.Raw)
		}
		return nil
	})
	return e
}

// found returns the violations of the rules; before the messages have ended, only those of rules that don't need that.
func (c *campaign) found(ended bool) []history.Finding {
	c.mu.Lock()
	h := slices.Clone(c.h)
	c.mu.Unlock()
	return slices.DeleteFunc(history.Check(h), func(f history.Finding) bool {
		return !ended && !slices.Contains([]history.Rule{history.RuleDoubled, history.RuleCanceled, history.RuleStopped, history.RuleSuspended}, f.Rule)
	})
}

// mustHold fails the test for each violation of a rule.
func (c *campaign) mustHold(ended bool) {
	c.t.Helper()
	found := c.found(ended)
	if len(found) == 0 {
		return
	}
	for _, f := range found[:min(len(found), 20)] {
		c.t.Errorf("%s: %v", c.name, f)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	name, err := c.h.Save()
	c.t.Fatalf("%d violations, the history is %s, %v", len(found), name, err)
}
