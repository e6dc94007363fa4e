package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
)

const awa = "22376000001"

// inbox calls an endpoint of the inbox with the live key.
func (s *service) inbox(method, path, body string, headers ...string) *answer {
	s.t.Helper()
	return s.do(method, "/api/inbox/"+path, body, append([]string{"X-API-Key: " + s.LiveKey}, headers...)...)
}

// conversationWith returns the path of the conversation with a number.
func (s *service) conversationWith(phone string) string {
	s.t.Helper()
	a := s.inbox("GET", "conversations?q="+phone, "")
	list, _ := a.body["conversations"].([]any)
	if len(list) != 1 {
		s.t.Fatalf("conversations with %s: %d %s", phone, a.status, a.raw)
	}
	c, _ := list[0].(map[string]any)
	return "conversations/" + fmt.Sprint(c["id"])
}

// conversation returns a conversation as "in text" or "out text STATUS", newest first.
func (s *service) conversation(path string) string {
	s.t.Helper()
	a := s.inbox("GET", path+"/messages", "")
	list, _ := a.body["messages"].([]any)
	var out []string
	for _, item := range list {
		m, _ := item.(map[string]any)
		line := fmt.Sprint(m["direction"], " ", m["content"])
		if m["direction"] == "out" {
			line += fmt.Sprint(" ", m["status"])
		}
		out = append(out, line)
	}
	return strings.Join(out, "; ")
}

// Rules: M125, M129, M130, M131, M133, M134, M135.
func TestInbox_TheWholeStory(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "pro")
		empty := s.inbox("GET", "revision", "")
		if empty.status != 200 || empty.body["unreadTotal"] != 0.0 || empty.body["unreadCapped"] != false || empty.body["saturated"] != false || empty.text("account") == "" || strings.Contains(empty.raw, s.Account.ID) {
			t.Fatalf("an empty inbox: %d %s", empty.status, empty.raw)
		}
		if a := s.inbox("GET", "conversations", ""); !strings.Contains(a.raw, `"conversations":[],"nextCursor":null`) || a.text("revision") != empty.text("revision") || a.text("account") != empty.text("account") {
			t.Errorf("no conversations: %s", a.raw)
		}
		s.Receive(t, awa, "1", "Bonjour")
		s.Clock.Advance(time.Millisecond)
		s.Receive(t, awa, "2", "Ma commande ?")
		s.Clock.Advance(time.Millisecond)
		one := s.inbox("GET", "revision", "")
		if one.text("revision") == empty.text("revision") || one.body["unreadTotal"] != 2.0 {
			t.Errorf("after two messages: %s", one.raw)
		}
		list := s.inbox("GET", "conversations", "")
		for _, want := range []string{
			`"contactPhone":"+22376000001"`, `"contactName":null`, `"lastPreview":"Ma commande ?"`, `"unreadCount":2`, fmt.Sprintf(`"lastMessageAt":%d`, db.Ms(messagingtest.Start)+1), `"revision":"` + one.text("revision"),
		} {
			if !strings.Contains(list.raw, want) {
				t.Errorf("the list has no %s: %s", want, list.raw)
			}
		}
		path := s.conversationWith(awa)
		if a := s.inbox("GET", path+"/messages?limit=1", ""); !strings.Contains(a.raw, `"type":"text","content":"Ma commande ?","mediaUrl":null,"mimeType":null,"fileName":null,"status":null`) || a.text("nextCursor") == "" {
			t.Errorf("a page: %s", a.raw)
		} else if b := s.inbox("GET", path+"/messages?limit=1&cursor="+a.text("nextCursor"), ""); !strings.Contains(b.raw, "Bonjour") || b.body["nextCursor"] != nil {
			t.Errorf("the next: %s", b.raw)
		}
		read := s.inbox("POST", path+"/read", "")
		if read.status != 200 || read.body["success"] != true || read.body["unreadCount"] != 0.0 || read.text("previousRevision") != one.text("revision") || read.text("revision") == one.text("revision") {
			t.Errorf("read: %s", read.raw)
		}
		if unread := s.inbox("POST", path+"/unread", ""); unread.status != 200 || unread.body["unreadCount"] != 1.0 || unread.text("previousRevision") != read.text("revision") {
			t.Errorf("unread: %s", unread.raw)
		}
		if a := s.inbox("GET", "messages?q=COMMANDE", ""); a.status != 200 || !strings.Contains(a.raw, `"messages":[{"conversation":{"id":"`+strings.TrimPrefix(path, "conversations/")) || !strings.Contains(a.raw, `"content":"Ma commande ?"`) || strings.Contains(a.raw, "Bonjour") {
			t.Errorf("a search: %d %s", a.status, a.raw)
		}
		replied := s.inbox("POST", path+"/reply", `{"text":"Elle arrive."}`)
		if replied.status != 200 || replied.text("status") != "SENT" || replied.text("to") != "+"+awa || replied.body["messagesUsed"] != 1.0 {
			t.Fatalf("reply: %d %s", replied.status, replied.raw)
		}
		if out := s.Gateway.Calls()[0]; out.From != messagingtest.WhatsApp || out.To != awa || out.Text != "Elle arrive." || out.Channel != gateway.WhatsApp {
			t.Errorf("the gateway got %+v", out)
		}
		before := s.inbox("GET", "revision", "").text("revision")
		if err := s.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: replied.text("messageId"), Status: gateway.ReceiptRead, At: s.Clock.Now()}); err != nil {
			t.Fatal(err)
		}
		if s.inbox("GET", "revision", "").text("revision") == before {
			t.Error("a delivery status did not change the revision")
		}
		if got := s.conversation(path); got != "out Elle arrive. READ; in Ma commande ?; in Bonjour" {
			t.Errorf("got %s", got)
		}
		if a := s.do("GET", "/api/svc-logs", "", "X-API-Key: "+s.LiveKey); !strings.Contains(a.raw, `"source":"inbox"`) {
			t.Errorf("logs %s", a.raw)
		}
	})
}

