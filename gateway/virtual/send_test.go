package virtual_test

import (
	"context"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/internal/waittest"
)

func TestSend_ShowsTheMessageOnThePhone(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		out := outbound(aissata)
		ack := g.send(out)
		if !regexp.MustCompile(`^vp_[0-9A-HJKMNP-TV-Z]{26}$`).MatchString(ack.ProviderID) {
			t.Errorf("ProviderID %q", ack.ProviderID)
		}
		g.clock.Advance(time.Second)
		sms := outbound(aissata)
		sms.Channel, sms.Text = gateway.SMS, "Encore"
		g.send(sms)
		want := object{
			"id": ack.ProviderID, "direction": "in", "channel": "whatsapp", "from": ourNumber, "to": aissata, "type": "text", "text": "Bonjour",
			"html": nil, "subject": nil, "mediaUrl": nil, "mimeType": nil, "fileName": nil, "mediaSize": nil, "mediaSha256": nil, "interactive": nil, "template": nil, "choice": nil, "replyTo": nil, "at": "2026-05-01T12:00:00.007Z", "status": "delivered", "reference": out.Ref,
		}
		got := g.messages("+" + aissata)
		if len(got) != 2 {
			t.Fatalf("%d messages", len(got))
		}
		if diff := cmp.Diff(want, got[0]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got[1]["channel"] != "sms" || got[1]["at"] != "2026-05-01T12:00:01.007Z" || got[1]["text"] != "Encore" {
			t.Errorf("the second message: %v", got[1])
		}
		if n := len(g.messages(moussa)); n != 0 {
			t.Errorf("another phone shows %d messages", n)
		}
	})
}

func TestSend_MailAndGroupsHaveListsOfTheirOwn(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		mail := outbound("Aissata@Example.org")
		g.send(mail)
		group := outbound(aissata)
		group.GroupID = family
		g.send(group)
		got := g.messages(mailbox)
		if len(got) != 1 || got[0]["html"] != "<p>Bonjour</p>" || got[0]["subject"] != "Objet" || got[0]["to"] != "Aissata@Example.org" {
			t.Errorf("the mailbox: %v", got)
		}
		if got := g.messages(family); len(got) != 1 || got[0]["to"] != family {
			t.Errorf("the group: %v", got)
		}
		if n := len(g.messages(aissata)); n != 0 {
			t.Errorf("the group's message is also on a phone")
		}
	})
}

func TestSend_RefusesWhatCannotBeDelivered(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		for code, change := range map[string]func(*gateway.Outbound){
			"unsupported_channel": func(o *gateway.Outbound) { o.Channel = "pigeon" },
			"expired":             func(o *gateway.Outbound) { o.ExpiresAt = g.clock.Now() },
			"unknown_group":       func(o *gateway.Outbound) { o.GroupID = "1-2@g.us" },
			"not_in_group":        func(o *gateway.Outbound) { o.GroupID, o.From = family, "22320000009" },
			"media_unsupported":   func(o *gateway.Outbound) { o.Channel, o.Media = gateway.SMS, &gateway.Media{} },
			"invalid_recipient":   func(o *gateway.Outbound) { o.To = mailbox },
		} {
			out := outbound(aissata)
			change(out)
			g.refused(out, gateway.Permanent, code)
			if got := g.outcomes(out.Ref); !slices.Equal(got, []string{"permanent"}) {
				t.Errorf("%s: attempts %v", code, got)
			}
		}
		sms := outbound(aissata)
		sms.Channel, sms.GroupID = gateway.SMS, family
		g.refused(sms, gateway.Permanent, "unknown_group")
		mail := outbound(mailbox)
		mail.To = aissata
		g.refused(mail, gateway.Permanent, "invalid_recipient")
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := g.Send(ctx, outbound(aissata)); gateway.AsError(err).Class != gateway.Temporary {
			t.Errorf("with an ended context: %v", err)
		}
		for _, address := range []string{aissata, mailbox, family} {
			if got := g.messages(address); len(got) != 0 {
				t.Errorf("%s shows %v", address, got)
			}
		}
		late := outbound(aissata)
		late.ExpiresAt = g.clock.Now().Add(time.Millisecond)
		g.send(late)
	})
}

