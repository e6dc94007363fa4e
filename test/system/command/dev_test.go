package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// Rules: M1.
func TestDev_FirstFiveMinutes(t *testing.T) {
	dir := t.TempDir()
	p := systemtest.StartDev(t, dir)
	for _, url := range []string{p.BaseURL + "/healthz", p.AuthURL + "/healthz", p.BaseURL + "/openapi.yaml", p.AuthURL + "/openapi.yaml", p.InternalURL + "/readyz", p.BaseURL + "/dev/phones", p.BaseURL + "/dev/demo"} {
		if r := p.Call("GET", url, ""); r.Status != 200 {
			t.Errorf("%s: %d", url, r.Status)
		}
	}
	info, err := os.Stat(filepath.Join(dir, devfile.Name))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("dev.json: %v, %v", info, err)
	}
	for _, tc := range []struct{ channel, to, phone string }{
		{"whatsapp", "+22376000001", "22376000001"}, {"sms", "22376000001", "+22376000001"}, {"email", "awa@example.com", "awa@example.com"},
	} {
		text := "Bonjour par " + tc.channel
		r := p.Send(p.Accounts.Business.LiveKey, fmt.Sprintf(`{"channel":%q,"to":%q,"message":%q}`, tc.channel, tc.to, text))
		if r.Status != 200 || r.Text("status") != "SENT" {
			t.Fatalf("%s: %d %s", tc.channel, r.Status, r.Raw)
		}
		got := p.Phone(tc.phone)
		if m := got[len(got)-1]; m.Text != text || m.Direction != "in" || m.Channel != tc.channel || m.Reference != r.Text("messageId") {
			t.Errorf("%s: the phone has %+v", tc.channel, m)
		}
		waittest.Until(t, func() error {
			if s := p.Call("GET", p.BaseURL+"/api/status/"+r.Text("messageId"), "", "X-API-Key: "+p.Accounts.Business.LiveKey); s.Text("status") != "DELIVERED" {
				return fmt.Errorf("status %s: %w", s.Raw, systemtest.ErrNotYet)
			}
			return nil
		})
	}
	waittest.Until(t, func() error { // the screen is printed after dev.json is written
		if !strings.Contains(p.Out.String(), p.BaseURL+"/dev/demo") || !strings.Contains(p.Out.String(), "curl $GRIOT_API_URL/api/send") {
			return fmt.Errorf("the first screen is\n%s", p.Out)
		}
		return nil
	})
	if r, err := systemtest.TrySignIn(p.AuthURL, &authverbs.Client{ClientID: p.Clients.TestPublic.ClientID, RedirectURIs: []string{p.Clients.TestPublic.RedirectURI}}); err != nil || r.Status != 201 {
		t.Errorf("sign-in: %v", err)
	}
	for metric, want := range map[string]float64{
		`griot_logins_total{step="started"}`: 1, `griot_logins_total{step="verified"}`: 1, `griot_logins_total{step="completed"}`: 1, `griot_logins_total{step="canceled"}`: 0,
		`griot_gateway_receipts_total{gateway="virtual",status="delivered"}`: 3,
	} {
		if got := systemtest.Metric(t, p.InternalURL, metric); got != want {
			t.Errorf("%s is %v, want %v", metric, got, want)
		}
	}
	before := p.State
	p.Stop()
	again := systemtest.StartDev(t, dir)
	if again.Accounts.Business.LiveKey != before.Accounts.Business.LiveKey || again.Clients.LivePublic.ClientID != before.Clients.LivePublic.ClientID || again.Tenant != before.Tenant {
		t.Error("a restart made new demo data")
	}
	if n := len(again.Phone("22376000001")); n != 2 {
		t.Errorf("%d messages on the phone after a restart", n)
	}
	if r := again.Send(before.Accounts.Business.LiveKey, `{"channel":"sms","to":"22376000001","message":"encore"}`); r.Body["messagesUsed"] != float64(4) {
		t.Errorf("after a restart: %s", r.Raw)
	}
}

// Rules: M4.
func TestDev_Accounts(t *testing.T) {
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory", "--webhook-url", "http://127.0.0.1:9/hook")
	const sms = `{"channel":"sms","to":"22376000001","message":"x"}`
	a := p.Accounts
	for name, tc := range map[string]struct {
		key, status string
		http        int
	}{
		"business": {a.Business.LiveKey, "SENT", 200}, "its test key": {a.Business.TestKey, "SANDBOX", 200}, "its project": {a.Business.ProjectKey, "SENT", 200},
		"free": {a.Free.LiveKey, "SENT", 200}, "free, test": {a.Free.TestKey, "SANDBOX", 200}, "unlimited": {a.Unlimited.LiveKey, "SENT", 200}, "disconnected": {a.Disconnected.LiveKey, "", 409},
	} {
		if r := p.Send(tc.key, sms); r.Status != tc.http || r.Text("status") != tc.status {
			t.Errorf("%s: %d %s", name, r.Status, r.Raw)
		}
	}
	if r := p.Send(a.Disconnected.LiveKey, `{"channel":"email","to":"awa@example.com","message":"x"}`); r.Text("status") != "SENT" {
		t.Errorf("email needs no gateway of the account's own: %s", r.Raw)
	}
	whatsapp, sms2 := 0, 0
	for _, s := range a.Business.Senders {
		switch s.Channel {
		case "whatsapp":
			whatsapp++
		case "sms":
			sms2++
		}
	}
	if whatsapp != 2 || sms2 != 1 || a.Business.WhatsAppNumber != a.Business.Senders[0].Address || !strings.HasPrefix(a.Business.WebhookSecret, "whsec_") {
		t.Errorf("business account %+v", a.Business)
	}
}