// Rules: M16, M123, M124.
func TestInbox_WhoHasAccess(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "pro")
		s.Receive(t, awa, "1", "Bonjour")
		path := s.conversationWith(awa)
		withProject, err := s.Directory.Create(t.Context(), &account.Spec{Name: "P", Email: "p@example.com", Plan: "pro", Projects: []string{"One"}})
		if err != nil {
			t.Fatal(err)
		}
		projects, err := account.Projects(d.Read(t.Context()), withProject.ID)
		if err != nil {
			t.Fatal(err)
		}
		on := func(plan string) string {
			a, err := s.Directory.Create(t.Context(), &account.Spec{Name: plan, Email: plan + "@example.com", Plan: plan})
			if err != nil {
				t.Fatal(err)
			}
			return s.Key(t, a.ID, "", account.Live)
		}
		foreign := s.Key(t, withProject.ID, "", account.Live)
		addresses := []struct{ method, path, body string }{
			{"GET", "conversations", ""}, {"GET", path + "/messages", ""}, {"POST", path + "/read", ""}, {"POST", path + "/reply", `{"text":"x"}`}, {"POST", path + "/unread", ""}, {"GET", "revision", ""}, {"GET", "messages?q=x", ""},
		}
		for name, tc := range map[string]struct {
			key, code string
			status    int
		}{
			"no key":        {"", "unauthorized", 401},
			"a wrong key":   {"svc_live_x", "unauthorized", 401},
			"a test key":    {s.Key(t, s.Account.ID, "", account.Test), "live_key_required", 403},
			"a project key": {s.Key(t, withProject.ID, projects[0].ID, account.ProjectKey), "live_key_required", 403},
			"free":          {on("free"), "plan_required", 403},
			"starter":       {on("starter"), "plan_required", 403},
		} {
			for _, at := range addresses {
				var headers []string
				if tc.key != "" {
					headers = append(headers, "X-API-Key: "+tc.key)
				}
				a := s.do(at.method, "/api/inbox/"+at.path, at.body, headers...)
				if a.status != tc.status || a.text("code") != tc.code || a.text("error") != tc.code || tc.code == "plan_required" && (a.text("requiredPlan") != "pro" || a.text("message") == "") {
					t.Errorf("%s, %s %s: %d %s", name, at.method, at.path, a.status, a.raw)
				}
			}
		}
		for _, at := range addresses[1:5] {
			s.wants(s.do(at.method, "/api/inbox/"+at.path, at.body, "X-API-Key: "+foreign), 404, "conversation_not_found")
		}
		if a := s.do("GET", "/api/inbox/conversations", "", "X-API-Key: "+foreign); !strings.Contains(a.raw, `"conversations":[]`) {
			t.Errorf("another account sees %s", a.raw)
		}
	})
}

