package messages_test

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db/dbtest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/systemtest"
)

// A gateway can't deliver messages to the number of another gateway, receipts of messages that it never had, or words
// to another gateway's receiver.
func TestServe_AGatewaySpeaksForItsOwnNumbersOnly(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]func() string{
		"sqlite":   func() string { return "sqlite:" + filepath.Join(t.TempDir(), "griot.db") },
		"postgres": func() string { return dbtest.PostgresURL(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			const number, receiver, silent, awa = "22370000001", "22370000099", "22370000098", "22376000001"
			receivers := fmt.Sprintf("  receivers: [{phone_id: p1, number: %q, gateway: mine, secret: %s}, {phone_id: p2, number: %q, secret: %s}]\n", receiver, systemtest.RemoteSecret, silent, systemtest.RemoteSecret)
			mine, other := systemtest.NewRemoteGateway(t, true), systemtest.NewRemoteGateway(t, true)
			s := systemtest.StartServeWith(t, database(), receivers+"gateways:"+mine.Settings("mine", "whatsapp")+other.Settings("other", "whatsapp")+"plans: off\n")
			o := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: s.Cmd.Env}

			a := systemtest.RunJSON[messagingverbs.Account](o, "accounts", "create", "--name", "Boutique Awa", "--email", "awa@example.com")
			key := "X-API-Key: " + systemtest.RunJSON[messagingverbs.Key](o, "api-keys", "create", "--account", a.ID).Key
			systemtest.RunJSON[messagingverbs.Sender](o, "senders", "add", "--account", a.ID, "--channel", "whatsapp", "--address", number, "--gateway", "mine")

			systemtest.WaitUntilConnected(t, s.Api, strings.TrimPrefix(key, "X-API-Key: "))
			sent, err := systemtest.Call("POST", s.Api+"/api/send", `{"channel":"whatsapp","to":"`+awa+`","message":"Bonjour"}`, key)
			if err != nil || sent.Status != 200 {
				t.Fatalf("%v, %d %s\n%s", err, sent.Status, sent.Raw, s.Out)
			}
			id, _ := sent.Body["messageId"].(string)
			status := func() any {
				r, err := systemtest.Call("GET", s.Api+"/api/status/"+id, "", key)
				if err != nil {
					t.Fatal(err)
				}
				return r.Body["status"]
			}
			at := clock.System().UTC().Format(time.RFC3339)
			receipt := fmt.Sprintf(`{"type":"receipt","receipt":{"reference":%q,"status":"read","at":%q}}`, id, at)
			inbound := func(id, to, text string) string {
				return fmt.Sprintf(`{"type":"inbound","inbound":{"id":%q,"channel":"whatsapp","from":%q,"to":%q,"text":%q,"at":%q}}`, id, awa, to, text, at)
			}
			post := func(gatewayName, body string) {
				t.Helper()
				if got := systemtest.PostEvent(t, s.Api, gatewayName, body); got != 200 {
					t.Fatalf("%s: %d, want 200\n%s", gatewayName, got, s.Out)
				}
			}

			post("other", receipt)
			if got := status(); got != "SENT" {
				t.Errorf("status %v by a receipt of another gateway, want SENT", got)
			}
			post("mine", receipt)
			if got := status(); got != "READ" {
				t.Errorf("status %v by a receipt of its gateway, want READ", got)
			}

			conversations := func() string {
				r, err := systemtest.Call("GET", s.Api+"/api/inbox/conversations", "", key)
				if err != nil {
					t.Fatal(err)
				}
				return r.Raw
			}
			post("other", inbound("1", number, "forged"))
			if got := conversations(); strings.Contains(got, "forged") {
				t.Errorf("another gateway wrote into the inbox: %s", got)
			}
			post("mine", inbound("1", number, "genuine"))
			if got := conversations(); !strings.Contains(got, "genuine") {
				t.Errorf("its own gateway's message is not in the inbox: %s", got)
			}

			if got := strings.Count(s.Out.String(), "a receiver names no gateway"); got != 1 {
				t.Errorf("the log warns %d times of the receiver without a gateway, want once\n%s", got, s.Out)
			}
			login := liveLogin(t, o, s.Auth)
			post("other", inbound("2", receiver, login.words))
			if got := login.status(); got != "PENDING" {
				t.Errorf("login %v by words that another gateway brought, want PENDING", got)
			}
			post("mine", inbound("2", receiver, login.words))
			if got := login.status(); got != "VERIFIED" {
				t.Errorf("login %v by words that the receiver's gateway brought, want VERIFIED", got)
			}
			second := liveLogin(t, o, s.Auth) // its receiver names no gateway
			post("mine", inbound("3", silent, second.words))
			if got := second.status(); got != "PENDING" {
				t.Errorf("login %v: its receiver has no gateway, want PENDING", got)
			}

			dropped := map[string]any{}
			for _, g := range systemtest.RunJSON[[]map[string]any](o, "gateways", "list") {
				dropped[fmt.Sprint(g["name"])] = g["dropped"]
			}
			if got, want := fmt.Sprint(dropped), "map[mine:1 other:3]"; got != want {
				t.Errorf("dropped %s, want %s", got, want)
			}
			if got := o.Run("gateways", "list"); !strings.Contains(got, "DROPPED") {
				t.Errorf("gateways list shows nothing of it:\n%s", got)
			}
			audited := map[string]int{}
			for _, e := range systemtest.RunJSON[[]authverbs.Event](o, "events") {
				if e.Type == "gateway.refused" {
					audited[e.Actor+" "+e.ErrorCode+" "+e.Phone]++
				}
			}
			if got, want := fmt.Sprint(audited), "map[gateway:mine number_not_its_own +223*****098:1 gateway:other message_not_its_own :1]"; got != want {
				t.Errorf("audit events %s, want %s", got, want)
			}
			if got := strings.Count(s.Out.String(), "dropped a message or receipt that is not the gateway's"); got != 2 {
				t.Errorf("%d lines in the log, want one of each gateway\n%s", got, s.Out)
			}
		})
	}
}

// waitingLogin is a login of a LIVE client that waits for its words.
type waitingLogin struct {
	words  string
	status func() any
}

func liveLogin(t *testing.T, o *systemtest.Operator, authURL string) waitingLogin {
	t.Helper()
	tenant := systemtest.RunJSON[authverbs.Tenant](o, "tenants", "create", "--name", "Marché")
	c := systemtest.RunJSON[authverbs.Client](o, "clients", "create", "--tenant", tenant.ID, "--type", "CONFIDENTIAL", "--mode", "LIVE", "--redirect", "https://app.example/cb")
	r, err := systemtest.Call("GET", authURL+"/authorize?"+url.Values{"client_id": {c.ClientID}, "redirect_uri": {"https://app.example/cb"}, "state": {"0123456789abcdef"}}.Encode(), "")
	if err != nil || r.Status != 303 {
		t.Fatalf("/authorize: %v, %d %s", err, r.Status, r.Raw)
	}
	cookie, _, _ := strings.Cut(r.Header.Get("Set-Cookie"), ";")
	to, err := url.Parse(r.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	poll := func() map[string]any {
		r, err := systemtest.Call("GET", authURL+"/authorize/status?loginKeyId="+to.Query().Get("loginKeyId"), "", "Cookie: "+cookie)
		if err != nil || r.Status != 200 {
			t.Fatalf("status: %v, %d %s", err, r.Status, r.Raw)
		}
		return r.Body
	}
	words, _ := poll()["matchingWords"].(string)
	return waitingLogin{words, func() any { return poll()["status"] }}
}
