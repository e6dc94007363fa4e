package delivery_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/person"
)

// acknowledgesAs makes the gateway acknowledge every recipient under an ID.
func acknowledgesAs(w *messagingtest.World, id string) {
	w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
		return gateway.Ack{ProviderID: "p_" + out.Ref, Recipient: id}, nil
	})
}

// submit sends a text and returns its message's ID, or "" and the refusal.
func submit(t *testing.T, w *messagingtest.World, to string, channel gateway.Channel) (id string, err error) {
	t.Helper()
	caller, err := w.Directory.Authenticate(t.Context(), w.LiveKey)
	if err != nil {
		t.Fatal(err)
	}
	res, err := w.Delivery.Submit(t.Context(), caller, &message.Request{To: to, Channel: channel, Content: message.Content{Text: "bonjour", Subject: "x"}, Source: message.SourceAPI})
	if err != nil {
		return "", err
	}
	return res.Message.ID, nil
}

// writes simulates a message from a person to the account's WhatsApp number.
func writes(t *testing.T, w *messagingtest.World, from, id, text string, at time.Time) {
	t.Helper()
	if err := w.Inbox.Receive(t.Context(), gateway.Inbound{ID: id, Gateway: "fake", Channel: gateway.WhatsApp, From: from, To: first, Text: text, At: at}); err != nil {
		t.Fatal(err)
	}
}

// conversations lists the account's conversations.
func conversations(t *testing.T, w *messagingtest.World) []inbox.Conversation {
	t.Helper()
	list, err := w.Inbox.Conversations(t.Context(), w.LiveCaller, &inbox.Query{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	return list.List
}

// A person's WhatsApp id differs from the dialed number: in countries with two spellings, which need no acknowledgment, and in
// others, whose id the first acknowledgment shows.
// Rules: M174.
func TestPerson_WhatsAppIDDiffersFromTheNumber(t *testing.T) {
	for name, c := range map[string]struct{ dialed, id string }{
		"Brazil": {"+5511987654321", "551187654321"}, "Mexico": {"+525512345678", "5215512345678"}, "Argentina": {"+541112345678", "5491112345678"},
		"Ivory Coast": {"+2250747000001", "22547000001"}, "the reverse": {"+551187654321", "5511987654321"},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "business")
				acknowledgesAs(w, c.id)
				if _, err := submit(t, w, c.dialed, gateway.WhatsApp); err != nil {
					t.Fatal(err)
				}
				writes(t, w, c.id, "in1", "bonjour", w.Clock.Now())
				for _, to := range []string{c.dialed, c.id} {
					id, err := submit(t, w, to, gateway.WhatsApp)
					if err != nil {
						t.Fatal(err)
					}
					if m := w.Message(t, id); m.ConversationID == "" {
						t.Errorf("a message to %s is in no conversation", to)
					}
				}
				if list := conversations(t, w); len(list) != 1 {
					t.Errorf("%d conversations, want 1: %+v", len(list), list)
				}
				writes(t, w, c.id, "in2", "STOP", w.Clock.Now())
				for _, to := range []string{c.dialed, c.id} {
					if _, err := submit(t, w, to, gateway.WhatsApp); !errors.Is(err, apierror.RecipientOptedOut.Err()) {
						t.Errorf("to %s after STOP: %v, want %v", to, err, apierror.RecipientOptedOut.Err())
					}
				}
				w.Clock.Advance(time.Second)
				writes(t, w, c.id, "in3", "START", w.Clock.Now())
				if _, err := submit(t, w, c.dialed, gateway.WhatsApp); err != nil {
					t.Errorf("after START: %v", err)
				}
			})
		})
	}
}

// The person wrote, and opted out, before the first acknowledgment showed that the dialed number is theirs.
// Rules: M174.
func TestPerson_WroteBeforeTheFirstSend(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const dialed, id = "+2250747000001", "22547000001"
		w := messagingtest.New(t, d, "business", func(s *account.Spec) { s.RecipientCap = 3 })
		writes(t, w, id, "in1", "bonjour", w.Clock.Now())
		acknowledgesAs(w, id)
		for _, to := range []string{dialed, id, dialed} {
			if _, err := submit(t, w, to, gateway.WhatsApp); err != nil {
				t.Fatal(err)
			}
		}
		for _, to := range []string{dialed, id} {
			if _, err := submit(t, w, to, gateway.WhatsApp); !errors.Is(err, apierror.RecipientLimitReached.Err()) {
				t.Errorf("a fourth message, to %s: %v, want %v", to, err, apierror.RecipientLimitReached.Err())
			}
		}
		if list := conversations(t, w); len(list) != 1 {
			t.Errorf("%d conversations, want 1", len(list))
		}
	})
}