// Rules: M124, M126, M127, M132.
func TestInbox_BadInput(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "business")
	s.Receive(t, awa, "1", "Bonjour")
	path := s.conversationWith(awa)
	long := strings.Repeat("é", 200)
	for _, tc := range []struct {
		method, path, body, header string
		status                     int
		want                       string // code and field
	}{
		{"GET", "conversations?limit=0", "", "", 400, "invalid_request limit"},
		{"GET", "conversations?limit=101", "", "", 400, "invalid_request limit"},
		{"GET", "conversations?limit=x", "", "", 400, "invalid_request limit"},
		{"GET", "conversations?limit=-1", "", "", 400, "invalid_request limit"},
		{"GET", "conversations?limit=1e2", "", "", 400, "invalid_request limit"},
		{"GET", "conversations?q=" + url.QueryEscape(long+"x"), "", "", 400, "invalid_request q"},
		{"GET", "conversations?q=%ff", "", "", 400, "invalid_request q"},
		{"GET", "conversations?q=%00", "", "", 400, "invalid_request "},
		{"GET", "conversations?cursor=x", "", "", 400, "invalid_cursor cursor"},
		{"GET", path + "/messages?cursor=x", "", "", 400, "invalid_cursor cursor"},
		{"GET", "messages", "", "", 400, "invalid_request q"},
		{"GET", "messages?q=%20", "", "", 400, "invalid_request q"},
		{"GET", "messages?q=x&cursor=x", "", "", 400, "invalid_cursor cursor"},
		{"GET", "messages?q=x&limit=101", "", "", 400, "invalid_request limit"},
		{"POST", "conversations/cnv_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D/unread", "", "", 404, "conversation_not_found "},
		{"GET", path + "/messages?limit=101", "", "", 400, "invalid_request limit"},
		{"GET", "conversations/x/messages", "", "", 404, "conversation_not_found "},
		{"GET", "conversations/cnv_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D/messages", "", "", 404, "conversation_not_found "},
		{"POST", "conversations/cnv_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D/read", "", "", 404, "conversation_not_found "},
		{"POST", "conversations/cnv_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D/reply", `{"text":"x"}`, "", 404, "conversation_not_found "},
		{"POST", path + "/reply", ``, "", 400, "invalid_json "},
		{"POST", path + "/reply", `[]`, "", 400, "invalid_json "},
		{"POST", path + "/reply", `{}`, "", 400, "invalid_request text"},
		{"POST", path + "/reply", `{"text":""}`, "", 400, "invalid_request text"},
		{"POST", path + "/reply", `{"text":5}`, "", 400, "invalid_request text"},
		{"POST", path + "/reply", `{"text":" \t\u00a0\u2003\r\n"}`, "", 400, "invalid_request text"},
		{"POST", path + "/reply", `{"text":"a\u0000"}`, "", 400, "invalid_json "},
		{"POST", path + "/reply", `{"text":"` + strings.Repeat("é", 4097) + `"}`, "", 400, "invalid_request text"},
		{"POST", path + "/reply", `{"text":"x"}`, "Idempotency-Key: a\tb", 400, "invalid_idempotency_key "},
		{"POST", path + "/reply", `{"text":"x"}`, "Idempotency-Key: " + strings.Repeat("k", 256), 400, "invalid_idempotency_key "},
		{"POST", path + "/reply", `text=x`, "Content-Type: application/x-www-form-urlencoded", 415, "unsupported_media_type "},
		{"GET", path + "/read", "", "", 405, "method_not_allowed "},
		{"DELETE", path, "", "", 404, "not_found "},
	} {
		var headers []string
		if tc.header != "" {
			headers = append(headers, tc.header)
		}
		a := s.inbox(tc.method, tc.path, tc.body, headers...)
		if got := a.text("code") + " " + a.text("field"); a.status != tc.status || got != tc.want {
			t.Errorf("%s %.60s %.60s: %d %s", tc.method, tc.path, tc.body, a.status, a.raw)
		}
	}
	if len(s.Gateway.Calls()) != 0 {
		t.Error("something was sent")
	}
	if a := s.inbox("GET", "conversations?limit=100&q="+url.QueryEscape(long), ""); a.status != 200 {
		t.Errorf("the largest values: %s", a.raw)
	}
	if a := s.inbox("POST", path+"/reply", `{"text":"`+strings.Repeat("é", 4096)+`"}`); a.status != 200 {
		t.Errorf("the longest reply: %s", a.raw)
	}
}

