package cloudapi

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
)

const (
	token       = "EAAkoraToken"
	secret      = "balafonSecret"
	verify      = "djembeVerify"
	ourNumber   = "22376000001"
	ourNumberID = "106540352242922"
	other       = "22376000002"
	otherID     = "106540352242923"
	aissata     = "22370000011"
	moussa      = "22370000012"
)

// fakeGraph is a fake Graph API. It accepts requests of exactly the documented shapes.
type fakeGraph struct {
	*peertest.Peer
	t          *testing.T
	noStatuses bool   // no statuses
	whatsAppID string // of each recipient; empty: as it was given

	mu        sync.Mutex
	n         int
	posts     []map[string]any // bodies of /messages
	readMarks []string
	uploads   map[string]string                 // media id -> MIME type and bytes
	files     map[string]gatewaytest.Attachment // by id
}

func newFakeGraph(t *testing.T) *fakeGraph {
	g := &fakeGraph{t: t, uploads: map[string]string{}, files: map[string]gatewaytest.Attachment{}}
	g.Peer = peertest.New(t, g.answer)
	return g
}

// errorModes maps modes to the status and code of the response.
func errorModes() map[string][2]int {
	return map[string][2]int{
		"refuse": {400, 131051}, "refuse for now": {400, 130429}, "refuse recipient": {400, 131026}, "refuse login": {401, 190},
	}
}

func graphError(status, code int, words string) peertest.Reply {
	body, err := json.Marshal(map[string]any{"error": map[string]any{
		"message": fmt.Sprintf("(#%d) %s", code, words), "type": "OAuthException", "code": code, "fbtrace_id": "A1",
		"error_data": map[string]any{"messaging_product": "whatsapp", "details": words},
	}})
	if err != nil {
		panic(err)
	}
	return peertest.Reply{Status: status, Body: string(body)}
}

func (g *fakeGraph) answer(mode string, r *http.Request, body []byte) peertest.Reply {
	if e, ok := errorModes()[mode]; ok {
		return graphError(e[0], e[1], string(body)) // like the real API, the error contains the request
	}
	if code, ok := strings.CutPrefix(mode, "code "); ok {
		var n, sub int
		status := 400
		code, with, _ := strings.Cut(code, " with ")
		_, _ = fmt.Sscanf(code, "%d/%d", &n, &sub)
		_, _ = fmt.Sscan(with, &status)
		e := graphError(status, n, string(body))
		e.Body = strings.Replace(e.Body, `"error_data"`, fmt.Sprintf(`"error_subcode":%d,"error_data"`, sub), 1)
		return e
	}
	if codes, ok := strings.CutPrefix(mode, "text "); ok {
		code, sub, _ := strings.Cut(codes, "/")
		return peertest.Reply{Status: 400, Body: fmt.Sprintf(`{"error":{"code":%s,"error_subcode":%s}}`, code, cmp.Or(sub, "null"))}
	}
	if status, ok := strings.CutPrefix(mode, "status "); ok {
		var n int
		_, _ = fmt.Sscan(status, &n)
		return peertest.Reply{Status: n, Body: "<html>" + string(body), Header: map[string]string{"Retry-After": "9"}}
	}
	if r.Header.Get("Authorization") != "Bearer "+token {
		return graphError(401, 190, "Invalid OAuth access token "+r.Header.Get("Authorization"))
	}
	if r.URL.RawQuery != "" && r.Method != http.MethodGet {
		g.t.Errorf("a query: %s", r.URL)
	}
	version, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	id, edge, _ := strings.Cut(rest, "/")
	if version != "v23.0" || id != ourNumberID && id != otherID {
		return graphError(400, 100, "Unsupported request to "+r.URL.Path)
	}
	switch r.Method + " " + edge {
	case "POST messages":
		if mode == "garbled" {
			return peertest.Reply{Status: 200, Body: `{"messages":[{"id":`, Taken: &gatewaytest.Received{}}
		}
		return g.message(id, body)
	case "POST media":
		if mode == "no upload" {
			return peertest.Reply{Status: 502, Body: "bad gateway"}
		}
		return g.media(r.Header.Get("Content-Type"), body)
	case "GET groups":
		return g.groups(r)
	}
	return graphError(404, 2500, "Unknown path")
}

