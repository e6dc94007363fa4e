package api_test

import (
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/messagingtest"
)

// Rules: M171.
func TestAccount_NameAndLanguage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		patch := func(body string) *answer { return p.do("PATCH", "/api/account", body, owner, p.origin()) }
		if a := patch(`{"name":" Boutique Awa ","lang":"en"}`); a.status != 200 || object(a.body, "account", "name") != "Boutique Awa" || object(a.body, "account", "lang") != "en" {
			t.Errorf("%d %s", a.status, a.raw)
		}
		if a := patch(`{"timeZone":"Africa/Bamako"}`); a.status != 200 || object(a.body, "account", "timeZone") != "Africa/Bamako" {
			t.Errorf("%d %s", a.status, a.raw)
		}
		if a := patch(`{}`); object(a.body, "account", "name") != "Boutique Awa" {
			t.Errorf("%d %s", a.status, a.raw)
		}
		if a := p.do("GET", "/api/me", "", owner); object(a.body, "account", "name") != "Boutique Awa" {
			t.Errorf("%s", a.raw)
		}
		for _, body := range []string{`{"name":" "}`, `{"name":"a\u0007b"}`, `{"lang":"de"}`, `{"timeZone":"Mali"}`, `{"timeZone":""}`, `{"timeZone":"Local"}`, `{"timeZone":"../etc/passwd"}`, `{"name":7}`, `{"name":"` + strings.Repeat("é", 101) + `"}`} {
			p.wants(patch(body), 400, "invalid_request")
		}
		if a := p.do("GET", "/api/audit?action=account.changed", "", owner); a.body["count"] != float64(2) || !strings.Contains(a.raw, `"lang":"en"`) {
			t.Errorf("audited: %s", a.raw)
		}
	})
}

// A new person creates an account if everyone is allowed to.
func TestAccount_OfOnesOwn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d, func(o *api.Options) { o.Directory.Signup = account.SignupOpen })
		awa := p.signIn("awa@example.com")
		create := func(body string) *answer { return p.do("POST", "/api/account", body, awa, p.origin()) }
		p.wants(p.do("GET", "/api/me", "", awa), 403, "account_required")
		for _, body := range []string{`{}`, `{"name":" "}`, `{"name":"x","lang":"de"}`, `{"name":7}`} {
			p.wants(create(body), 400, "invalid_request")
		}
		a := create(`{"name":" Boutique Awa ","lang":"en"}`)
		if a.status != 201 || object(a.body, "account", "name") != "Boutique Awa" || object(a.body, "account", "lang") != "en" || a.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %s, Cache-Control %q", a.status, a.raw, a.header.Get("Cache-Control"))
		}
		if me := p.do("GET", "/api/me", "", awa); object(me.body, "plan", "name") != "free" || object(me.body, "account", "id") != object(a.body, "account", "id") {
			t.Errorf("%s", me.raw)
		}
		p.wants(p.do("POST", "/api/send", `{"to":"22376000001","channel":"sms","message":"x"}`, "X-API-Key: "+a.text("testKey")), 200, "")
		p.wants(create(`{"name":"Another"}`), 403, "forbidden")
		p.Exec(t, `UPDATE accounts SET closed_at = 1 WHERE email = 'awa@example.com'`)
		p.Directory.ForgetAll()
		p.wants(create(`{"name":"Another"}`), 403, "forbidden")
	})
}

// Rules: M175.
func TestPresets_AreListed(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	a := p.do("GET", "/api/presets", "", "X-API-Key: "+p.LiveKey)
	list, _ := a.body["presets"].([]any)
	if len(list) != 6 || object(list[0], "name") != "appointment_reminder" || !strings.Contains(a.raw, "{{orderId}}") {
		t.Errorf("%d %s", a.status, a.raw)
	}
}