// Rules: M124, M163.
func TestInbox_WithoutADatabase(t *testing.T) {
	d := dbtest.Postgres(t)
	s := newService(t, d, "business")
	s.Receive(t, awa, "1", "Bonjour")
	path := s.conversationWith(awa)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for _, at := range []struct{ method, path, body string }{
		{"GET", "conversations", ""},
		{"GET", path + "/messages", ""},
		{"POST", path + "/read", ""},
		{"POST", path + "/reply", `{"text":"x"}`},
		{"GET", "revision", ""},
		{"GET", "messages?q=x", ""},
		{"POST", path + "/unread", ""},
	} {
		a := s.inbox(at.method, at.path, at.body)
		if s.wants(a, 503, "storage_unavailable"); a.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	a := s.rpc(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_conversations"}}`)
	if a.status != 200 || !strings.Contains(a.raw, `\"code\":\"storage_unavailable\"`) || !strings.Contains(a.raw, `"isError":true`) {
		t.Errorf("a tool: %d %s", a.status, a.raw)
	}
}

// Rules: M70, M71, M132.
func TestInbox_RepliesAreMessagesLikeAnyOther(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		s.Receive(t, awa, "1", "Bonjour")
		path := s.conversationWith(awa)
		reply := func(text, key string) *answer {
			return s.inbox("POST", path+"/reply", `{"text":"`+text+`"}`, "Idempotency-Key: "+key)
		}
		first := reply("Un", "k1")
		again := reply("Un", "k1")
		if first.status != 200 || again.status != 200 || again.body["deduplicated"] != true || again.text("messageId") != first.text("messageId") || len(s.Gateway.Calls()) != 1 {
			t.Errorf("a replay: %s then %s", first.raw, again.raw)
		}
		if a := reply("Autre", "k1"); a.body["payloadMismatch"] != true {
			t.Errorf("another text: %s", a.raw)
		}
		if a := s.send(`{"to":"22376000001","channel":"whatsapp","message":"x","idempotencyKey":"k1"}`); a.body["deduplicated"] != true {
			t.Errorf("by the API: %s", a.raw)
		}
		if a := s.assistant("reply", fmt.Sprintf(`{"conversationId":%q,"text":"Un","idempotencyKey":"k1"}`, strings.TrimPrefix(path, "conversations/"))); !strings.Contains(a.raw, "deduplicated") {
			t.Errorf("by the assistant: %s", a.raw)
		}
		s.Gateway.FailWith(gateway.Permanent, "refused")
		s.wants(reply("Deux", "k2"), 502, "provider_error")
		s.wants(reply("Deux", "k2"), 409, "message_failed")
		s.Gateway.LoggedOut.Store(true)
		s.wants(reply("Trois", "k3"), 409, "gateway_not_connected")
		s.Gateway.LoggedOut.Store(false)
		s.Gateway.SetScript(nil)
		s.Exec(t, `UPDATE quotas SET used = 50000`)
		a := reply("Quatre", "k4")
		if s.wants(a, 429, "quota_exceeded"); a.text("upgradeUrl") == "" || a.body["limit"] != 50000.0 {
			t.Errorf("quota: %s", a.raw)
		}
		if a := reply("Un", "k1"); a.status != 200 {
			t.Errorf("a replay past the quota: %s", a.raw)
		}
		s.Receive(t, awa, "2", "STOP")
		s.wants(reply("Cinq", "k5"), 409, "recipient_opted_out")
	})
}

