package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

// Rules: M48, M55, M183.
func TestStatus_ReturnsTheTimeline(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "free")
		sent := s.send(`{"to":"+22376000001","channel":"whatsapp","message":"x"}`)
		id := sent.text("messageId")
		if err := s.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: id, Status: gateway.ReceiptRead, At: s.Clock.Now()}); err != nil {
			t.Fatal(err)
		}
		for _, asked := range []string{id, sent.text("notifMessageId")} {
			a := s.do("GET", "/api/status/"+asked, "", "X-API-Key: "+s.LiveKey)
			if a.status != 200 || a.text("messageId") != id || a.text("status") != "READ" || a.text("deliveredAt") == "" || a.text("readAt") == "" || a.text("to") != "+22376000001" {
				t.Errorf("%s: %s", asked, a.raw)
			}
			if events, _ := a.body["events"].([]any); len(events) != 3 {
				t.Errorf("events %v", a.body["events"])
			}
		}
		s.Gateway.FailWith(gateway.Unreachable, "not_on_whatsapp")
		failed := s.send(`{"to":"+22376000001","channel":"whatsapp","message":"x"}`)
		a := s.do("GET", "/api/status/"+failed.text("messageId"), "", "X-API-Key: "+s.LiveKey)
		if e, _ := a.body["error"].(map[string]any); a.text("status") != "FAILED" || e["code"] != "not_on_whatsapp" || e["retryable"] != false || a.text("failedAt") == "" {
			t.Errorf("got %s", a.raw)
		}
	})
}

// A step's note is a sentence, also if an earlier version has stored that sentence or a newer one has stored an unknown kind.
// Rules: M55.
func TestStatus_NotesAreSentences(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "free")
		midnight := time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC).UnixMilli()
		m := message.New(&message.Request{To: "+22376000001", Channel: gateway.SMS, Source: message.SourceAPI}, s.Account.ID, "", s.Clock.Now())
		m.Status = message.Sent
		var want []any
		add := func(sentence any, stored string) {
			if m.Timeline != "" {
				m.Timeline += ","
			}
			m.Timeline, want = m.Timeline+message.Timeline(stored), append(want, sentence)
		}
		for _, tc := range []struct {
			note     message.Note
			sentence any
		}{
			{message.Note{}, nil},
			{message.Note{Kind: message.NoteNoNumber}, "no SMS: the recipient's number is unknown"},
			{message.Note{Kind: message.NoteForm, Text: "template order_shipped"}, "template order_shipped"},
			{message.Note{Kind: message.NoteRetry}, "retry"},
			{message.Note{Kind: message.NoteUnknown}, "outcome unknown"},
			{message.Note{Kind: message.NoteUnseen}, "its gateway has not seen it"},
			{message.Note{Kind: message.NoteLeft, To: gateway.SMS}, "left for sms"},
			{message.Note{Kind: message.NoteLate, To: gateway.Email}, "not delivered in time; left for email"},
			{message.Note{Kind: message.NoteStays, To: gateway.WhatsApp}, "no other way; it stays with whatsapp"},
			{message.Note{Kind: message.NoteMoved}, "its sender was removed; moved to another"},
			{message.Note{Kind: message.NoteWarmUp, Until: midnight}, "its sender warms up, and has sent what it may today; waits until 2026-03-05T00:00:00Z"},
			{message.Note{Kind: message.NoteReceipt}, "receipt"},
		} {
			add(tc.sentence, string(message.FirstStep(message.Step{At: db.Ms(s.Clock.Now()), Status: message.Sent, Channel: gateway.SMS, Note: tc.note})))
		}
		add("not delivered in time; left for sms", `{"at":1,"status":"SENT","channel":"whatsapp","note":"not delivered in time; left for sms"}`)
		add("of_tomorrow", `{"at":2,"status":"SENT","channel":"sms","why":"of_tomorrow","to":"sms"}`)
		s.Store(t, m)
		a := s.do("GET", "/api/status/"+m.ID, "", "X-API-Key: "+s.LiveKey)
		var got []any
		for _, e := range a.body["events"].([]any) {
			got = append(got, e.(map[string]any)["note"])
		}
		if diff := cmp.Diff(want, got); a.status != 200 || diff != "" {
			t.Errorf("%d, notes differ: %s", a.status, diff)
		}
	})
}