// The endpoint returns the owner of a key, so that no one sends from the wrong account.
// Rules: M14.
func TestKey_IsDescribed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		describe := func(key string) *answer { return p.do("GET", "/api/key", "", "Authorization: Bearer "+key) }
		p.wants(p.do("POST", "/api/send", `{"to":"22376000001","channel":"sms","message":"x"}`, "X-API-Key: "+p.LiveKey), 200, "")
		a := describe(p.LiveKey)
		if a.status != 200 || a.text("kind") != "live" || object(a.body, "account", "id") != p.Account.ID || object(a.body, "usage", "messagesUsed") != 1.0 || a.body["project"] != nil {
			t.Errorf("got %d %s, want the live key of %s with one message used", a.status, a.raw, p.Account.ID)
		}
		project, err := p.Directory.CreateProject(t.Context(), p.Account.ID, "Boutique")
		if err != nil {
			t.Fatal(err)
		}
		_, key, err := p.Directory.MakeKey(t.Context(), account.KeySpec{AccountID: p.Account.ID, ProjectID: project.ID, Kind: account.ProjectKey})
		if err != nil {
			t.Fatal(err)
		}
		if a := describe(key); a.status != 200 || a.text("kind") != "project" || object(a.body, "project", "name") != "Boutique" || object(a.body, "features", "inbox") != false {
			t.Errorf("got %d %s, want the key of the project Boutique, without the inbox", a.status, a.raw)
		}
	})
}

// A person's preference is listed with a scope, holds back marketing templates, and can be removed like an opt-out.
// Rules: M202.
func TestOptOuts_OfMarketing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		key := "X-API-Key: " + p.LiveKey
		p.Receive(t, "22376000002", "in1", "STOP")
		stopped := gateway.Change{Gateway: "fake", Channel: gateway.WhatsApp, Kind: gateway.MarketingStopped, To: messagingtest.WhatsApp, From: "22376000001", At: p.Clock.Now()}
		if err := p.Inbox.Change(t.Context(), stopped); err != nil {
			t.Fatal(err)
		}
		send := func(category string) *answer {
			return p.do("POST", "/api/send", form(`{"template":{"name":"soldes","language":"fr","category":"`+category+`"}}`), key)
		}
		p.wants(send("marketing"), 409, "marketing_stopped")
		p.wants(send("utility"), 200, "")
		p.wants(p.do("POST", "/api/send", form("null"), key), 200, "")
		p.wants(p.do("GET", "/api/opt-outs?channel=whatsapp_marketing", "", key), 400, "invalid_channel")
		p.wants(p.do("POST", "/api/opt-outs", `{"channel":"whatsapp_marketing","address":"22376000001"}`, key), 400, "invalid_channel")
		all := p.do("GET", "/api/opt-outs?channel=whatsapp", "", key)
		list, _ := all.body["optOuts"].([]any)
		if len(list) != 2 || object(list[0], "scope") != nil || object(list[1], "scope") != "marketing" || object(list[1], "channel") != "whatsapp" || object(list[1], "source") != "said" {
			t.Fatalf("got %s", all.raw)
		}
		if a := p.do("GET", "/api/opt-outs?channel=whatsapp&limit=1&cursor="+object(list[0], "id").(string), "", key); a.body["count"] != 1.0 {
			t.Errorf("the next page: %s", a.raw)
		}
		p.wants(p.do("DELETE", "/api/opt-outs/"+object(list[1], "id").(string), "", key), 200, "")
		p.wants(send("marketing"), 200, "")
	})
}