func (g *fakeGraph) message(from string, body []byte) peertest.Reply {
	var m map[string]any
	if err := json.Unmarshal(body, &m); err != nil {
		return graphError(400, 100, "not JSON")
	}
	if m["status"] == "read" {
		return g.readMark(m)
	}
	if problem := shapeProblem(m); problem != "" {
		g.t.Errorf("%s: %s", problem, body)
		return graphError(400, 100, problem)
	}
	g.mu.Lock()
	g.n++
	id := fmt.Sprintf("wamid.HBgL%04d=", g.n)
	g.posts = append(g.posts, m)
	g.mu.Unlock()
	ref, _ := m["biz_opaque_callback_data"].(string)
	to, _ := m["to"].(string)
	recipient, _ := m["recipient"].(string)
	text := ""
	if t, ok := m["text"].(map[string]any); ok {
		text, _ = t["body"].(string)
	}
	if i, ok := m["interactive"].(map[string]any); ok {
		text, _ = i["body"].(map[string]any)["text"].(string)
	}
	var media *gatewaytest.Attachment
	if kind, _ := m["type"].(string); kind != "text" && kind != "template" && kind != "interactive" {
		content, _ := m[kind].(map[string]any)
		text, _ = content["caption"].(string)
		media = g.attachment(content)
	}
	quoted, _ := m["context"].(map[string]any)
	answered, _ := quoted["message_id"].(string)
	reply := peertest.Reply{
		Status: 200, Taken: &gatewaytest.Received{Ref: ref, ProviderID: id, To: cmp.Or(strings.TrimPrefix(to, "+"), recipient), Text: text, Media: media, ReplyTo: answered},
		Body: fmt.Sprintf(`{"messaging_product":"whatsapp","contacts":[{"input":%q,"wa_id":%q}],"messages":[{"id":%q,"message_status":"accepted"}]}`, to, cmp.Or(g.whatsAppID, strings.TrimPrefix(to, "+")), id),
	}
	if recipient != "" {
		reply.Body = fmt.Sprintf(`{"messaging_product":"whatsapp","contacts":[{"input":%q,"user_id":%q}],"messages":[{"id":%q}]}`, recipient, recipient, id)
	}
	if !g.noStatuses {
		reply.Callback = func() *http.Request {
			return signedCall(envelope(from, fmt.Sprintf(`"statuses":[{"id":%q,"status":"delivered","timestamp":"1749416383","recipient_id":%q,"biz_opaque_callback_data":%q,
 "pricing":{"billable":true,"pricing_model":"PMP","category":"utility","type":"regular"}}]`, id, strings.TrimPrefix(to, "+"), ref)))
		}
	}
	return reply
}

// attachment returns the upload of a message's content. Only documents have a file name.
func (g *fakeGraph) attachment(content map[string]any) *gatewaytest.Attachment {
	id, _ := content["id"].(string)
	g.mu.Lock()
	defer g.mu.Unlock()
	a, ok := g.files[id]
	if !ok {
		return nil
	}
	a.FileName, _ = content["filename"].(string)
	return &a
}

func (g *fakeGraph) media(contentType string, body []byte) peertest.Reply {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return graphError(400, 100, "not multipart")
	}
	form, err := multipart.NewReader(bytes.NewReader(body), params["boundary"]).ReadForm(64 << 20)
	if err != nil || len(form.File["file"]) != 1 || form.Value["messaging_product"][0] != "whatsapp" {
		return graphError(400, 100, "form")
	}
	f := form.File["file"][0]
	opened, err := f.Open()
	if err != nil {
		return graphError(400, 100, "file")
	}
	content, _ := io.ReadAll(opened)
	if f.Header.Get("Content-Type") != form.Value["type"][0] {
		return graphError(400, 100, "type")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	id := fmt.Sprint(4490709327384033 + len(g.uploads))
	g.files[id] = gatewaytest.Attachment{SHA256: gatewaytest.SHA256(content), MIMEType: form.Value["type"][0]}
	g.uploads[id] = form.Value["type"][0] + " " + f.Filename + " " + string(content)
	return peertest.Reply{Status: 200, Body: `{"id":"` + id + `"}`}
}

func (g *fakeGraph) groups(r *http.Request) peertest.Reply {
	if r.URL.Query().Get("after") == "" {
		return peertest.Reply{Status: 200, Body: `{"data":{"groups":[{"id":"Y2FwaV9ncm91cDox","subject":"Équipe","total_participant_count":4,"created_at":"1"}]},"paging":{"cursors":{"after":"abc"},"next":"https://graph.test/next"}}`}
	}
	return peertest.Reply{Status: 200, Body: `{"data":{"groups":[{"id":"Y2FwaV9ncm91cDoy","subject":"Clients"}]},"paging":{"cursors":{"after":"abc"}}}`}
}

func (g *fakeGraph) lastPost() map[string]any {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.posts[len(g.posts)-1]
}

// settings returns a driver's settings for the fake.
func (g *fakeGraph) settings(change map[string]any) json.RawMessage {
	all := map[string]any{
		"base_url": g.URL, "ca_file": g.CAFile, "access_token": token, "app_secret": secret, "verify_token": verify,
		"phone_numbers": []any{map[string]any{"id": ourNumberID, "number": "+" + ourNumber}, map[string]any{"id": otherID, "number": other}},
	}
	return gatewaytest.Settings(g.t, all, change)
}

func (g *fakeGraph) open(change map[string]any) (*sender, *gatewaytest.Environment) {
	g.t.Helper()
	env := gatewaytest.NewEnvironment()
	s := gatewaytest.Open[*sender](g.t, Open, env, g.settings(change))
	g.SetDriver(s.WebhookHandler())
	return s, env
}

// envelope returns a webhook body with a change of a number.
func envelope(id, content string) string {
	return `{"object":"whatsapp_business_account","entry":[{"id":"419561257915477","changes":[{"value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"15550783881","phone_number_id":"` +
		id + `"},` + content + `},"field":"messages"}]}]}`
}

// signedCall returns a signed webhook call.
func signedCall(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Hub-Signature-256", signature(secret, body))
	return r
}

func signature(secret, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func callWebhook(s *sender, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.WebhookHandler().ServeHTTP(w, r)
	return w
}

func messageTo(to string) *gateway.Outbound {
	return &gateway.Outbound{Ref: "msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ", Channel: gateway.WhatsApp, From: ourNumber, To: to, Text: "Bonjour baobab", ExpiresAt: time.Now().Add(100 * time.Hour)}
}