// Rules: M20, M136.
func TestInbox_WhichSendsAppear(t *testing.T) {
	const text = `"to":"+22376000001","message":"x"`
	for name, tc := range map[string]struct {
		body, header string
		key          account.Kind
		appears      bool
	}{
		"WhatsApp":              {`{` + text + `,"channel":"whatsapp"}`, "", account.Live, true},
		"auto":                  {`{` + text + `,"channel":"auto"}`, "", account.Live, true},
		"a preset":              {`{"to":"22376000001","channel":"whatsapp","preset":"order_shipped","presetVariables":{"orderId":"1"}}`, "", account.Live, true},
		"later":                 {`{` + text + `,"channel":"whatsapp","scheduledAt":"2026-03-05"}`, "", account.Live, true},
		"SMS":                   {`{` + text + `,"channel":"sms"}`, "", account.Live, false},
		"to somebody else":      {`{"to":"22376000002","message":"x","channel":"whatsapp"}`, "", account.Live, false},
		"sensitive":             {`{` + text + `,"channel":"whatsapp","sensitive":true}`, "", account.Live, false},
		"a code":                {`{"to":"22376000001","channel":"whatsapp","preset":"otp","presetVariables":{"code":"1234"}}`, "", account.Live, false},
		"sandbox":               {`{` + text + `,"channel":"whatsapp","sandbox":true}`, "", account.Live, false},
		"the sandbox's header":  {`{` + text + `,"channel":"whatsapp"}`, "X-Svc-Sandbox: 1", account.Live, false},
		"a test key":            {`{` + text + `,"channel":"whatsapp"}`, "", account.Test, false},
		"a project":             {`{` + text + `,"channel":"whatsapp"}`, "", account.ProjectKey, false},
		"to a group":            {`{` + text + `,"channel":"whatsapp","groupId":"120363000000000001@g.us"}`, "", account.Live, false},
		"media":                 {`{"to":"22376000001","channel":"whatsapp","mediaUrl":"https://example.com/a.png"}`, "", account.Live, false},
		"media with a caption":  {`{"to":"22376000001","channel":"whatsapp","mediaUrl":"https://example.com/a.png","caption":"x"}`, "", account.Live, false},
		"refused at acceptance": {`{` + text + `,"channel":"whatsapp","senderId":"snd_x"}`, "", account.Live, false},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "business", func(spec *account.Spec) { spec.Projects = []string{"One"} })
				s := serve(t, w)
				s.Receive(t, awa, "1", "Bonjour")
				path := s.conversationWith(awa)
				before := s.inbox("GET", "revision", "").text("revision")
				project := ""
				if tc.key == account.ProjectKey {
					projects, err := account.Projects(d.Read(t.Context()), s.Account.ID)
					if err != nil {
						t.Fatal(err)
					}
					project = projects[0].ID
				}
				headers := []string{"X-API-Key: " + s.Key(t, s.Account.ID, project, tc.key)}
				if tc.header != "" {
					headers = append(headers, tc.header)
				}
				s.do("POST", "/api/send", tc.body, headers...)
				got := s.conversation(path)
				if appears := strings.Contains(got, "out "); appears != tc.appears {
					t.Errorf("the conversation: %s", got)
				}
				if changed := s.inbox("GET", "revision", "").text("revision") != before; changed != tc.appears {
					t.Errorf("the revision changed: %v", changed)
				}
			})
		})
	}
}

// Rules: M136.
func TestInbox_StatusesOfWhatWentOut(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		s.Receive(t, awa, "1", "Bonjour")
		path := s.conversationWith(awa)
		change := func(what string, do func()) {
			t.Helper()
			before := s.inbox("GET", "revision", "").text("revision")
			do()
			if s.inbox("GET", "revision", "").text("revision") == before {
				t.Errorf("%s did not change the revision", what)
			}
		}
		var id string
		change("scheduling", func() {
			id = s.send(`{"to":"22376000001","channel":"whatsapp","message":"Plus tard","scheduledAt":"2026-03-05"}`).text("messageId")
		})
		if got := s.conversation(path); !strings.Contains(got, "out Plus tard SCHEDULED") {
			t.Errorf("got %s", got)
		}
		change("canceling", func() { s.do("POST", "/api/messages/"+id+"/cancel", "", "X-API-Key: "+s.LiveKey) })
		if got := s.conversation(path); !strings.Contains(got, "out Plus tard CANCELED") {
			t.Errorf("got %s", got)
		}
		s.Gateway.FailWith(gateway.Permanent, "refused")
		change("failing", func() { s.send(`{"to":"22376000001","channel":"whatsapp","message":"Raté"}`) })
		if got := s.conversation(path); !strings.Contains(got, "out Raté FAILED") {
			t.Errorf("got %s", got)
		}
		if a := s.batch(`{"messages":[{"to":"22376000001","channel":"whatsapp","message":"A"},{"to":"22376000001","channel":"whatsapp","message":"B"}]}`); a.status != 200 {
			t.Errorf("%s", a.raw)
		}
		if got := s.conversation(path); !strings.Contains(got, "out A FAILED") || !strings.Contains(got, "out B FAILED") {
			t.Errorf("got %s", got)
		}
	})
}
