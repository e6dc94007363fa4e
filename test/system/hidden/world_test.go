package hidden_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/test/system/systemtest"
)

const (
	verifier = "a-verifier-of-forty-three-characters-or-more-x"
	redirect = "http://127.0.0.1:1/callback"
)

func now() int64 { return clock.System().Unix() }

// eachDatabase runs a test with an empty database of each kind.
func eachDatabase(t *testing.T, test func(t *testing.T, database string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, dbtest.PostgresURL(t)) })
}

// world is a deployment with a number for logins and an account's sender, both at Meta. The account also sends SMS.
type world struct {
	t         *testing.T
	database  string
	settings  string
	masterKey string
	meta      *graph // nil: the numbers are at another gateway
	sms       *systemtest.Peer
	hook      *systemtest.WebhookServer
	accountID string
	key       string // of the account
	tenantID  string
	clientID  string
}

func newWorld(t *testing.T, database string) *world {
	t.Helper()
	meta := newGraph(t)
	w := newWorldWith(t, database, "meta", meta.settings())
	w.meta = meta
	return w
}

// newWorldWith returns a deployment like [newWorld], with another gateway than Meta's for both numbers.
func newWorldWith(t *testing.T, database, whatsApp, settings string) *world {
	t.Helper()
	w := &world{t: t, database: database, masterKey: seal.NewMasterKey(), sms: systemtest.NewPeer(t), hook: systemtest.NewWebhookServer(t, systemtest.AcceptsAll)}
	w.settings = fmt.Sprintf("  receivers: [{phone_id: p1, number: %q, gateway: %s, secret: %s}]\n  ask_for_number: true\nwebhooks: {allow: [%q]}\ngateways:", receiver, whatsApp, systemtest.RemoteSecret, strings.TrimSuffix(w.hook.Url, "/hook")) +
		settings + w.sms.Settings("sms", 0, "")
	d, err := db.Open(t.Context(), database)
	systemtest.Must(t, err)
	defer func() { systemtest.Must(t, d.Close()) }()
	_, err = d.Migrate(t.Context())
	systemtest.Must(t, err)
	directory := account.NewDirectory(d, clock.System)
	a, err := directory.Create(t.Context(), &account.Spec{Name: "Boutique", Email: "boutique@example.com", Plan: "business", Senders: []account.Sender{
		{Channel: gateway.WhatsApp, Address: ours, Gateway: whatsApp}, {Channel: gateway.SMS, Address: ours, Gateway: "sms"},
	}})
	systemtest.Must(t, err)
	w.accountID = a.ID
	w.key, err = directory.CreateKey(t.Context(), a.ID, "", account.Live)
	systemtest.Must(t, err)
	tenants := tenant.New(d, clock.System)
	owner, err := tenants.CreateTenant(t.Context(), "Boutique")
	systemtest.Must(t, err)
	client, _, err := tenants.CreateClient(t.Context(), owner.ID, tenant.Public, tenant.Live, []string{redirect})
	systemtest.Must(t, err)
	w.tenantID, w.clientID = owner.ID, client.ClientID
	return w
}

// start starts a node.
func (w *world) start() *systemtest.Server {
	w.t.Helper()
	return systemtest.StartNode(w.t, w.database, w.settings, w.masterKey)
}

// api makes a request with the account's key, whose response must have a status.
func (w *world) api(s *systemtest.Server, want int, method, path, body string) *systemtest.Reply {
	w.t.Helper()
	r, err := systemtest.Call(method, s.Api+path, body, "X-API-Key: "+w.key)
	if err != nil || r.Status != want && (want != 200 || r.Status != 202) {
		w.t.Fatalf("%s %s %s: %v, %+v, want %d\n%s", method, path, body, err, r, want, s.Out)
	}
	return r
}

// conversation is a conversation in the list of the inbox.
type conversation struct {
	ID                                       string
	ContactPhone, ContactID, ContactUsername *string
	LastPreview                              string
	UnreadCount                              int
}

