package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway/remote"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/logtest"
	"example.com/griot/internal/seal"
)

const testGatewaySecret = "a-secret-of-at-least-32-characters"

// sinkWorld is a server with remote gateways, whose events arrive at the address of the API.
type sinkWorld struct {
	t   *testing.T
	app *app
	log *logtest.Recorder
}

// newSinkWorld starts a server with a gateway for WhatsApp under each name. receiver is the number of logins at the
// gateway "login".
func newSinkWorld(t *testing.T, d *db.DB, receiver string, gateways ...string) *sinkWorld {
	t.Helper()
	cfg := config.Default()
	cfg.Auth.URL, cfg.API.URL, cfg.Plans = "http://127.0.0.1:1", "http://127.0.0.1:1", "off"
	cfg.Auth.Receivers = []config.Receiver{{PhoneID: "main", Number: receiver, Gateway: "login"}}
	for _, name := range gateways {
		cfg.Gateways = append(cfg.Gateways, config.Gateway{Name: name, Kind: "remote", Settings: map[string]any{
			"url": "http://127.0.0.1:1", "channels": []any{"whatsapp"}, "keys": []any{map[string]any{"id": "k1", "secret": testGatewaySecret}},
		}})
	}
	key, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	w := &sinkWorld{t: t, log: &logtest.Recorder{}}
	if w.app, err = startServer(t.Context(), d, key, cfg, false, w.log.Logger(), newProbes()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.app.gateways.Close() })
	return w
}

// run runs a command of the operator and returns one field of its result.
func (w *sinkWorld) run(verb string, in map[string]any, field string) string {
	w.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		w.t.Fatal(err)
	}
	raw, err := w.app.verbs.Call(w.t.Context(), verb, body)
	if err != nil {
		w.t.Fatalf("%s: %v", verb, err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		w.t.Fatalf("%s: %s", verb, raw)
	}
	text, _ := out[field].(string)
	return text
}

// post sends an event of a gateway.
func (w *sinkWorld) post(gatewayName, body string) (status int) {
	w.t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/gateways/"+gatewayName+"/events", bytes.NewReader([]byte(body)))
	remote.Key{ID: "k1", Secret: testGatewaySecret}.Sign(r.Header, http.MethodPost, "/events", []byte(body), clock.System())
	rec := httptest.NewRecorder()
	w.app.api().ServeHTTP(rec, r)
	return rec.Code
}

// inbox returns the conversations of an account.
func (w *sinkWorld) inbox(key string) string {
	w.t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/api/inbox/conversations", nil)
	r.Header.Set("X-API-Key", key)
	rec := httptest.NewRecorder()
	w.app.api().ServeHTTP(rec, r)
	if rec.Code != http.StatusOK {
		w.t.Fatalf("the inbox: %d %s", rec.Code, rec.Body)
	}
	return rec.Body.String()
}

// A message that doesn't name our number arrives at the gateway's only number, or at the first one of its only account.
// It never arrives at one of several accounts.
func TestSink_WithoutOurNumber(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newSinkWorld(t, d, "22376000109", "one", "several", "shared", "nobody", "login")
		accounts := map[string][2]string{}
		for _, name := range []string{"Awa", "Binta"} {
			id := w.run("accounts.create", map[string]any{"name": name, "email": strings.ToLower(name) + "@example.org"}, "id")
			accounts[name] = [2]string{id, w.run("api-keys.create", map[string]any{"account": id, "kind": "live"}, "key")}
		}
		for _, s := range [][3]string{
			{"Awa", "one", "22376000101"}, {"Awa", "several", "22376000102"}, {"Awa", "several", "22376000103"}, {"Awa", "shared", "22376000104"}, {"Binta", "shared", "22376000105"},
		} {
			w.run("senders.add", map[string]any{"account": accounts[s[0]][0], "channel": "whatsapp", "address": s[2], "gateway": s[1]}, "")
		}
		at := time.Now().UTC().Format(time.RFC3339)
		event := func(from, to, text string) string {
			return `{"type":"inbound","inbound":{"id":"` + from + text + `","channel":"whatsapp","from":"` + from + `",` + to + `"text":"` + text + `","at":"` + at + `"}}`
		}
		for n, tt := range []struct {
			gateway, to string
			arrives     bool
		}{
			{"one", `"to":"22376000101",`, true},
			{"one", ``, true},
			{"one", `"to":"",`, true},
			{"one", `"to":"?",`, true},
			{"one", `"to":["22376000101"],`, true},
			{"one", `"to":"22376000102",`, false},
			{"several", ``, true},
			{"several", `"to":"22376000103",`, true},
			{"shared", ``, false},
			{"shared", `"to":"22376000104",`, true},
			{"nobody", ``, false},
		} {
			text := "text" + string(rune('a'+n))
			if got := w.post(tt.gateway, event("2237000000"+string(rune('0'+n%10)), tt.to, text)); got != http.StatusOK {
				t.Errorf("%s %s: %d", tt.gateway, tt.to, got)
			}
			if arrived := strings.Contains(w.inbox(accounts["Awa"][1]), text); arrived != tt.arrives {
				t.Errorf("%s with %q: it arrived: %v", tt.gateway, tt.to, arrived)
			}
		}
		if got := w.inbox(accounts["Binta"][1]); strings.Contains(got, "text") {
			t.Errorf("another account has a message: %s", got)
		}
		edit := `{"type":"change","change":{"kind":"message_edited","channel":"whatsapp","from":"22370000001","messageId":"22370000001textb","content":{"text":"edited"}}}`
		if got := w.post("one", edit); got != http.StatusOK || !strings.Contains(w.inbox(accounts["Awa"][1]), "edited") {
			t.Errorf("an edit without our number: %d, %s", got, w.inbox(accounts["Awa"][1]))
		}
		var stats [3]int64
		for i, name := range []string{"one", "shared", "nobody"} {
			stats[i] = w.app.gateways.Stats(name).Dropped
		}
		if stats != [3]int64{1, 1, 1} {
			t.Errorf("dropped %v, want one at each gateway", stats)
		}
		if logged := w.log.String(); !strings.Contains(logged, "a report doesn't name our number") || strings.Contains(logged, "2237") {
			t.Errorf("logged %s", logged)
		}
	})
}
