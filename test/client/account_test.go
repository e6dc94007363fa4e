package client_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/test/servicetest"
)

const awa = "22376543210"

func TestInbox(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		ctx, c := t.Context(), s.client()
		for i, text := range []string{"Bonjour", "la facture", "merci"} {
			in := gateway.Inbound{ID: text, Gateway: "fake", Channel: gateway.WhatsApp, From: awa, To: messagingtest.WhatsApp, Type: gateway.InboundText, Text: text, DisplayName: "Awa", At: s.Clock.Now()}
			if i == 1 {
				in.Type, in.MediaData, in.MIMEType, in.FileName = gateway.InboundDocument, "%PDF-1.7 rest", "application/pdf", "reçu.pdf"
			}
			if err := s.Inbox.Receive(ctx, in); err != nil {
				t.Fatal(err)
			}
			s.Clock.Advance(time.Second)
		}
		page, err := c.Conversations(ctx, griot.InboxFilter{Query: "Awa"})
		if err != nil || len(page.Conversations) != 1 || page.Conversations[0].UnreadCount != 3 || page.Conversations[0].ContactPhone != "+"+awa || !page.Conversations[0].LastMessageAt.Time().Equal(s.Clock.Now().Add(-time.Second)) {
			t.Fatalf("conversations: got %+v, %v, want one with Awa, three unread", page, err)
		}
		id := page.Conversations[0].ID
		var messages []griot.InboxMessage
		for m, err := range c.AllConversationMessages(ctx, id, griot.InboxFilter{Limit: 2}) {
			if err != nil {
				t.Fatal(err)
			}
			messages = append(messages, m)
		}
		if len(messages) != 3 || messages[0].Content != "merci" || messages[1].FileName != "reçu.pdf" || messages[2].Direction != "in" {
			t.Fatalf("messages on two pages: got %+v, want three, the newest first", messages)
		}
		media, err := c.Media(ctx, messages[1].MediaURL)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(media.Body)
		if err = errors.Join(err, media.Body.Close()); err != nil || string(data) != "%PDF-1.7 rest" || media.FileName != "reçu.pdf" || media.ContentType != "application/pdf" || media.Size != int64(len(data)) {
			t.Errorf("media: got %q, %+v, %v, want the document", data, media, err)
		}
		if _, err := c.Media(ctx, "med_nothing"); !errors.Is(err, griot.ErrNotFound) {
			t.Errorf("unknown media: got %v, want not_found", err)
		}
		found, err := c.SearchInbox(ctx, griot.InboxFilter{Query: "merci"})
		if err != nil || len(found.Messages) != 1 || found.Messages[0].Conversation.ID != id {
			t.Errorf("search: got %+v, %v, want one message", found, err)
		}
		before, err := c.InboxRevision(ctx)
		if err != nil || before.UnreadTotal != 3 {
			t.Errorf("revision: got %+v, %v, want three unread", before, err)
		}
		read, err := c.MarkRead(ctx, id)
		if err != nil || read.UnreadCount != 0 || read.PreviousRevision != before.Revision || read.Revision == before.Revision {
			t.Errorf("read: got %+v, %v, want none unread and another revision than %s", read, err, before.Revision)
		}
		if unread, err := c.MarkUnread(ctx, id); err != nil || unread.UnreadCount != 1 {
			t.Errorf("unread: got %+v, %v, want one", unread, err)
		}
		s.then(servicetest.BreakAfter)
		reply, err := c.Reply(ctx, id, &griot.Reply{Text: "de rien", ReplyTo: messages[0].ID})
		if err != nil || reply.To != "+"+awa || reply.Deduplicated || reply.IdempotencyKey == "" || len(s.Gateway.Calls()) != 1 {
			t.Errorf("reply over a broken connection: got %+v, %v, sent %d times, want one message", reply, err, len(s.Gateway.Calls()))
		}
		if _, err := c.MarkRead(ctx, ""); !isArgument(err, "id") {
			t.Errorf("no id: got %v, want an *ArgumentError of id", err)
		}
	})
}

func isArgument(err error, field string) bool {
	e, ok := errors.AsType[*griot.ArgumentError](err)
	return ok && e.Field == field && strings.HasPrefix(err.Error(), "griot: ")
}