// A message that leaves a channel and a report of its delivery have notes.
func TestStatus_NotesOfAFallback(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "free")
		s.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
			if out.Channel == gateway.WhatsApp {
				return gateway.Ack{}, &gateway.Error{Class: gateway.Unreachable, Code: "not_on_whatsapp"}
			}
			return gateway.Ack{}, nil
		})
		id := s.send(`{"to":"+22376000001","channel":"auto","message":"x"}`).text("messageId")
		m := s.Becomes(t, id, message.Sent)
		if err := s.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: m.Ref(), Status: gateway.ReceiptDelivered, At: s.Clock.Now()}); err != nil {
			t.Fatal(err)
		}
		a := s.do("GET", "/api/status/"+id, "", "X-API-Key: "+s.LiveKey)
		var got []string
		for _, e := range a.body["events"].([]any) {
			step := e.(map[string]any)
			got = append(got, fmt.Sprintf("%v: %v", step["status"], step["note"]))
		}
		if diff := cmp.Diff([]string{"QUEUED: <nil>", "FAILED: left for sms", "SENT: <nil>", "DELIVERED: receipt"}, got); diff != "" {
			t.Errorf("%s: %s", a.raw, diff)
		}
	})
}

// The price is shown with the message and counted in its month.
// Rules: M201.
func TestPricing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		for i, price := range []*gateway.Pricing{{Billable: true, Category: "utility"}, {Category: "service"}, {Billable: true, Category: "utility"}, {Billable: true}, nil} {
			id := p.send(fmt.Sprintf(`{"to":"2237600000%d","channel":"whatsapp","message":"b"}`, i)).text("messageId")
			if err := p.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: id, Status: gateway.ReceiptDelivered, Pricing: price, At: p.Clock.Now()}); err != nil {
				t.Fatal(err)
			}
			want := []string{`"pricing":{"billable":true,"category":"utility"}`, `"pricing":{"billable":false,"category":"service"}`, `"pricing":{"billable":true,"category":"utility"}`, `"pricing":{"billable":true,"category":null}`, `"pricing":null`}[i]
			if a := p.do("GET", "/api/status/"+id, "", owner); a.status != 200 || !strings.Contains(a.raw, want) {
				t.Errorf("%d %s, want %s", a.status, a.raw, want)
			}
		}
		want := `"pricing":[{"month":"2026-03","category":"other","charged":1,"free":0},{"month":"2026-03","category":"service","charged":0,"free":1},{"month":"2026-03","category":"utility","charged":2,"free":0}]`
		if a := p.do("GET", "/api/stats?from=2026-02-01", "", owner); !strings.Contains(a.raw, want) {
			t.Errorf("%d %s", a.status, a.raw)
		}
		if a := p.do("GET", "/api/stats?from=2026-02-01&channel=sms", "", owner); !strings.Contains(a.raw, `"pricing":[]`) {
			t.Errorf("%d %s", a.status, a.raw)
		}
	})
}

// Rules: M7, M12, M56.
func TestStatus_AbsentAndForeignAnswerAlike(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "free")
		other, err := s.Directory.Create(t.Context(), &account.Spec{Name: "Other", Email: "other@example.com", Plan: "free", Projects: []string{"One"}})
		if err != nil {
			t.Fatal(err)
		}
		projects, err := account.Projects(d.Read(t.Context()), other.ID)
		if err != nil {
			t.Fatal(err)
		}
		otherLive, otherProject := s.Key(t, other.ID, "", account.Live), s.Key(t, other.ID, projects[0].ID, account.ProjectKey)
		const sandboxed = `{"to":"22376000001","channel":"sms","message":"x","sandbox":true}`
		mine := s.send(sandboxed).text("messageId")
		ofAccount := s.do("POST", "/api/send", sandboxed, "X-API-Key: "+otherLive).text("messageId")
		ofProject := s.do("POST", "/api/send", sandboxed, "X-API-Key: "+otherProject).text("messageId")
		for name, tc := range map[string]struct {
			key, id string
			status  int
		}{
			"own":                               {s.LiveKey, mine, 200},
			"another account's":                 {otherLive, mine, 404},
			"absent":                            {s.LiveKey, mine[:len(mine)-3] + "ZZZ", 404},
			"no id at all":                      {s.LiveKey, "nonsense", 404},
			"a project's, by its account":       {otherLive, ofProject, 200},
			"a project's, by itself":            {otherProject, ofProject, 200},
			"the account's, by the project":     {otherProject, ofAccount, 404},
			"another account's, by the project": {otherProject, mine, 404},
		} {
			a := s.do("GET", "/api/status/"+tc.id, "", "X-API-Key: "+tc.key)
			if a.status != tc.status || (tc.status == 404 && a.text("code") != "message_not_found") {
				t.Errorf("%s: %d %s", name, a.status, a.raw)
			}
		}
		s.wants(s.do("GET", "/api/status/"+mine, ""), 401, "unauthorized")
	})
}

