package chaos

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway/remote"
	"example.com/griot/test/system/fleet/history"
)

const (
	gatewayToken  = "a-token-of-sixteen-or-more"
	gatewaySecret = "a-secret-of-at-least-32-characters"

	// seenAfter is the time for which the gateway with a status query doesn't know a message whose connection it has
	// closed. It is shorter than unknownWait.
	seenAfter   = 2500 * time.Millisecond
	unknownWait = 6 * time.Second

	paceSlack = 2 * time.Second
)

// gateways are providers of messages: three HTTP APIs for SMS and one of docs/gateway-protocol.md.
type gateways struct {
	rec    *recorder
	nodes  func() []*node
	server *httptest.Server
	rate   int            // calls of the paced gateway per second
	wg     sync.WaitGroup // of receipts

	mu   sync.Mutex
	rng  *rand.Rand
	seen map[string]time.Time // time at which the gateway with a status query knows a reference

	owner string // the last node that called the paced gateway; "": none
}

func newGateways(t testing.TB, rec *recorder, o *Options, nodes func() []*node) *gateways {
	t.Helper()
	g := &gateways{rec: rec, nodes: nodes, rate: max(1, o.Rate/pacedShare), rng: rand.New(rand.NewPCG(o.Seed, 1)), seen: map[string]time.Time{}}
	g.server = httptest.NewServer(g)
	t.Cleanup(func() { g.server.CloseClientConnections(); g.server.Close() })
	for name, class := range map[string]history.Class{"dedup": history.Deduplicates, "paced": history.Deduplicates, "plain": history.Neither, "asked": history.Asked} {
		e := history.Event{Kind: history.Gateway, Gateway: name, Class: class}
		if name == "paced" {
			e.Rate, e.Burst, e.Slack = float64(g.rate), 1, paceSlack.Microseconds()
		}
		rec.declare(e)
	}
	return g
}

// settings returns the gateways of a node's griot.yaml.
func (g *gateways) settings(node int) string {
	text := "gateways:\n"
	for name, more := range map[string]string{"dedup": "deduplicates: true", "paced": fmt.Sprint("deduplicates: true, rate: ", g.rate), "plain": "deduplicates: false"} {
		named := "id: id"
		if namesByReference(name) {
			named = "ref: ref"
		}
		text += fmt.Sprintf(`  - name: %s
    kind: httpsms
    settings: {url: "%s/%s/send", headers: {X-Node: "%d"}, json: {to: "{{to}}", text: "{{text}}", ref: "{{ref}}"}, id: {json: id}, %s, receipts: {auth: {kind: token, token: %s, header: X-Token}, fields: {%s, status: status}, statuses: {delivered: delivered}}}
`, name, g.server.URL, name, node, more, gatewayToken, named)
	}
	return text + fmt.Sprintf(`  - name: asked
    kind: remote
    settings: {url: "%s/asked", channels: [sms], keys: [{id: k1, secret: %s}]}
`, g.server.URL, gatewaySecret)
}

// namesByReference reports whether a gateway's receipts name messages by Griot's references. Other gateways use their
// own ids, which are the same for a repeated message.
func namesByReference(gateway string) bool { return gateway == "plain" || gateway == "asked" }

// chance returns true with a probability in thousandths.
func (g *gateways) chance(perMille int) bool { return g.upTo(1000) < perMille }

func (g *gateways) upTo(n int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rng.IntN(n)
}

// ServeHTTP implements [http.Handler].
func (g *gateways) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	ref, query := strings.CutPrefix(path, "messages/")
	switch {
	case path == "info":
		respond(w, http.StatusOK, `{"protocol":1,"deduplicates":false,"receipts":true}`)
	case query:
		g.query(w, ref)
	case path == "send":
		g.take(w, r, name)
	default:
		respond(w, http.StatusNotFound, `{}`)
	}
}