func TestSendersAndOptOuts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		ctx, c := t.Context(), s.client()
		senders, err := c.Senders(ctx)
		if err != nil || senders.Count != 3 || senders.Senders[0].State != griot.Connected {
			t.Fatalf("senders: got %+v, %v, want three", senders, err)
		}
		var sender griot.Sender
		for _, sender = range senders.Senders {
			if sender.Channel == griot.SMS {
				break
			}
		}
		for range 2 {
			if paused, err := c.PauseSender(ctx, sender.ID); err != nil || !paused.Sender.PausedAt.Equal(s.Clock.Now()) {
				t.Errorf("pause: got %+v, %v, want it paused now", paused, err)
			}
		}
		if _, err := c.Send(ctx, sms()); !errors.Is(err, griot.ErrSenderPaused) {
			t.Errorf("a send by a paused sender: got %v, want sender_paused", err)
		}
		if resumed, err := c.ResumeSender(ctx, sender.ID); err != nil || !resumed.Sender.PausedAt.IsZero() || resumed.Queue == nil {
			t.Errorf("resume: got %+v, %v, want it not paused", resumed, err)
		}
		if _, err := c.Sender(ctx, "snd_nothing"); !errors.Is(err, griot.ErrSenderNotFound) {
			t.Errorf("an unknown sender: got %v, want sender_not_found", err)
		}
		added, err := c.AddOptOut(ctx, griot.SMS, "22376000001")
		if err != nil || added.OptOut.Address != "+22376000001" || added.OptOut.Source != "added" {
			t.Fatalf("opt-out: got %+v, %v, want the number", added, err)
		}
		if _, err := c.Send(ctx, sms()); !errors.Is(err, griot.ErrRecipientOptedOut) {
			t.Errorf("a send to who has opted out: got %v, want recipient_opted_out", err)
		}
		if _, err := c.AddOptOut(ctx, griot.Email, "a@example.com"); err != nil {
			t.Fatal(err)
		}
		seen := 0
		for o, err := range c.AllOptOuts(ctx, griot.OptOutFilter{Limit: 1}) {
			if err != nil || o.ID == "" {
				t.Fatalf("opt-outs: got %+v, %v", o, err)
			}
			seen++
		}
		s.then(servicetest.BreakAfter)
		if err := c.RemoveOptOut(ctx, added.OptOut.ID); err != nil || seen != 2 {
			t.Errorf("removal over a broken connection: got %v, want nil; %d opt-outs before, want 2", err, seen)
		}
		if err := c.RemoveOptOut(ctx, added.OptOut.ID); !errors.Is(err, griot.ErrOptOutNotFound) {
			t.Errorf("a second removal: got %v, want opt_out_not_found", err)
		}
		if key, err := c.DescribeKey(ctx); err != nil || key.Kind != "live" || key.Account.ID != s.Account.ID || key.Project != nil || !key.Features.Inbox || *key.Usage.Remaining != *key.Usage.Limit {
			t.Errorf("whose key: got %+v, %v, want the account's live key, with the whole quota", key, err)
		}
		presets, err := c.Presets(ctx)
		if err != nil || len(presets.Presets) < 6 || presets.Presets[0].Texts["fr"].Text == "" {
			t.Errorf("presets: got %+v, %v, want six with their texts", presets, err)
		}
		health, err := c.Health(ctx)
		if err != nil || health.Status != "ok" {
			t.Errorf("health: got %+v, %v, want ok", health, err)
		}
		if _, err := c.Send(ctx, sms()); err != nil {
			t.Fatal(err)
		}
		stats, err := c.Stats(ctx, griot.StatsFilter{From: s.Clock.Now().Add(-time.Hour), To: s.Clock.Now().Add(time.Hour), Step: "hour"})
		if err != nil || len(stats.Buckets) < 2 || !stats.Complete {
			t.Errorf("stats: got %+v, %v, want a bucket an hour", stats, err)
		}
		if codes, err := c.CodeStats(ctx); err != nil || !codes.Complete {
			t.Errorf("statistics of codes: got %+v, %v, want them complete", codes, err)
		}
	})
}

func TestWebhooks(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		ctx, c := t.Context(), s.client()
		if none, err := c.Webhook(ctx); err != nil || none.Webhook != nil {
			t.Errorf("without an endpoint: got %+v, %v, want none", none, err)
		}
		if _, err := c.PingWebhook(ctx); !errors.Is(err, griot.ErrWebhookNotConfigured) {
			t.Errorf("a ping without an endpoint: got %v, want webhook_not_configured", err)
		}
		if _, err := s.Endpoints.Set(ctx, s.Account.ID, "http://127.0.0.1:9/hook"); err != nil {
			t.Fatal(err)
		}
		ping, err := c.PingWebhook(ctx)
		if err != nil {
			t.Fatal(err)
		}
		event, err := c.WebhookEvent(ctx, ping.EventID)
		if err != nil || event.Type != "webhook.ping" || !strings.Contains(event.Body, ping.EventID) || event.Delivery != "pending" {
			t.Errorf("the ping's event: got %+v, %v, want it pending", event, err)
		}
		if again, err := c.ResendWebhookEvent(ctx, ping.EventID); err != nil || again.EventID != ping.EventID {
			t.Errorf("resend: got %+v, %v, want the same event", again, err)
		}
		if none, err := c.ResendFailedWebhookEvents(ctx, s.Clock.Now().Add(-time.Hour)); err != nil || none.Resent != 0 {
			t.Errorf("resend what failed: got %+v, %v, want none", none, err)
		}
		if now, err := c.EnableWebhook(ctx); err != nil || !now.Webhook.Enabled || now.Webhook.Pending == 0 {
			t.Errorf("the endpoint: got %+v, %v, want it enabled, with an event that waits", now, err)
		}
		if _, err := c.Send(ctx, sms()); err != nil {
			t.Fatal(err)
		}
		seen := 0
		for e, err := range c.AllWebhookEvents(ctx, griot.WebhookEventFilter{Limit: 1, Delivery: "pending"}) {
			if err != nil || e.EventID == "" {
				t.Fatalf("events: got %+v, %v", e, err)
			}
			seen++
		}
		if seen != 2 {
			t.Errorf("got %d events, want the ping and the message's", seen)
		}
		s.then(servicetest.BreakBefore)
		if _, err := c.PingWebhook(ctx); err == nil || s.made() != 1 {
			t.Errorf("a ping whose answer is lost: got %v after %d calls, want an error after one", err, s.made())
		}
	})
}

