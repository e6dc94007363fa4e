// Package smoke_test starts the real program, signs somebody in, sends messages, kills the program in the middle, and looks for
// everything after the next start. Everything else about the program is in test/system.
package smoke_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

func TestMain(m *testing.M) { systemtest.Main(m) }

// A login and messages arrive. After a kill while others are accepted, each accepted message is on its phone once, the login
// signs the same person in, and the keys are those of before.
func TestSmoke(t *testing.T) {
	dir := t.TempDir()
	p := systemtest.StartDev(t, dir)
	before := subject(t, p)
	accepted, sent, kill := map[string]string{}, make(chan string), sync.OnceFunc(p.Kill)
	var senders sync.WaitGroup
	for s := range 4 {
		senders.Go(func() {
			for n := 0; ; n++ {
				text := fmt.Sprintf("message %d of sender %d", n, s)
				r, err := systemtest.Call("POST", p.BaseURL+"/api/send", fmt.Sprintf(`{"channel":"sms","to":"22376000001","message":%q}`, text), "Authorization: Bearer "+p.Accounts.Unlimited.LiveKey)
				if err != nil {
					return // the program is gone
				}
				if r.Status != http.StatusOK && r.Status != http.StatusAccepted {
					t.Errorf("a send: got %d %s, want success", r.Status, r.Raw)
					return
				}
				sent <- text + "\x00" + r.Text("messageId")
			}
		})
	}
	go func() { senders.Wait(); close(sent) }()
	for s := range sent {
		text, id, _ := strings.Cut(s, "\x00")
		accepted[id] = text
		if len(accepted) >= 40 {
			go kill()
		}
	}
	if len(accepted) < 40 {
		t.Fatalf("%d messages were accepted before the kill, want 40 or more\n%s", len(accepted), p.Out)
	}

	again := systemtest.StartDev(t, dir)
	if again.Accounts.Unlimited.LiveKey != p.Accounts.Unlimited.LiveKey || again.Clients.LivePublic.ClientID != p.Clients.LivePublic.ClientID {
		t.Error("the next start has other keys or clients")
	}
	if after := subject(t, again); after != before {
		t.Errorf("the same phone signs in as %s, before the kill as %s", after, before)
	}
	for id, text := range accepted {
		waittest.Until(t, func() error {
			r := again.Call("GET", again.BaseURL+"/api/status/"+id, "", "Authorization: Bearer "+again.Accounts.Unlimited.LiveKey)
			if s := r.Text("status"); s != "SENT" && s != "DELIVERED" && s != "READ" {
				return fmt.Errorf("%q is %s: %s", text, s, r.Raw)
			}
			return nil
		})
	}
	arrived := map[string]int{}
	for _, m := range again.Phone("22376000001") {
		arrived[m.Text]++
	}
	for _, text := range accepted {
		if arrived[text] != 1 {
			t.Errorf("%q is on the phone %d times, want once", text, arrived[text])
		}
	}
	again.Stop()
}

// subject signs Awa's phone in to the LIVE demo client, and returns the token's subject.
func subject(t *testing.T, p *systemtest.Dev) string {
	t.Helper()
	const verifier = "a-verifier-of-forty-three-characters-or-more-x"
	challenge, client := sha256.Sum256([]byte(verifier)), p.Clients.LivePublic
	back := systemtest.NewPerson(t).SendWords(p.BaseURL, p.AuthURL+"/authorize?"+url.Values{
		"client_id": {client.ClientID}, "redirect_uri": {client.RedirectURI}, "state": {"0123456789abcdef"},
		"code_challenge_method": {"S256"}, "code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])},
	}.Encode())
	body, err := json.Marshal(map[string]string{
		"grant_type": "authorization_code", "code": back.Query().Get("code"), "redirect_uri": client.RedirectURI, "client_id": client.ClientID, "code_verifier": verifier,
	})
	if err != nil {
		t.Fatal(err)
	}
	r := p.Call("POST", p.AuthURL+"/oauth2/token", string(body))
	token, _ := r.Body["access_token"].(string)
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("/oauth2/token: got %d %s, want a token", r.Status, r.Raw)
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	var of struct{ Sub string }
	if err == nil {
		err = json.Unmarshal(claims, &of)
	}
	if err != nil || of.Sub == "" {
		t.Fatalf("the token's claims are %s, %v", claims, err)
	}
	return of.Sub
}