func respond(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// query responds whether a reference was seen.
func (g *gateways) query(w http.ResponseWriter, ref string) {
	g.mu.Lock()
	at, ok := g.seen[ref]
	g.mu.Unlock()
	if !ok || time.Now().Before(at) {
		respond(w, http.StatusNotFound, `{"error":{"class":"permanent","code":"never_seen"}}`)
		return
	}
	respond(w, http.StatusOK, fmt.Sprintf(`{"reference":%q,"providerId":%q}`, ref, "p-"+ref))
}

// take accepts or refuses a message. Sometimes the response is late or lost.
func (g *gateways) take(w http.ResponseWriter, r *http.Request, name string) {
	begin := g.rec.now()
	var m struct{ Ref, Reference string }
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		return // the request was cut off
	}
	ref := m.Ref + m.Reference
	id, _, _ := strings.Cut(ref, "-")
	call := history.Event{Kind: history.Call, Begin: begin, Gateway: name, Reference: ref, Message: id, Node: r.Header.Get("X-Node"), Result: history.Accepted}
	lost := g.chance(20)
	if !lost && g.chance(10) {
		call.Result = history.Refused
		g.rec.add(call)
		respond(w, http.StatusTooManyRequests, `{}`)
		return
	}
	known := time.Now()
	if lost {
		call.Result, known = history.Unknown, known.Add(seenAfter)
	}
	g.rec.add(call)
	g.mu.Lock()
	if name == "paced" {
		g.owner = call.Node
	}
	if _, again := g.seen[ref]; !again {
		g.seen[ref] = known
	}
	g.mu.Unlock()
	switch {
	case lost:
		g.report(name, id, ref, seenAfter)
		panic(http.ErrAbortHandler) // the connection is closed
	case g.chance(10):
		time.Sleep(time.Duration(200+g.upTo(1200)) * time.Millisecond)
	default:
		time.Sleep(time.Duration(1+g.upTo(10)) * time.Millisecond)
	}
	switch n := g.upTo(100); {
	case n < 10: // before the response, perhaps to another node
		g.deliver(name, id, ref)
	case n < 40:
		g.report(name, id, ref, time.Duration(g.upTo(300))*time.Millisecond)
	}
	if name == "asked" {
		respond(w, http.StatusOK, fmt.Sprintf(`{"reference":%q,"providerId":%q}`, ref, "p-"+ref))
		return
	}
	respond(w, http.StatusOK, fmt.Sprintf(`{"id":%q}`, "p-"+ref))
}

// report sends a receipt later, and repeats it until Griot has acknowledged it.
func (g *gateways) report(name, id, ref string, after time.Duration) {
	g.wg.Go(func() {
		time.Sleep(after)
		for end := time.Now().Add(time.Minute); !g.deliver(name, id, ref) && time.Now().Before(end); {
			time.Sleep(200 * time.Millisecond)
		}
	})
}

// deliver sends a receipt of delivery to one of the nodes. It reports whether the node acknowledged it.
func (g *gateways) deliver(name, id, ref string) bool {
	nodes := g.nodes()
	base := nodes[g.upTo(len(nodes))].api + "/gateways/" + name
	e := history.Event{Kind: history.Receipt, Begin: g.rec.now(), Message: id, Status: "DELIVERED", Result: history.Unknown}
	var r *reply
	var err error
	if namesByReference(name) {
		e.Reference = ref
	}
	if name == "asked" {
		body := fmt.Appendf(nil, `{"type":"receipt","receipt":{"reference":%q,"status":"delivered","at":%q}}`, ref, time.Now().UTC().Format(time.RFC3339))
		h := http.Header{}
		remote.Key{ID: "k1", Secret: gatewaySecret}.Sign(h, http.MethodPost, "/events", body, time.Now())
		r, err = request(http.MethodPost, base+"/events", body, 5*time.Second, remote.HeaderKey, h.Get(remote.HeaderKey), remote.HeaderTimestamp, h.Get(remote.HeaderTimestamp), remote.HeaderSignature, h.Get(remote.HeaderSignature))
	} else {
		r, err = request(http.MethodPost, base+"/receipts", map[string]string{"id": "p-" + ref, "ref": ref, "status": "delivered"}, 5*time.Second, "X-Token", gatewayToken)
	}
	switch {
	case err != nil:
	case r.status == http.StatusOK:
		e.Result = history.Accepted
	default:
		e.Result = history.Refused
	}
	g.rec.add(e)
	return e.Result == history.Accepted
}
