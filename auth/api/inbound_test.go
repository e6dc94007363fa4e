package api_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Rules: L71.
func TestInbound_MessyText(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Public, tenant.Live)
		for i, write := range []func(words []string) string{
			func(w []string) string { return strings.Join(w, " ") },
			func(w []string) string { return strings.ToUpper(strings.Join(w, " ")) },
			func(w []string) string { return "« " + strings.Join(w, ", ") + " ! »\n\nMerci" },
			func(w []string) string { return "Bonjour, voici: " + strings.Join(w, "-") + ". À bientôt 👋🏾" },
			func(w []string) string { return "\u200e*" + strings.Join(w, "*  *") + "*\u200f" },
			func(w []string) string { return strings.Join(w, "\n") },
			func(w []string) string { return "1) " + w[0] + " 2) " + w[1] + " 3) " + w[2] },
			unaccent,
			decompose,
		} {
			for _, lang := range []string{"fr", "en"} {
				b := s.browser()
				b.lang = lang
				loginID := b.start(a)
				text := write(strings.Fields(b.words(loginID)))
				if !s.message(fmt.Sprint("m", lang, i), alice, text) {
					t.Errorf("not taken: %q for %q", text, b.words(loginID))
				}
				if b.poll(loginID)["status"] != "VERIFIED" {
					t.Errorf("not verified by %q", text)
				}
			}
		}
	})
}

func unaccent(w []string) string {
	return strings.NewReplacer("é", "e", "è", "e", "ê", "e", "à", "a", "â", "a", "ç", "c", "î", "i", "ï", "i", "ô", "o", "û", "u", "ü", "u", "ë", "e").
		Replace(strings.Join(w, " "))
}

func decompose(w []string) string {
	return strings.NewReplacer("é", "e\u0301", "è", "e\u0300", "ê", "e\u0302", "ç", "c\u0327", "î", "i\u0302", "ô", "o\u0302").Replace(strings.Join(w, " "))
}

// Rules: L9, L71, L72.
func TestInbound_LeavesOthersMessagesAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Public, tenant.Live)
		b := s.browser()
		loginID := b.start(a)
		words := b.words(loginID)
		w := strings.Fields(words)
		before := s.rows()
		in := gateway.Inbound{ID: "m", Gateway: receiverGateway, Channel: gateway.WhatsApp, From: alice, To: receiverNumber, Text: words, At: s.Clock.Now()}
		for name, change := range map[string]func(*gateway.Inbound){
			"nothing":         func(in *gateway.Inbound) { in.Text = "" },
			"a greeting":      func(in *gateway.Inbound) { in.Text = "Hello, is the shop open?" },
			"two words":       func(in *gateway.Inbound) { in.Text = w[0] + " " + w[1] },
			"another order":   func(in *gateway.Inbound) { in.Text = w[1] + " " + w[0] + " " + w[2] },
			"another number":  func(in *gateway.Inbound) { in.To = "22370000009" },
			"no number":       func(in *gateway.Inbound) { in.To = "" },
			"SMS":             func(in *gateway.Inbound) { in.Channel = gateway.SMS },
			"another gateway": func(in *gateway.Inbound) { in.Gateway = "wa2" },
			"no gateway":      func(in *gateway.Inbound) { in.Gateway = "" },
			"no sender":       func(in *gateway.Inbound) { in.From = "group@g.us" },
			"a reaction":      func(in *gateway.Inbound) { in.Type = gateway.InboundReaction },
			"one word more in between": func(in *gateway.Inbound) {
				in.Text = w[0] + " zebra " + w[1] + " zebra " + w[2]
			},
			"far behind other words": func(in *gateway.Inbound) { in.Text = strings.Repeat("zebra ", 40) + words },
		} {
			other := in
			change(&other)
			taken, err := s.auth.Logins.Inbound(t.Context(), other)
			if foreign := other.To != in.To || other.Channel != in.Channel || other.Gateway != in.Gateway; taken || errors.Is(err, gateway.ErrForeign) != foreign || err != nil && !foreign {
				t.Errorf("%s: taken %v, %v", name, taken, err)
			}
		}
		if after := s.rows(); after != before {
			t.Errorf("stored something: %s, before: %s", after, before)
		}
		if b.poll(loginID)["status"] != "PENDING" {
			t.Error("verified by a message that isn't its own")
		}
	})
}

