package erasure_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

func (w *world) export(t *testing.T, address string) (map[string]any, string) {
	t.Helper()
	p, err := w.Erasure.Person(t.Context(), w.Account.ID, address)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := w.Erasure.Export(t.Context(), p, &b, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatalf("%v in %s", err, b.String())
	}
	return out, b.String()
}

func TestExport_HasAllOfAPersonAndNothingOfOthers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		w.history(t, awa, awaEmail)
		w.history(t, moussa, "moussa@example.com")
		out, text := w.export(t, "+"+awa)
		for name, want := range map[string]int{"messages": 8, "received": 2, "conversations": 1, "optOuts": 1, "codes": 1, "groups": 1, "audit": 1} {
			if list, _ := out[name].([]any); len(list) != want {
				t.Errorf("%d %s, want %d", len(list), name, want)
			}
		}
		if list, _ := out["events"].([]any); len(list) < 5 || out["complete"] != true || out["address"] != "+"+awa {
			t.Errorf("%d events, %v", len(list), out["complete"])
		}
		if strings.Contains(text, moussa) || strings.Contains(text, "moussa@") {
			t.Error("it has somebody else's data")
		}
		if !strings.Contains(text, secret) {
			t.Error("it has not what was written")
		}
		byEmail, _ := w.export(t, strings.ToLower(awaEmail))
		if list, _ := byEmail["messages"].([]any); len(list) != 2 {
			t.Errorf("%d messages by email address, want 2", len(list))
		}
		w.erase(t, awa)
		if _, text := w.export(t, awa); strings.Contains(text, secret) {
			t.Errorf("after the erasure: %s", text)
		}
	})
}

// The steps of a message are exported with their notes as sentences, not as they are stored.
func TestExport_NotesAreSentences(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	m := message.New(&message.Request{To: "+" + awa, Address: awa, Channel: gateway.WhatsApp, Source: message.SourceAPI}, w.Account.ID, "", w.Clock.Now())
	m.Status = message.Failed
	m.Timeline = message.FirstStep(message.Step{At: 1, Status: message.Sent, Channel: gateway.WhatsApp, Sender: "snd_1", Note: message.Note{Kind: message.NoteLate, To: gateway.SMS}}) +
		`,{"at":2,"status":"QUEUED","note":"retry"},{"at":3,"status":"FAILED","failure":{"code":"c","class":"permanent"}}`
	w.Store(t, m)
	_, text := w.export(t, awa)
	const want = `"timeline":[{"at":1,"status":"SENT","channel":"whatsapp","sender":"snd_1","note":"not delivered in time; left for sms"},` +
		`{"at":2,"status":"QUEUED","note":"retry"},{"at":3,"status":"FAILED","failure":{"code":"c","class":"permanent"}}]`
	if !strings.Contains(text, want) {
		t.Errorf("got %s, want it to contain %s", text, want)
	}
}

// A sender of SMS without its country isn't the person whose number has the same digits. It has its own address.
// Rules: M176, M195.
func TestPeople_LocalSenders(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		const stranger = "70112233"
		for i, in := range []gateway.Inbound{{Local: stranger, Text: "local " + secret}, {From: stranger, Text: "the stranger"}, {Local: "Ali@home", Text: "a name"}} {
			in.ID, in.Gateway, in.Channel, in.To, in.At = strconv.Itoa(i), "fake", gateway.SMS, messagingtest.SMS, w.Clock.Now()
			if err := w.Inbox.Receive(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
		for address, want := range map[string]string{"+" + stranger: "the stranger", "local:" + stranger: "local " + secret, "local:Ali@home": "a name"} {
			out, text := w.export(t, address)
			for _, name := range []string{"received", "events"} {
				if list, _ := out[name].([]any); len(list) != 1 {
					t.Errorf("%s: %d %s, want 1", address, len(list), name)
				}
			}
			if !strings.Contains(text, want) {
				t.Errorf("%s has %s", address, text)
			}
		}
		w.erase(t, "local:"+stranger)
		if n := w.Int(t, `SELECT count(*) FROM inbox_messages`); n != 2 {
			t.Errorf("%d messages are left, want 2", n)
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE body LIKE '%'||$1||'%'`, secret); n != 0 {
			t.Errorf("%d events have the text", n)
		}
		for _, address := range []string{"local:", "Orange", "36111"} {
			if _, err := w.Erasure.Person(t.Context(), w.Account.ID, address); err == nil {
				t.Errorf("%q is an address", address)
			}
		}
	})
}

func TestExport_EndsWhenNobodyReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	w.history(t, awa, awaEmail)
	p, err := w.Erasure.Person(t.Context(), w.Account.ID, awa)
	if err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	var b bytes.Buffer
	if err := w.Erasure.Export(t.Context(), p, &b, func() error { return gone }); !errors.Is(err, gone) {
		t.Errorf("got %v, want %v", err, gone)
	}
	if json.Valid(b.Bytes()) {
		t.Errorf("half an export is JSON: %s", fmt.Sprint(b.String()))
	}
}

// If there is more data than the maximum, the export contains the latest, so each list starts with it.
func TestExport_BeginsWithTheLatest(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		for i := range 4 {
			w.receive(t, []gateway.Channel{gateway.WhatsApp, gateway.SMS}[i/2], awa, fmt.Sprint("text ", i))
			w.Submit(t, sms(awa, fmt.Sprint("text ", i)))
			w.Clock.Advance(time.Second)
		}
		out, _ := w.export(t, awa)
		for name, member := range map[string]string{"messages": "createdAt", "events": "createdAt", "received": "at"} {
			list, _ := out[name].([]any)
			before := map[any]string{} // of each conversation, and of messages in none
			for _, item := range list {
				item := item.(map[string]any)
				at, conversation := item[member].(string), item["conversationId"]
				if last := before[conversation]; last != "" && at > last {
					t.Errorf("%s: %s after %s, want the latest first", name, at, last)
				}
				before[conversation] = at
			}
			if len(list) < 4 {
				t.Errorf("%d %s, want 4", len(list), name)
			}
		}
	})
}
