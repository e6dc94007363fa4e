package hidden_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

const (
	appSecret  = "balafonSecret"
	receiver   = "22370000099" // people send the words of logins to it
	receiverID = "106540352242922"
	ours       = "22370000001" // the account's sender
	oursID     = "106540352242923"
	awa        = "22376000001"
	awaID      = "ML.9001"
	binID      = "ML.9002"
)

// graph is Meta's API. It accepts every message.
type graph struct {
	url string

	mu    sync.Mutex
	posts []post
}

// post is a message that Griot has sent. Meta's ID of the nth one is wamid.N.
type post struct {
	From        string // our phone number ID
	To          string
	Recipient   string
	Type        string
	Callback    string `json:"biz_opaque_callback_data"`
	Interactive struct{ Type string }
}

func newGraph(t *testing.T) *graph {
	t.Helper()
	g := &graph{}
	s := httptest.NewServer(http.HandlerFunc(g.serve))
	t.Cleanup(s.Close)
	g.url = s.URL
	return g
}

func (g *graph) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	part := strings.Split(r.URL.Path, "/") // /v23.0/ID/messages
	var p post
	if len(part) != 4 || part[3] != "messages" || json.NewDecoder(r.Body).Decode(&p) != nil {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprint(w, `{"error":{"code":100}}`)
		return
	}
	p.From = part[2]
	g.mu.Lock()
	g.posts = append(g.posts, p)
	n := len(g.posts)
	g.mu.Unlock()
	who := fmt.Sprintf(`"input":%q,"user_id":%q`, p.Recipient, p.Recipient)
	if p.To != "" {
		who = fmt.Sprintf(`"input":%q,"wa_id":%q`, p.To, strings.TrimPrefix(p.To, "+"))
	}
	_, _ = fmt.Fprintf(w, `{"messaging_product":"whatsapp","contacts":[{%s}],"messages":[{"id":"wamid.%d"}]}`, who, n)
}

// sent returns the messages so far.
func (g *graph) sent() []post {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.posts)
}

// waitFor waits for n messages, and returns the last of them.
func (g *graph) waitFor(t *testing.T, n int) post {
	t.Helper()
	waittest.Until(t, func() error {
		if got := len(g.sent()); got < n {
			return fmt.Errorf("%w: %d messages at Meta, want %d", systemtest.ErrNotYet, got, n)
		}
		return nil
	})
	return g.sent()[n-1]
}

// settings returns the gateway's entry in griot.yaml.
func (g *graph) settings() string {
	return fmt.Sprintf(`
  - name: meta
    kind: cloudapi
    settings:
      base_url: %q
      access_token: EAAkora
      app_secret: %s
      verify_token: djembe
      portfolio: sahel
      phone_numbers: [{id: "%s", number: "+%s"}, {id: "%s", number: "+%s"}]
`, g.url, appSecret, receiverID, receiver, oursID, ours)
}

// webhook reports a change of one of our numbers to a node, which must respond with 200.
func webhook(t *testing.T, s *systemtest.Server, field, phoneNumberID, content string) {
	t.Helper()
	body := fmt.Sprintf(`{"object":"whatsapp_business_account","entry":[{"id":"419561257915477","changes":[{"field":%q,"value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"15550783881","phone_number_id":%q},%s}}]}]}`,
		field, phoneNumberID, content)
	mac := hmac.New(sha256.New, []byte(appSecret))
	mac.Write([]byte(body))
	r, err := systemtest.Call("POST", s.Api+"/gateways/meta/", body, "X-Hub-Signature-256: sha256="+hex.EncodeToString(mac.Sum(nil)))
	if err != nil || r.Status != http.StatusOK {
		t.Fatalf("%s %s: %v, %+v, want 200\n%s", field, content, err, r, s.Out)
	}
}

// contact returns what Meta adds to the reports of a person with a username.
func contact(id string) string {
	return fmt.Sprintf(`"contacts":[{"profile":{"name":"Awa","username":"awa.t"},"user_id":%q}]`, id)
}

// writes reports a text from a person whose number WhatsApp hides.
func writes(t *testing.T, s *systemtest.Server, to, messageID, id, text string) {
	t.Helper()
	webhook(t, s, "messages", to, contact(id)+fmt.Sprintf(`,"messages":[{"from_user_id":%q,"id":%q,"timestamp":"%d","type":"text","text":{"body":%q}}]`, id, messageID, now(), text))
}

// shares reports that a person has tapped the button of a request for the number.
func shares(t *testing.T, s *systemtest.Server, to, messageID, id, number string) {
	t.Helper()
	webhook(t, s, "messages", to, contact(id)+fmt.Sprintf(`,"messages":[{"from_user_id":%q,"id":%q,"timestamp":"%d","type":"contacts","contacts":[{"origin":"contact_request","phones":[{"phone":"+%s","wa_id":%q,"type":"CELL"}]}]}]`,
		id, messageID, now(), number, number))
}