// Rules: M38, M162, M163, M179, M180.
func TestOtherAddresses(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "free")
	s.wants(s.do("GET", "/api/nothing", ""), 404, "not_found")
	s.wants(s.do("GET", "/static/nothing.css", ""), 404, "not_found")
	a := s.do("DELETE", "/api/send", "")
	s.wants(a, 405, "method_not_allowed")
	if a.header.Get("Allow") != "POST" {
		t.Errorf("Allow: %s", a.header.Get("Allow"))
	}
	s.wants(s.send("to=22376000001", "Content-Type: application/x-www-form-urlencoded"), 415, "unsupported_media_type")
	if a := s.do("GET", "/healthz", ""); a.text("status") != "ok" || a.text("service") != "svc-messaging" {
		t.Errorf("healthz %s", a.raw)
	}
	if a := s.do("GET", "/openapi.yaml", ""); !strings.HasPrefix(a.raw, "openapi: 3.1.0") {
		t.Error("no document")
	}
	if a := s.do("GET", "/docs/errors", ""); !strings.Contains(a.raw, `id="quota_exceeded"`) || a.header.Get("Content-Security-Policy") == "" {
		t.Error("no errors page")
	}
}

// Rules: M163.
func TestHealth_WithoutADatabase(t *testing.T) {
	d := dbtest.Postgres(t)
	s := newService(t, d, "free")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if a := s.do("GET", "/healthz", ""); a.status != 503 || a.text("status") != "unavailable" {
		t.Errorf("healthz %d %s", a.status, a.raw)
	}
	a := s.send(`{"to":"22376000001","channel":"sms","message":"x"}`)
	s.wants(a, 503, "storage_unavailable")
	if a.header.Get("Retry-After") != "5" {
		t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
	}
}

// Rules: M49, M57.
func TestCancel(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "free")
		scheduled := s.send(`{"to":"22376000001","channel":"sms","message":"x","scheduledAt":"2026-03-04T14:00:00+01:00"}`)
		if scheduled.status != 202 || scheduled.text("status") != "SCHEDULED" {
			t.Fatalf("%d %s", scheduled.status, scheduled.raw)
		}
		id := scheduled.text("messageId")
		if a := s.do("GET", "/api/status/"+id, "", "X-API-Key: "+s.LiveKey); a.text("scheduledAt") != "2026-03-04T13:00:00.000Z" {
			t.Errorf("status %s", a.raw)
		}
		other, err := s.Directory.Create(t.Context(), &account.Spec{Name: "Other", Email: "other@example.com", Plan: "free"})
		if err != nil {
			t.Fatal(err)
		}
		s.wants(s.do("POST", "/api/messages/"+id+"/cancel", "", "X-API-Key: "+s.Key(t, other.ID, "", account.Live)), 404, "message_not_found")
		s.wants(s.do("POST", "/api/messages/"+id+"/cancel", ""), 401, "unauthorized")
		for range 2 {
			if a := s.do("POST", "/api/messages/"+id+"/cancel", "", "X-API-Key: "+s.LiveKey); a.status != 200 || a.text("status") != "CANCELED" {
				t.Errorf("%d %s", a.status, a.raw)
			}
		}
		sent := s.send(`{"to":"22376000001","channel":"sms","message":"x","expiresAt":"2026-03-04T13:00:00Z"}`)
		a := s.do("POST", "/api/messages/"+sent.text("messageId")+"/cancel", "", "X-API-Key: "+s.LiveKey)
		s.wants(a, 409, "not_cancelable")
		if a.text("status") != "SENT" {
			t.Errorf("got %s", a.raw)
		}
	})
}