func TestSend_DeliversAReferenceOnce(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		out := outbound(aissata)
		var wg sync.WaitGroup
		acks := make([]gateway.Ack, 64)
		for i := range acks {
			wg.Go(func() {
				var err error
				if acks[i], err = g.Send(context.Background(), out); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		got := g.messages(aissata)
		if len(got) != 1 {
			t.Fatalf("delivered %d times", len(got))
		}
		for _, ack := range acks {
			if ack.ProviderID != got[0]["id"] {
				t.Fatalf("an ack of %q, the message is %v", ack.ProviderID, got[0]["id"])
			}
		}
		outcomes := g.outcomes(out.Ref)
		slices.Sort(outcomes)
		if want := append([]string{"delivered"}, slices.Repeat([]string{"duplicate"}, 63)...); !slices.Equal(outcomes, want) {
			t.Errorf("attempts: %v", outcomes)
		}
		g.run()
		last := outbound(moussa)
		g.send(last)
		g.wait("receipts", func() bool {
			rs := g.sink.Receipts()
			return len(rs) > 0 && slices.ContainsFunc(rs, func(r gateway.Receipt) bool { return r.Ref == last.Ref })
		})
		if n := len(g.sink.Receipts()); n != 2 {
			t.Errorf("%d receipts for two messages", n)
		}
	})
}

func TestSend_WithoutDeduplication(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		if got := g.ok("GET", "/dev/phones-options", "")["deduplicate"]; got != true || !g.Info().Deduplicates {
			t.Errorf("to begin with, deduplicate is %v", got)
		}
		out := outbound(aissata)
		first := g.send(out)
		if got := g.ok("PUT", "/dev/phones-options", `{"deduplicate":false}`)["deduplicate"]; got != false || g.Info().Deduplicates {
			t.Error("deduplication is not off")
		}
		if second := g.send(out); second == first {
			t.Error("two messages have one id")
		}
		if n := len(g.messages(aissata)); n != 2 {
			t.Errorf("%d messages, want both", n)
		}
		other := outbound(moussa)
		for range 3 {
			g.send(other)
		}
		g.ok("PUT", "/dev/phones-options", `{"deduplicate":true}`)
		if again := g.send(out); again != first {
			t.Errorf("the ack is %v, not the first one's %v", again, first)
		}
		g.send(other)
		if a, m := len(g.messages(aissata)), len(g.messages(moussa)); a != 2 || m != 3 {
			t.Errorf("%d and %d messages, want 2 and 3", a, m)
		}
		if got := g.outcomes(out.Ref); !slices.Equal(got, []string{"delivered", "delivered", "duplicate"}) {
			t.Errorf("attempts: %v", got)
		}
		none := outbound(aissata)
		none.Ref = ""
		if a, b := g.send(none), g.send(none); a == b {
			t.Error("messages without a reference are taken for one")
		}
	})
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		out := outbound(aissata)
		out.Sensitive, out.Text = true, "123456"
		g.send(out)
		group := outbound("")
		group.GroupID = family
		g.send(group)
		want := []object{{
			"reference": out.Ref, "at": "2026-05-01T12:00:00.007Z", "channel": "whatsapp", "from": ourNumber, "to": aissata, "outcome": "delivered",
		}}
		if diff := cmp.Diff(want, g.list("/dev/attempts/"+out.Ref, "attempts")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got := g.list("/dev/attempts/"+group.Ref, "attempts"); len(got) != 1 || got[0]["to"] != family {
			t.Errorf("the group's attempt: %v", got)
		}
		if got := g.list("/dev/attempts/msg_unknown", "attempts"); len(got) != 0 {
			t.Errorf("attempts at nothing: %v", got)
		}
		if status, answer := g.call("GET", "/dev/attempts/a%00b", ""); status != 400 || answer["error"] != "invalid_reference" {
			t.Errorf("U+0000: %d, %v", status, answer)
		}
	})
}

func TestClose(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		g.ok("PUT", "/dev/faults/sms", `{"outcome":"timeout"}`)
		held := outbound(aissata)
		held.Channel = gateway.SMS
		done := make(chan error)
		go func() {
			_, err := g.Send(context.Background(), held)
			done <- err
		}()
		g.waitForAttempt(held.Ref)
		for range 2 {
			if err := g.Close(); err != nil {
				t.Fatal(err)
			}
			g.refused(outbound(aissata), gateway.SenderDown, "virtual_closed")
		}
		if err := waittest.Receive(t, done); gateway.AsError(err).Code != "virtual_timeout" {
			t.Errorf("got %v, want virtual_timeout", err)
		}
	})
}

func TestState_IsConnected(t *testing.T) {
	t.Parallel()
	g := open(t, "")
	if s := g.State(gateway.SMS, ourNumber).State; s != gateway.Connected {
		t.Errorf("State = %q, want %q", s, gateway.Connected)
	}
	want := gateway.Info{Channels: []gateway.Channel{gateway.WhatsApp, gateway.SMS, gateway.Email}, Deduplicates: true, Receipts: true, Media: true, MediaByLink: true, Replies: true, Window: 256}
	if diff := cmp.Diff(want, g.Info()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
