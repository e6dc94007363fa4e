package systemtest

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"example.com/griot/gateway/remote"
	"example.com/griot/internal/clock"
)

// RemoteSecret signs the requests between Griot and a remote gateway.
const RemoteSecret = "a-secret-of-at-least-32-characters"

// RemotePairing is the pairing of a remote gateway's number.
type RemotePairing struct {
	mu       sync.Mutex
	Progress string // as JSON
	methods  []string
	Canceled int
}

// Set sets the progress.
func (p *RemotePairing) Set(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Progress = fmt.Sprintf(format, args...)
}

// serve responds to /pair.
func (p *RemotePairing) serve(r *http.Request) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch r.Method {
	case http.MethodPost:
		var in struct{ Channel, From, Method string }
		if json.NewDecoder(r.Body).Decode(&in) != nil || in.Channel != "whatsapp" || in.From != "22370000099" {
			return `{}`
		}
		p.methods = append(p.methods, in.Method)
		p.Progress = `{"state":"waiting","qr":"2@first"}`
		if in.Method == "code" {
			p.Progress = `{"state":"waiting","code":"ABCD-EFGH"}`
		}
	case http.MethodDelete:
		p.Canceled++
		p.Progress = `{"state":"failed","reason":"cancelled"}`
	}
	return p.Progress
}

// RemoteGateway is a gateway of docs/gateway-protocol.md, whose server can be closed and restarted.
type RemoteGateway struct {
	t            *testing.T
	Address      string
	deduplicates bool

	Mu     sync.Mutex
	server *http.Server
	sent   map[string]int    // number of sends by reference
	Texts  map[string]string // text by reference
	ToIDs  map[string]string // WhatsApp ID of the recipient by text, if it isn't a number
	Pairs  *RemotePairing    // nil: it links no numbers
	Hangs  chan struct{}     // if not nil, the response to a message whose text has "hang" is sent after it is closed
}

// NewRemoteGateway starts a remote gateway. It delivers a repeated reference once if it
// deduplicates, and otherwise each time.
func NewRemoteGateway(t *testing.T, deduplicates bool) *RemoteGateway {
	t.Helper()
	f := &RemoteGateway{t: t, Address: "127.0.0.1:0", deduplicates: deduplicates, sent: map[string]int{}, Texts: map[string]string{}, ToIDs: map[string]string{}}
	f.Listen()
	t.Cleanup(f.Close)
	return f
}

// Listen starts its server, at its previous address.
func (f *RemoteGateway) Listen() {
	f.t.Helper()
	l, err := (&net.ListenConfig{}).Listen(f.t.Context(), "tcp", f.Address)
	if err != nil {
		f.t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(f.serve)}
	s.SetKeepAlivesEnabled(false)
	f.Mu.Lock()
	f.Address, f.server = l.Addr().String(), s
	f.Mu.Unlock()
	go func() { _ = s.Serve(l) }()
}

// Close closes the server and every connection.
func (f *RemoteGateway) Close() {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	_ = f.server.Close()
}

func (f *RemoteGateway) serve(w http.ResponseWriter, r *http.Request) {
	answer := func(status int, format string, args ...any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, format, args...)
	}
	ref, query := strings.CutPrefix(r.URL.Path, "/messages/")
	switch {
	case r.URL.Path == "/info":
		answer(200, `{"protocol":1,"deduplicates":%v,"pairing":%v,"ids":true}`, f.deduplicates, f.Pairs != nil)
	case r.URL.Path == "/pair" && f.Pairs != nil:
		answer(200, "%s", f.Pairs.serve(r))
	case query:
		f.Mu.Lock()
		n := f.sent[ref]
		f.Mu.Unlock()
		if n == 0 {
			answer(404, `{"error":{"class":"permanent","code":"never_seen"}}`)
			return
		}
		answer(200, `{"reference":%q,"providerId":%q}`, ref, "p_"+ref)
	case r.URL.Path == "/send":
		var m struct{ Reference, To, ToID, Text string }
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			return // the request was cut off
		}
		f.Mu.Lock()
		f.sent[m.Reference]++
		f.Texts[m.Reference] = m.Text
		if m.To == "" {
			f.ToIDs[m.Text] = m.ToID
		}
		hangs := f.Hangs
		f.Mu.Unlock()
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

// Settings returns its entry in griot.yaml.
func (f *RemoteGateway) Settings(name, channel string) string {
	return fmt.Sprintf(`
  - name: %s
    kind: remote
    settings: {url: "http://%s", channels: [%s], info_interval: 3600, keys: [{id: k1, secret: %s}]}
`, name, f.Address, channel, RemoteSecret)
}

// JSON returns its settings for griot admin and griot init.
func (f *RemoteGateway) JSON(channel string) []byte {
	return fmt.Appendf(nil, `{"url":"http://%s","channels":[%q],"info_interval":3600,"keys":[{"id":"k1","secret":%q}]}`, f.Address, channel, RemoteSecret)
}

// Delivered returns the number of sends, and the number of references, of each text.
func (f *RemoteGateway) Delivered() (sent map[string]int, refs map[string]int) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	sent, refs = map[string]int{}, map[string]int{}
	for ref, text := range f.Texts {
		sent[text] += f.sent[ref]
		refs[text]++
	}
	return sent, refs
}

// PostEvent posts a signed event of a remote gateway, and returns the status.
func PostEvent(t *testing.T, api, gatewayName, body string) int {
	t.Helper()
	h := http.Header{}
	remote.Key{ID: "k1", Secret: RemoteSecret}.Sign(h, "POST", "/events", []byte(body), clock.System())
	var headers []string
	for name := range h {
		headers = append(headers, name+": "+h.Get(name))
	}
	r, err := Call("POST", api+"/gateways/"+gatewayName+"/events", body, headers...)
	if err != nil {
		t.Fatal(err)
	}
	return r.Status
}