// Rules: M174.
func TestOptOuts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		key := "X-API-Key: " + p.LiveKey
		add := func(body string) *answer { return p.do("POST", "/api/opt-outs", body, key) }
		first := add(`{"channel":"sms","address":"+22376000001"}`)
		if first.status != 201 || object(first.body, "optOut", "address") != "+22376000001" || object(first.body, "optOut", "source") != "added" {
			t.Fatalf("%d %s", first.status, first.raw)
		}
		p.wants(p.do("POST", "/api/send", `{"to":"22376000001","channel":"sms","message":"x"}`, key), 409, "recipient_opted_out")
		p.wants(add(`{"channel":"sms","address":"22376000001"}`), 200, "")
		p.Receive(t, "22376000002", "in1", "STOP")
		add(`{"channel":"email","address":"awa@example.com"}`)
		add(`{"channel":"sms","address":"22376000003"}`)
		add(`{"channel":"whatsapp","address":"22376000003"}`)

		var all []string
		cursor := ""
		for {
			a := p.do("GET", "/api/opt-outs?limit=2&cursor="+cursor, "", owner)
			list, _ := a.body["optOuts"].([]any)
			for _, o := range list {
				all = append(all, strings.Join([]string{object(o, "channel").(string), object(o, "address").(string), object(o, "source").(string)}, " "))
			}
			if cursor = a.text("nextCursor"); cursor == "" {
				break
			}
		}
		want := "email awa@example.com added, sms +22376000001 added, sms +22376000003 added, whatsapp +22376000002 said, whatsapp +22376000003 added"
		if got := strings.Join(all, ", "); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		for query, n := range map[string]int{
			"channel=sms": 2, "address=%2B22376000003": 2, "address=22376000003&channel=sms": 1, "address=awa@example.com": 1, "address=AWA@Example.com": 1, "address=none": 0, "channel=email": 1,
			"q=%2B223%2076%2000%2000%2003": 2, "q=7600": 4, "q=AWA@": 1, "q=%25": 0, "q=x&channel=email": 1, "q=7600&channel=sms": 2,
		} {
			if a := p.do("GET", "/api/opt-outs?"+query, "", owner); a.body["count"] != float64(n) {
				t.Errorf("%s: got %s, want %d", query, a.raw, n)
			}
		}
		p.wants(add(`{"channel":"email","address":"Awa@EXAMPLE.com"}`), 200, "")
		add(`{"channel":"email","address":"ÉLODIE@Bücher.example"}`)
		for _, query := range []string{"q=%C3%A9lodie", "q=%C3%89Lo", "q=xn--bcher", "address=%C3%A9lodie@b%C3%BCcher.example", "address=e%CC%81lodie@XN--bcher-kva.example"} {
			if a := p.do("GET", "/api/opt-outs?"+query, "", owner); a.body["count"] != 1.0 {
				t.Errorf("%s: got %s, want one", query, a.raw)
			}
		}
		p.wants(p.do("POST", "/api/send", `{"to":"élodie@bu\u0308cher.example","channel":"email","subject":"x","message":"x"}`, key), 409, "recipient_opted_out")
		p.wants(p.do("POST", "/api/send", `{"to":"AWA@example.com","channel":"email","subject":"x","message":"x"}`, key), 409, "recipient_opted_out")
		p.wants(add(`{"channel":"email","address":"awa\u200b@example.com"}`), 400, "invalid_email")
		id, _ := object(first.body, "optOut", "id").(string)
		p.wants(p.do("DELETE", "/api/opt-outs/"+id, "", owner), 403, "origin_mismatch")
		p.wants(p.do("DELETE", "/api/opt-outs/"+id, "", owner, p.origin()), 200, "")
		p.wants(p.do("DELETE", "/api/opt-outs/"+id, "", owner, p.origin()), 404, "opt_out_not_found")
		p.wants(p.do("POST", "/api/send", `{"to":"22376000001","channel":"sms","message":"x"}`, key), 200, "")
		p.wants(p.do("DELETE", "/api/opt-outs/none", "", owner, p.origin()), 404, "opt_out_not_found")
		for body, want := range map[string]string{`{"channel":"fax","address":"22376000001"}`: "invalid_channel", `{"channel":"sms","address":"x"}`: "invalid_phone", `{"channel":"email","address":"x"}`: "invalid_email", `{"channel":"sms"}`: "invalid_phone"} {
			p.wants(add(body), 400, want)
		}
		p.wants(p.do("GET", "/api/opt-outs?cursor=x", "", owner), 400, "invalid_cursor")
		p.wants(p.do("GET", "/api/opt-outs?q="+strings.Repeat("x", 201), "", owner), 400, "invalid_request")
		p.wants(p.do("GET", "/api/opt-outs?q=%ff", "", owner), 400, "invalid_request")
		p.wants(p.do("DELETE", "/api/opt-outs/c21zOv8", "", owner, p.origin()), 404, "opt_out_not_found") // sms:\xff
		p.wants(p.do("GET", "/api/opt-outs?limit=0", "", owner), 400, "invalid_request")
		p.wants(p.do("GET", "/api/opt-outs?channel=x", "", owner), 400, "invalid_channel")
		if a := p.do("GET", "/api/audit?action=optout.", "", owner); a.body["count"] != float64(6) { // the person's own STOP is not an event
			t.Errorf("audited: %s", a.raw)
		}
	})
}