// Each spelling of an address counts toward one limit, and one opt-out stops all of them.
// Rules: M174.
func TestPerson_SpellingsOfOneAddress(t *testing.T) {
	for name, c := range map[string]struct {
		channel   gateway.Channel
		spellings []string
	}{
		"case of an email address": {gateway.Email, []string{"binta@example.com", "Binta@Example.com", "binta@EXAMPLE.COM"}},
		"domain":                   {gateway.Email, []string{"awa@bücher.example", "awa@xn--bcher-kva.example", "awa@BÜCHER.example"}},
		"Brazil":                   {gateway.SMS, []string{"+551187654321", "5511987654321"}},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "business", func(s *account.Spec) { s.RecipientCap = 1 })
				if _, err := submit(t, w, c.spellings[0], c.channel); err != nil {
					t.Fatal(err)
				}
				for _, to := range c.spellings {
					if _, err := submit(t, w, to, c.channel); !errors.Is(err, apierror.RecipientLimitReached.Err()) {
						t.Errorf("a second message, to %s: %v, want %v", to, err, apierror.RecipientLimitReached.Err())
					}
					f := &message.Filter{AccountID: w.Account.ID, To: to, Limit: 10}
					if list, _, err := message.List(d.Read(t.Context()), f); err != nil || len(list) != 1 {
						t.Errorf("the filter %s finds %d messages, %v, want 1", to, len(list), err)
					}
				}
			})
		})
	}
}

// A late START undoes no opt-out that was stored after the START was written, by the account or for a person who was
// erased since. Some providers report whole seconds.
func TestPerson_LateStart(t *testing.T) {
	for name, c := range map[string]struct {
		ago time.Duration
		out bool
	}{"written before": {300 * time.Second, true}, "written in the same second": {time.Millisecond, false}, "written after": {-time.Minute, false}} {
		dbtest.Each(t, func(t *testing.T, d *db.DB) {
			w := messagingtest.New(t, d, "business")
			at := w.Clock.Now()
			pseudonym := person.NewKey(w.Master).Pseudonym(w.Account.ID, "22376000002")
			w.Write(t, func(tx *db.Tx) error {
				if _, err := optout.Add(tx, w.Account.ID, gateway.WhatsApp, "22376000001", optout.Added, at); err != nil {
					return err
				}
				_, err := optout.Add(tx, w.Account.ID, gateway.WhatsApp, pseudonym, optout.Requested, at)
				return err
			})
			w.Clock.Advance(time.Hour)
			for _, to := range []string{"22376000001", "22376000002"} {
				writes(t, w, to, to, "START", at.Add(-c.ago))
				if _, err := submit(t, w, to, gateway.WhatsApp); errors.Is(err, apierror.RecipientOptedOut.Err()) != c.out {
					t.Errorf("%s, %s: %v, want opted out: %v", name, to, err, c.out)
				}
			}
		})
	}
}

// Providers repeat calls for days. The keyword that was written last is used, in each order of arrival.
// Rules: M174.
func TestPerson_LastKeywordCounts(t *testing.T) {
	type word struct {
		text string
		ago  time.Duration
	}
	for name, c := range map[string]struct {
		words []word
		out   bool
	}{
		"STOP, and an older START":           {[]word{{"STOP", 10 * time.Second}, {"START", 300 * time.Second}}, true},
		"START, and an older STOP":           {[]word{{"START", 10 * time.Second}, {"STOP", 300 * time.Second}}, false},
		"STOP, then START":                   {[]word{{"STOP", 300 * time.Second}, {"START", 10 * time.Second}}, false},
		"STOP and START at the same time":    {[]word{{"STOP", time.Second}, {"START", time.Second}}, true},
		"START and STOP at the same time":    {[]word{{"START", time.Second}, {"STOP", time.Second}}, true},
		"START of the future, then STOP":     {[]word{{"START", -24 * 1000 * time.Hour}, {"STOP", -24 * 1001 * time.Hour}}, true},
		"STOP, START, and an older STOP":     {[]word{{"STOP", 300 * time.Second}, {"START", 10 * time.Second}, {"STOP", 200 * time.Second}}, false},
		"STOP twice, and a START in between": {[]word{{"STOP", 300 * time.Second}, {"STOP", 10 * time.Second}, {"START", 200 * time.Second}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "business")
				now := w.Clock.Now()
				for i, said := range c.words {
					writes(t, w, "22376000001", string(rune('a'+i)), said.text, now.Add(-said.ago))
				}
				if _, err := submit(t, w, "22376000001", gateway.WhatsApp); errors.Is(err, apierror.RecipientOptedOut.Err()) != c.out {
					t.Errorf("%v, want opted out: %v", err, c.out)
				}
			})
		})
	}
}
