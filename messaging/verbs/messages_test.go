package verbs_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/actor"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	messagingverbs "example.com/griot/messaging/verbs"
)

// An operator sees the notes of a message's steps as sentences, also those that an earlier version has stored.
func TestMessages_NotesAreSentences(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	m := message.New(&message.Request{To: "22376000001", Address: "22376000001", Channel: gateway.WhatsApp, Source: "api"}, w.Account.ID, "", w.Clock.Now())
	m.Status = message.Sent
	m.Timeline = message.FirstStep(message.Step{Status: message.Sent, Channel: gateway.WhatsApp, Note: message.Note{Kind: message.NoteLate, To: gateway.SMS}}) +
		`,{"at":1,"status":"FAILED","channel":"sms","note":"left for email"},{"at":2,"status":"SENT","channel":"email"}`
	w.Store(t, m)
	body, _ := json.Marshal(messagingverbs.ByID{ID: m.ID})
	out, err := messagingverbs.Messages(w.Messages).Call(context.Background(), "messages.show", body)
	if err != nil {
		t.Fatal(err)
	}
	var shown struct{ Steps []map[string]any }
	if err := json.Unmarshal(out, &shown); err != nil {
		t.Fatal(err)
	}
	var got []any
	for _, s := range shown.Steps {
		got = append(got, s["note"])
	}
	if want := []any{"not delivered in time; left for sms", "left for email", nil}; !slices.Equal(got, want) {
		t.Errorf("notes %v, want %v: %s", got, want, out)
	}
}

// An operator sees the status of any account's message, but not its content, and the account's audit log records this.
func TestMessages_AreShownMaskedAndAudited(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		verbs := messagingverbs.Messages(w.Messages)
		show := func(id string) (m messagingverbs.Message, raw string, err error) {
			body, _ := json.Marshal(messagingverbs.ByID{ID: id})
			out, err := verbs.Call(context.Background(), "messages.show", body)
			if err == nil {
				err = json.Unmarshal(out, &m)
			}
			return m, string(out), err
		}
		for address, want := range map[string]string{"22376000001": "+223*****001", "awa.diallo@example.com": "a***@example.com", "120363000000000000@g.us": "1***@g.us"} {
			m := message.New(&message.Request{To: address, Address: address, Channel: gateway.WhatsApp, Content: message.Content{Text: "a private text", Subject: "a private title"}, Source: "api", Metadata: message.Metadata{"order": "private"}}, w.Account.ID, "", w.Clock.Now())
			m.Status, m.From, m.Failure = message.Failed, messagingtest.WhatsApp, &message.Failure{Code: "recipient_unreachable"}
			m.Timeline = message.FirstStep(message.Step{At: db.Ms(w.Clock.Now()), Status: message.Failed, Channel: gateway.WhatsApp, Failure: m.Failure})
			w.Store(t, m)
			got, raw, err := show(m.ID)
			if err != nil || got.Recipient != want || got.AccountID != w.Account.ID || got.Status != "FAILED" || got.Characters != len("a private text") || len(got.Steps) != 1 || got.Steps[0].Code != "recipient_unreachable" {
				t.Errorf("%s: got %+v, %v", address, got, err)
			}
			if strings.Contains(raw, "private") || strings.Contains(raw, address) {
				t.Errorf("it says too much: %s", raw)
			}
			w.Clock.Advance(time.Second)
		}
		for id, logged := range map[string]int{"msg_none": 1, "": 1, "a b": 0, strings.Repeat("a", 65): 0} {
			before := w.Int(t, `SELECT count(*) FROM account_audit_events WHERE account_id = ''`)
			if _, _, err := show(id); err == nil || !strings.Contains(err.Error(), "refused") {
				t.Errorf("%q: %v, want a refusal", id, err)
			}
			if n := w.Int(t, `SELECT count(*) FROM account_audit_events WHERE account_id = ''`) - before; n != logged {
				t.Errorf("%q: %d audit events, want %d", id, n, logged)
			}
		}
		events, _, err := audit.List(d.Read(t.Context()), &audit.Filter{AccountID: w.Account.ID, Action: audit.MessageViewed, Limit: 10})
		if err != nil || len(events) != 3 || events[0].Actor.Type != actor.Operator || !strings.HasPrefix(events[0].Target, "msg_") {
			t.Errorf("audited %+v, %v, want three looks by the operator", events, err)
		}
	})
}