// Only a message proves or cancels a login: no edit, deletion, or reaction does, whatever it says.
// Rules: L72.
func TestInbound_OnlyMessagesProve(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		b := s.browser()
		loginID := b.start(s.app(tenant.Public, tenant.Live))
		says := func(text string, is string) {
			t.Helper()
			for _, kind := range []gateway.ChangeKind{gateway.MessageEdited, gateway.MessageDeleted} {
				if _, err := s.auth.Logins.Change(t.Context(), gateway.Change{
					ID: "c" + text, Gateway: receiverGateway, Channel: gateway.WhatsApp, Kind: kind, From: alice, To: receiverNumber, MessageID: "m0",
					Content: &gateway.Inbound{Type: gateway.InboundText, Text: text}, At: s.Clock.Now(),
				}); err != nil {
					t.Fatal(err)
				}
			}
			taken, err := s.auth.Logins.Inbound(t.Context(), gateway.Inbound{
				ID: "r" + text, Gateway: receiverGateway, Channel: gateway.WhatsApp, Type: gateway.InboundReaction, From: alice, To: receiverNumber, Text: text, At: s.Clock.Now(),
			})
			if taken || err != nil || b.poll(loginID)["status"] != is {
				t.Errorf("%q as an edit and as a reaction: taken %v, %v, and the login is %v, want %s", text, taken, err, b.poll(loginID)["status"], is)
			}
		}
		words := b.words(loginID)
		says(words, "PENDING")
		if !s.message("m1", alice, words) || b.poll(loginID)["status"] != "VERIFIED" {
			t.Error("not verified by the message")
		}
		says("NON", "VERIFIED")
	})
}

// Rules: L73.
func TestInbound_RepeatedWords(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Public, tenant.Live)
	b := s.browser()
	loginID := b.start(a)
	words := b.words(loginID)
	for range 2 { // a gateway can deliver a message twice
		if !s.message("m1", alice, words) {
			t.Error("the message with the words was not accepted")
		}
	}
	s.redeemed(a, b.code(loginID))
	s.Clock.Advance(9 * time.Minute)
	if !s.message("m2", alice, words) {
		t.Error("the same person's repeated words were not accepted")
	}
	if s.message("m3", bob, words) {
		t.Error("another person's words for a finished login were accepted")
	}
	s.Clock.Advance(10 * time.Minute)
	if s.message("m4", alice, words) {
		t.Error("words were accepted long after their login")
	}
}

// A message is an error while the database is unavailable, so that the driver keeps it.
// Rules: L76.
func TestInbound_StorageAway(t *testing.T) {
	s := newService(t, dbtest.Postgres(t))
	b := s.browser()
	words := b.words(b.start(s.app(tenant.Public, tenant.Live)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in := gateway.Inbound{ID: "m", Gateway: receiverGateway, Channel: gateway.WhatsApp, From: alice, To: receiverNumber, Text: words}
	if taken, err := s.auth.Logins.Inbound(ctx, in); taken || err == nil {
		t.Errorf("taken %v, error %v", taken, err)
	}
}

// Rules: L72, L82.
func TestInbound_TestClientsToo(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	b := s.browser()
	loginID := b.start(s.app(tenant.Public, tenant.Test))
	if !s.message("m", alice, b.words(loginID)) || b.poll(loginID)["status"] != "VERIFIED" {
		t.Error("a message does not prove a TEST login")
	}
}
