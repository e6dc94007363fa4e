package api_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"example.com/griot/auth"
	"example.com/griot/auth/authtest"
	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/docs"
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/task"
	"example.com/griot/openapi"
	"example.com/griot/openapi/openapitest"
	"example.com/griot/web"
	"example.com/griot/web/book"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const (
	receiverID      = authtest.ReceiverID
	receiverNumber  = authtest.ReceiverNumber
	receiverGateway = authtest.ReceiverGateway
	receiverSecret  = authtest.ReceiverSecret
	otherID         = "phone-2"
	otherSecret     = "another gateway's secret"
	redirect        = authtest.Redirect
	localRedirect   = authtest.LocalRedirect
	alice           = "22376543210"
	bob             = "22365432109"
	verifier        = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	state           = "state-of-16-char"
)

// service is the auth service behind a real listener.
type service struct {
	*authtest.World
	t           testing.TB
	auth        *auth.Service
	internalURL string // of the internal one
	http        *http.Client
}

// newService starts the service on a database. Every exchange with it goes through validated.
func newService(t testing.TB, d *db.DB, change ...func(*auth.Options)) *service {
	t.Helper()
	s := &service{
		World: authtest.New(t, d), t: t,
		http: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	s.auth = s.NewService(t, append([]func(*auth.Options){func(o *auth.Options) {
		o.Book = web.NewBook(o.Pages, book.Open(docs.Files(), book.Origins{Auth: o.URL}))
	}}, change...)...)
	// As behind a proxy on this machine: X-Forwarded-For contains the client.
	s.Serve(httpx.BehindProxies([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, nil, openapitest.WrapServed(t, s.auth.Public())))
	internal := httptest.NewServer(validated(t, s.auth.Internal()))
	s.internalURL = internal.URL
	t.Cleanup(internal.Close)
	return s
}

// run runs the tasks of a server until ctx ends.
func (s *service) run(ctx context.Context) error { return task.All(ctx, s.auth.ServerTasks()...) }

// in returns the service for a part of a test.
func (s *service) in(t testing.TB) *service {
	part := *s
	part.t = t
	return &part
}

// validated checks every exchange against the OpenAPI document.
func validated(t testing.TB, next http.Handler) http.Handler {
	return openapitest.Wrap(t, openapi.Auth(), next)
}

// app is an OAuth client with its secret.
type app = authtest.Client

func (s *service) app(typ tenant.Type, mode tenant.Mode) app {
	s.t.Helper()
	return s.NewClient(s.t, typ, mode)
}

// answer is a response with its body.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) json(t testing.TB) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(a.body, &m); err != nil {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	return m
}

func (s *service) do(r *http.Request) answer {
	s.t.Helper()
	resp, err := s.http.Do(r)
	if err != nil {
		s.t.Error(err)
		return answer{header: http.Header{}}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Error(err)
	}
	return answer{resp.StatusCode, resp.Header, body}
}

func (s *service) request(method, path, body string, header ...string) *http.Request {
	s.t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = s.URL + path
	}
	r, err := http.NewRequest(method, path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// want checks that a response has a status.
func (a answer) want(t testing.TB, status int) {
	t.Helper()
	if a.status != status {
		t.Errorf("got %d %s, want %d", a.status, a.body, status)
	}
}

// must checks the status like want, and ends the test if it differs.
func (a answer) must(t testing.TB, status int) {
	t.Helper()
	if a.want(t, status); a.status != status {
		t.FailNow()
	}
}

// refused checks that a response is an Error body with a status and a code.
func (a answer) refused(t testing.TB, status int, oauthCode, code string) {
	t.Helper()
	m := a.json(t)
	if a.status != status || m["error"] != oauthCode || m["error_code"] != code {
		t.Errorf("got %d %s, want %d %s %s", a.status, a.body, status, oauthCode, code)
	}
	if ct := a.header.Get("Content-Type"); ct != "application/json" {
		t.Errorf("Content-Type %q", ct)
	}
	requestID, _ := m["request_id"].(string)
	docs, _ := m["docs_url"].(string)
	if len(m) != 5 || m["error_description"] == "" || !id.Valid(requestID) || requestID != a.header.Get("X-Request-Id") || !strings.HasSuffix(docs, "/docs/errors#"+code) {
		t.Errorf("incomplete Error body: %s", a.body)
	}
	if cc := a.header.Get("Cache-Control"); cc != "no-store" {
		t.Errorf("Cache-Control %q", cc)
	}
}

// browser stores cookies.
type browser struct {
	*service
	cookie string
	lang   string
}

func (s *service) browser() *browser { return &browser{service: s, lang: "en"} }

func (b *browser) send(r *http.Request) answer {
	b.t.Helper()
	r.Header.Set("Accept-Language", b.lang)
	if b.cookie != "" {
		r.Header.Set("Cookie", "svc_sid="+b.cookie)
	}
	a := b.do(r)
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		if c.Name == "svc_sid" {
			b.cookie = c.Value
		}
	}
	return a
}

func authorizeURL(clientID string, change ...string) string {
	q := url.Values{
		"client_id": {clientID}, "redirect_uri": {redirect}, "state": {state}, "response_type": {"code"},
		"code_challenge": {oauth.S256(verifier)}, "code_challenge_method": {"S256"},
	}
	for i := 0; i+1 < len(change); i += 2 {
		if q.Del(change[i]); change[i+1] != "-" {
			q.Set(change[i], change[i+1])
		}
	}
	return "/authorize?" + q.Encode()
}

// start opens /authorize and returns the login's id.
func (b *browser) start(a app, change ...string) string {
	b.t.Helper()
	got := b.send(b.request("GET", authorizeURL(a.ClientID, change...), ""))
	loginID, ok := strings.CutPrefix(got.header.Get("Location"), "/waiting.html?loginKeyId=")
	if got.status != http.StatusSeeOther || !ok || !id.Valid(loginID) {
		b.t.Fatalf("/authorize: %d %s", got.status, got.body)
	}
	return loginID
}

func (b *browser) post(path string, body any) answer {
	b.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.send(b.request("POST", path, string(text), "Origin", b.URL))
}

func (b *browser) poll(loginID string) map[string]any {
	b.t.Helper()
	a := b.send(b.request("GET", "/authorize/status?loginKeyId="+loginID, ""))
	if a.status != http.StatusOK {
		b.t.Fatalf("status: %d %s", a.status, a.body)
	}
	return a.json(b.t)
}

func (b *browser) words(loginID string) string { return text(b.t, b.poll(loginID), "matchingWords") }

func text(t testing.TB, m map[string]any, name string) string {
	t.Helper()
	v, ok := m[name].(string)
	if !ok {
		t.Fatalf("%s is %v in %v", name, m[name], m)
	}
	return v
}

func (b *browser) sandbox(loginID, number string) answer {
	b.t.Helper()
	return b.post("/authorize/sandbox", map[string]any{"loginKeyId": loginID, "phoneE164": number})
}

// code polls until the hand-back and returns the code.
func (b *browser) code(loginID string) string {
	b.t.Helper()
	u, err := url.Parse(text(b.t, b.poll(loginID), "redirectUrl"))
	if err != nil {
		b.t.Fatal(err)
	}
	return u.Query().Get("code")
}

func (s *service) message(messageID, from, words string) bool {
	s.t.Helper()
	taken, err := s.auth.Logins.Inbound(context.Background(), gateway.Inbound{
		ID: messageID, Gateway: receiverGateway, Channel: gateway.WhatsApp, From: from, To: receiverNumber, DisplayName: "Awa", Text: words, At: s.Clock.Now(),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return taken
}

// accepted sends a message that must belong to a login.
func (s *service) accepted(messageID, from, words string) {
	s.t.Helper()
	if !s.message(messageID, from, words) {
		s.t.Errorf("message %s from %s was not accepted", messageID, from)
	}
}

// proof returns a body of /internal/verify.
func (s *service) proof(loginID, messageID, from, words string) map[string]any {
	return map[string]any{
		"loginKeyId": loginID, "phoneE164": from, "messageId": messageID, "timestamp": s.Clock.Now().UnixMilli(),
		"receiverPhoneId": receiverID, "matchingWords": words, "displayName": "Awa",
	}
}

func sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

func (s *service) verify(proof map[string]any) answer {
	s.t.Helper()
	body, err := json.Marshal(proof)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.do(s.request("POST", s.internalURL+"/internal/verify", string(body), "X-Gateway-Signature", sign(receiverSecret, body)))
}

// exchange returns a valid TokenRequest with changes ("-" removes a field).
func exchange(a app, code string, change ...string) map[string]string {
	m := map[string]string{
		"grant_type": "authorization_code", "code": code, "client_id": a.ClientID, "redirect_uri": redirect, "code_verifier": verifier,
	}
	if a.Secret != "" {
		m["client_secret"] = a.Secret
	}
	for i := 0; i+1 < len(change); i += 2 {
		if m[change[i]] = change[i+1]; change[i+1] == "-" {
			delete(m, change[i])
		}
	}
	return m
}

func (s *service) exchange(path string, body map[string]string) answer {
	s.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.do(s.request("POST", path, string(text)))
}

// redeemed exchanges a code, which must return a token.
func (s *service) redeemed(a app, code string) answer {
	s.t.Helper()
	got := s.exchange("/token", exchange(a, code))
	if got.status != http.StatusCreated {
		s.t.Fatalf("/token: %d %s, want 201", got.status, got.body)
	}
	return got
}

func (s *service) exchangeForm(path string, body map[string]string, header ...string) answer {
	s.t.Helper()
	form := url.Values{}
	for k, v := range body {
		form.Set(k, v)
	}
	return s.do(s.request("POST", path, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, header...)...))
}

// provedLogin creates a TEST login that waits for its hand-back.
func (s *service) provedLogin(a app, number string) (*browser, string) {
	s.t.Helper()
	b := s.browser()
	loginID := b.start(a)
	if got := b.sandbox(loginID, number); got.status != http.StatusCreated {
		s.t.Fatalf("sandbox: %d %s", got.status, got.body)
	}
	return b, loginID
}

// count returns the result of a counting query.
func (s *service) count(query string, args ...any) int {
	s.t.Helper()
	return s.Count(s.t, query, args...)
}

// rows returns the amount of stored data, to check that a refused request stored nothing.
func (s *service) rows() string {
	s.t.Helper()
	var counts []string
	for _, table := range []string{"login_sessions", "login_words", "login_proofs", "profiles", "audit_events"} {
		counts = append(counts, fmt.Sprint(table, " ", s.count(`SELECT count(*) FROM `+table)))
	}
	return strings.Join(counts, ", ")
}

// storeCounts stores the counted audit events, which are in memory for a second.
func (s *service) storeCounts() {
	s.t.Helper()
	if err := s.auth.Tenants.StoreCounts(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// withLimits enables the rate limits.
func withLimits(o *auth.Options) { o.Limits = new(limit.Defaults()) }