// Rules: M213.
func TestSetWebhook(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.Endpoints.AccountsSetURL = true
		s := serve(t, w)
		ctx, c := t.Context(), s.client()
		first, err := c.SetWebhook(ctx, "https://shop.example/hooks")
		if err != nil || first.Webhook.URL != "https://shop.example/hooks" || !strings.HasPrefix(first.Secret, "whsec_") {
			t.Fatalf("got %+v, %v, want the endpoint with a secret", first, err)
		}
		rotated, err := c.RotateWebhookSecret(ctx)
		if err != nil || rotated.Secret == first.Secret || !rotated.PreviousSecretUntil.Equal(s.Clock.Now().Add(24*time.Hour)) {
			t.Errorf("rotated: got %+v, %v, want another secret", rotated, err)
		}
		_, err = c.SetWebhook(ctx, "http://shop.example/hooks")
		if refused, ok := errors.AsType[*griot.Error](err); !ok || refused.Field != "url" || !errors.Is(err, griot.ErrInvalidRequest) {
			t.Errorf("http: got %v, want invalid_request of url", err)
		}
		if none, err := c.SetWebhook(ctx, ""); err != nil || none.Webhook != nil || none.Secret != "" {
			t.Errorf("removed: got %+v, %v, want no endpoint", none, err)
		}
		if _, err := c.RotateWebhookSecret(ctx); !errors.Is(err, griot.ErrWebhookNotConfigured) {
			t.Errorf("rotated without an endpoint: got %v, want webhook_not_configured", err)
		}
		s.then(servicetest.BreakAfter)
		if _, err := c.SetWebhook(ctx, "https://shop.example/hooks"); err == nil || s.made() != 1 {
			t.Errorf("a lost response: got %v after %d calls, want an error after one", err, s.made())
		}
		if again, err := c.RotateWebhookSecret(ctx); err != nil || !strings.HasPrefix(again.Secret, "whsec_") {
			t.Errorf("rotated after a lost response: got %+v, %v, want a secret", again, err)
		}
	})
}

func TestSetWebhook_NotSwitchedOn(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	if _, err := s.client().SetWebhook(t.Context(), "https://shop.example/hooks"); !errors.Is(err, griot.ErrMethodNotAllowed) {
		t.Errorf("got %v, want method_not_allowed", err)
	}
	if _, err := s.client().RotateWebhookSecret(t.Context()); !errors.Is(err, griot.ErrNotFound) {
		t.Errorf("got %v, want not_found", err)
	}
}

func TestListen(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		ctx := waittest.Context(t)
		c := s.client()
		var secrets []string
		var lost []error
		send := func() {
			if _, err := c.Send(ctx, sms()); err != nil {
				t.Error(err)
			}
		}
		var first, second griot.StreamEvent
		o := griot.ListenOptions{Lost: func(err error) { lost = append(lost, err) }, Secret: func(secret string) {
			if secrets = append(secrets, secret); len(secrets) == 1 {
				send()
			}
		}}
		s.then(servicetest.BreakBefore, servicetest.Respond(503, errorBody("storage_unavailable")))
		for e, err := range c.Listen(ctx, o) {
			if err != nil {
				t.Fatal(err)
			}
			if first.EventID == "" {
				first = e
				rotated, err := c.RotateStreamSecret(ctx)
				if err != nil || rotated.Secret == e.Secret {
					t.Fatalf("rotate: got %+v, %v, want another secret", rotated, err)
				}
				send()
				continue
			}
			second = e
			break
		}
		if first.Type != "message.status" || !strings.Contains(first.Body, first.EventID) || first.Secret != secrets[0] || second.EventID == first.EventID || len(lost) == 0 {
			t.Errorf("got %+v, then %+v, with the secrets %q after losing %v; want two events", first, second, secrets, lost)
		}
		for e, err := range c.Listen(ctx, griot.ListenOptions{After: first.EventID}) {
			if err != nil || e.EventID != second.EventID {
				t.Errorf("behind the first: got %+v, %v, want the second", e, err)
			}
			break
		}
		unknown, err := griot.New(s.url, "svc_live_unknown", griot.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range unknown.Listen(ctx, griot.ListenOptions{}) {
			if !errors.Is(err, griot.ErrUnauthorized) {
				t.Errorf("an unknown key: got %v, want unauthorized", err)
			}
		}
		ended, end := context.WithCancel(ctx)
		end()
		for _, err := range c.Listen(ended, griot.ListenOptions{}) {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("a context that has ended: got %v", err)
			}
		}
	})
}