// is reports whether the contact has this number, ID, and username. Empty ones must be null.
func (c *conversation) is(number, id, username string) bool {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	return text(c.ContactPhone) == number && text(c.ContactID) == id && text(c.ContactUsername) == username
}

func (c *conversation) String() string {
	b, _ := json.Marshal(c)
	return string(b)
}

func (w *world) conversations(s *systemtest.Server) []*conversation {
	w.t.Helper()
	r := w.api(s, 200, "GET", "/api/inbox/conversations", "")
	var list struct{ Conversations []*conversation }
	systemtest.Must(w.t, json.Unmarshal([]byte(r.Raw), &list))
	return list.Conversations
}

// reportFar reports an event of the remote gateway far, whose members besides the channel and the time have a format.
func reportFar(t *testing.T, s *systemtest.Server, kind, format string, args ...any) {
	t.Helper()
	body := fmt.Sprintf(`{"type":%q,%q:{"channel":"whatsapp","at":%q,`+format+`}}`, append([]any{kind, kind, clock.System().UTC().Format(time.RFC3339Nano)}, args...)...)
	if got := systemtest.PostEvent(t, s.Api, "far", body); got != http.StatusOK {
		t.Fatalf("%s: %d, want 200\n%s", body, got, s.Out)
	}
}

// browser is a browser with a login.
type browser struct {
	*systemtest.Person
	t                *testing.T
	client, redirect string
	login            string
	words            string
}

// signIn starts a login at a node.
func (w *world) signIn(s *systemtest.Server) *browser {
	w.t.Helper()
	return signIn(w.t, s.Auth, w.clientID, redirect)
}

// signIn starts a login of a client.
func signIn(t *testing.T, auth, client, redirect string) *browser {
	t.Helper()
	b := &browser{Person: systemtest.NewPerson(t), t: t, client: client, redirect: redirect}
	sum := sha256.Sum256([]byte(verifier))
	login, service := b.StartLogin(auth + "/authorize?" + url.Values{
		"client_id": {client}, "redirect_uri": {redirect}, "state": {"0123456789abcdef"}, "code_challenge_method": {"S256"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])},
	}.Encode())
	var opened struct{ Deeplink string }
	b.Decode(b.Post(service+"/authorize/activate", service, fmt.Sprintf(`{"loginKeyId":%q}`, login)), &opened)
	link, err := url.Parse(opened.Deeplink)
	systemtest.Must(t, err)
	b.login, b.words = login, link.Query().Get("text")
	return b
}

// waitState waits until the login has a status at a login service, and is held for a reason.
func (b *browser) waitState(auth, status, held string) {
	b.t.Helper()
	waittest.Until(b.t, func() error {
		_, body, _ := b.Get(auth + "/authorize/status?loginKeyId=" + b.login)
		var m struct{ Status, Held string }
		b.Decode(body, &m)
		if m.Status != status || m.Held != held {
			return fmt.Errorf("%w: the login is %s, held %q, want %s, %q", systemtest.ErrNotYet, m.Status, m.Held, status, held)
		}
		return nil
	})
}

// signedIn exchanges the code of the proved login at a login service for a token, which must be for a number. It returns
// the subject.
func (b *browser) signedIn(auth, number string) (subject string) {
	b.t.Helper()
	b.waitState(auth, "VERIFIED", "")
	back := b.ReturnAddress(auth, b.login)
	in, err := json.Marshal(map[string]string{"grant_type": "authorization_code", "code": back.Query().Get("code"), "redirect_uri": b.redirect, "client_id": b.client, "code_verifier": verifier})
	systemtest.Must(b.t, err)
	r, err := systemtest.Call("POST", auth+"/token", string(in))
	if err != nil || r.Status != 201 {
		b.t.Fatalf("/token: %v, %+v", err, r)
	}
	profile, _ := r.Body["profile"].(map[string]any)
	if got := profile["phone_e164"]; got != number {
		b.t.Errorf("the token is for %v, want %s", got, number)
	}
	return r.Text("subject")
}