// A simulated message reaches no virtual phone, whatever its events report. A real one to the same recipient does.
// Rules: M211.
func TestDev_SimulatedMessagesReachNoPhone(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	for _, to := range []string{"22376000001", "447700900002", "447700900010", "447700900024"} {
		message := `{"channel":"whatsapp","to":"+` + to + `","message":"x"}`
		sent := p.Send(p.Accounts.Business.TestKey, message)
		if sent.Text("status") != "SANDBOX" {
			t.Errorf("%s: %s", to, sent.Raw)
		}
		attempts := p.Call("GET", p.BaseURL+"/dev/attempts/"+sent.Text("messageId"), "")
		if list, ok := attempts.Body["attempts"].([]any); !ok || len(list) != 0 || len(p.Phone(to)) != 0 {
			t.Errorf("%s: a simulated message reached the phone: %s", to, attempts.Raw)
		}
		if real := p.Send(p.Accounts.Business.LiveKey, message); real.Text("status") != "SENT" || len(p.Phone(to)) != 1 {
			t.Errorf("%s: a real message didn't reach the phone: %s", to, real.Raw)
		}
	}
}

func TestDev_LosingDevJSONMakesNewKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := systemtest.StartDev(t, dir)
	old := p.State
	p.Stop()
	if err := os.Remove(filepath.Join(dir, devfile.Name)); err != nil {
		t.Fatal(err)
	}
	p = systemtest.StartDev(t, dir)
	if p.Accounts.Business.LiveKey == old.Accounts.Business.LiveKey || p.Accounts.Business.ID != old.Accounts.Business.ID || p.Accounts.Business.WebhookSecret != old.Accounts.Business.WebhookSecret {
		t.Errorf("business account %+v, was %+v", p.Accounts.Business, old.Accounts.Business)
	}
	if r := p.Send(p.Accounts.Business.LiveKey, `{"channel":"sms","to":"22376000001","message":"x"}`); r.Status != 200 {
		t.Errorf("the new key: %s", r.Raw)
	}
}

func TestDev_FindsAccountsWhoseEmailChanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := systemtest.StartDev(t, dir, "--showcase")
	before := p.Accounts
	o := &systemtest.Operator{T: t, Args: []string{"--data", dir}}
	for name, a := range map[string]devfile.Account{"business": before.Business, "disconnected": before.Disconnected, "showcase": before.Showcase} {
		o.Run("accounts", "set", a.ID, "--email", "new-"+name+"@example.com")
	}
	for _, project := range systemtest.RunJSON[[]struct{ ID string }](o, "projects", "list", "--account", before.Showcase.ID) {
		o.Run("projects", "delete", "--account", before.Showcase.ID, project.ID, "--yes")
	}
	p.Stop()
	p = systemtest.StartDev(t, dir, "--showcase")
	for name, now := range map[string]devfile.Account{"business": p.Accounts.Business, "disconnected": p.Accounts.Disconnected, "showcase": p.Accounts.Showcase} {
		if want := "new-" + name + "@example.com"; now.Email != want {
			t.Errorf("dev.json: %s has the address %q, want %q", name, now.Email, want)
		}
	}
	if p.Accounts.Business.ID != before.Business.ID || p.Accounts.Disconnected.ID != before.Disconnected.ID || p.Accounts.Showcase.ID != before.Showcase.ID {
		t.Errorf("accounts %+v, were %+v", p.Accounts, before)
	}
	if r := p.Send(before.Business.LiveKey, `{"channel":"sms","to":"22376000001","message":"x"}`); r.Status != 200 {
		t.Errorf("the key from before: %d %s", r.Status, r.Raw)
	}
	p.Stop()
	if err := os.Remove(filepath.Join(dir, devfile.Name)); err != nil {
		t.Fatal(err)
	}
	p = systemtest.StartDev(t, dir, "--showcase") // without dev.json, the demo's accounts are found by their numbers
	if p.Accounts.Business.ID != before.Business.ID || p.Accounts.Showcase.ID != before.Showcase.ID {
		t.Errorf("without dev.json: accounts %+v, were %+v", p.Accounts, before)
	}
}

func TestDev_OnPostgres(t *testing.T) {
	url := dbtest.PostgresURL(t)
	p := systemtest.StartDev(t, t.TempDir(), "--database", url)
	if r := p.Send(p.Accounts.Free.LiveKey, `{"channel":"whatsapp","to":"22376000001","message":"x"}`); r.Text("status") != "SENT" {
		t.Errorf("got %s", r.Raw)
	}
	p.Stop()
}

func TestDev_Faults(t *testing.T) {
	p := systemtest.StartDev(t, t.TempDir())
	fault := func(outcome string) {
		if r := p.Call("PUT", p.BaseURL+"/dev/faults/sms", fmt.Sprintf(`{"outcome":%q,"count":1}`, outcome)); r.Status != 200 {
			t.Fatalf("%s: %s", outcome, r.Raw)
		}
	}
	const sms = `{"channel":"sms","to":"22376000001","message":"x"}`
	for _, outcome := range []string{"temporary", "permanent", "unreachable"} {
		fault(outcome)
		r := p.Send(p.Accounts.Free.LiveKey, sms)
		if r.Status != 502 || r.Text("status") != "FAILED" || r.Body["messagesUsed"] != float64(0) {
			t.Errorf("%s: %d %s", outcome, r.Status, r.Raw)
		}
	}
	fault("lost_ack")
	r := p.Send(p.Accounts.Free.LiveKey, sms)
	if r.Status != 200 || len(p.Phone("22376000001")) != 1 {
		t.Errorf("lost_ack: %d %s, the phone has %d", r.Status, r.Raw, len(p.Phone("22376000001")))
	}
	p.Call("PUT", p.BaseURL+"/dev/phones-options", `{"deduplicate":false}`)
	fault("lost_ack")
	r = p.Send(p.Accounts.Free.LiveKey, sms)
	if r.Status != 202 && r.Status != 200 {
		t.Errorf("lost_ack without deduplication: %d %s", r.Status, r.Raw)
	}
	waittest.Until(t, func() error { // the phone's receipt settles it
		if s := p.Call("GET", p.BaseURL+"/api/status/"+r.Text("messageId"), "", "X-API-Key: "+p.Accounts.Free.LiveKey); s.Text("status") != "DELIVERED" {
			return fmt.Errorf("status %s: %w", s.Raw, systemtest.ErrNotYet)
		}
		return nil
	})
	if n := len(p.Phone("22376000001")); n != 2 {
		t.Errorf("the phone has %d messages, want 2", n)
	}
}

func TestDev_WhatPeopleWriteIsTheAccounts(t *testing.T) {
	p := systemtest.StartDev(t, t.TempDir(), "--webhook-url", "http://127.0.0.1:9/hook")
	r := p.Call("POST", p.BaseURL+"/dev/phones/22376000001/messages", fmt.Sprintf(`{"channel":"whatsapp","to":%q,"text":"Je voudrais commander","displayName":"Awa"}`, p.Accounts.Business.WhatsAppNumber))
	if r.Status != 201 {
		t.Fatalf("got %d %s, want 201", r.Status, r.Raw)
	}
	p.Stop()
	if n := systemtest.CountRows(t, p.Dir, `SELECT count(*) FROM inbox_messages m JOIN conversations c ON c.id = m.conversation_id WHERE m.content = 'Je voudrais commander' AND c.name = 'Awa' AND c.unread = 1`); n != 1 {
		t.Errorf("%d inbound messages", n)
	}
	if n := systemtest.CountRows(t, p.Dir, `SELECT count(*) FROM webhook_events WHERE type = 'message.received'`); n != 1 {
		t.Errorf("%d events", n)
	}
	if strings.Contains(p.Out.String(), "Je voudrais") {
		t.Error("the text was logged")
	}
}

// No file has a code in plain text during its delivery, and none has it afterward, not even sealed.
// Rules: M23.
func TestDev_ASensitiveTextIsInNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := systemtest.StartDev(t, dir)
	const secret = "code 482913 zebra"
	p.Call("PUT", p.BaseURL+"/dev/faults/sms", `{"outcome":"timeout","count":1}`)
	on := make(chan struct{})
	go func() { // it hangs in the gateway for the duration of an attempt
		defer close(on)
		_, _ = systemtest.Call("POST", p.BaseURL+"/api/send", `{"channel":"sms","to":"22376000001","message":"`+secret+` slow","sensitive":true}`, "Authorization: Bearer "+p.Accounts.Free.LiveKey)
	}()
	<-on
	if r := p.Send(p.Accounts.Free.LiveKey, `{"channel":"sms","to":"22376000001","message":"`+secret+`","sensitive":true}`); r.Status != 200 {
		t.Fatalf("got %d %s, want 200", r.Status, r.Raw)
	}
	if got := p.Phone("22376000001"); len(got) == 0 || got[0].Text != secret {
		t.Errorf("the phone shows %+v", got)
	}
	p.Kill()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), "482913") {
			t.Errorf("%s holds the code", f.Name())
		}
	}
	if strings.Contains(p.Out.String(), "482913") {
		t.Error("the log holds the code")
	}
	if len(files) < 5 {
		t.Errorf("only %d files were read", len(files))
	}
}
