package client_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/test/servicetest"
)

// unique gives an account of its own to a test that shares a database.
func unique(name string) func(*account.Spec) {
	return func(s *account.Spec) {
		s.Email = strings.ReplaceAll(name, " ", "-") + "@example.com"
		for i := range s.Senders {
			s.Senders[i].Address = fmt.Sprintf("2237%07d", 1000*len(name)+int(name[len(name)-1])*3+i)
			if s.Senders[i].Channel == gateway.Email {
				s.Senders[i].Address = strings.ReplaceAll(name, " ", "-") + "@example.org"
			}
		}
	}
}

func TestStory(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		ctx, c := t.Context(), s.client()
		m := sms()
		m.IdempotencyKey = "order 2041 – envoyée"
		first, err := c.Send(ctx, m)
		if err != nil || first.Status != griot.Sent || first.Channel != griot.SMS || first.To != "+22376000001" || first.MessagesUsed != 1 || first.Limit != 50_000 || first.IdempotencyKey != m.IdempotencyKey {
			t.Fatalf("the first send: got %+v, %v, want it SENT to +22376000001 by SMS, as the first of 50000", first, err)
		}
		m.Text = "another"
		if again, err := c.Send(ctx, m); err != nil || !again.Deduplicated || !again.PayloadMismatch || again.MessageID != first.MessageID {
			t.Errorf("the same key with another text: got %+v, %v, want the first message and a mismatch", again, err)
		}
		err = s.Delivery.Receipt(ctx, gateway.Receipt{Gateway: "fake", Ref: first.MessageID, Status: gateway.ReceiptDelivered, At: s.Clock.Now().Add(time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		st, err := c.Status(ctx, first.NotifMessageID)
		if err != nil || st.Status != griot.Delivered || !st.DeliveredAt.Equal(s.Clock.Now().Add(time.Second)) || !st.ReadAt.IsZero() || st.Error != nil || len(st.Events) < 3 || st.Events[0].Status != griot.Queued {
			t.Errorf("status: got %+v, %v, want DELIVERED with its time and three events", st, err)
		}
		if !bytes.Contains(st.Raw, []byte(`"messageId":"`+first.MessageID)) || len(st.RequestID) != 26 {
			t.Errorf("%s, %s", st.Raw, st.RequestID)
		}
		at := s.Clock.Now().Add(time.Hour).Add(time.Microsecond)
		later, err := c.Send(ctx, &griot.Message{To: "awa@example.com", Channel: griot.Email, Subject: "Objet", Text: "x", HTML: "<p>x</p>", ScheduledAt: at, ExpiresAt: at.Add(time.Hour)})
		if err != nil || later.Status != griot.Scheduled {
			t.Fatalf("a scheduled email: got %+v, %v, want SCHEDULED", later, err)
		}
		for range 2 {
			if done, err := c.Cancel(ctx, later.MessageID); err != nil || done.Status != griot.Canceled || done.MessageID != later.MessageID {
				t.Errorf("cancel: got %+v, %v, want CANCELED", done, err)
			}
		}
		preset, err := c.Send(ctx, &griot.Message{To: "22376000001", Channel: griot.WhatsApp, Preset: "otp", PresetVariables: map[string]string{"code": "482913"}, Sandbox: true})
		if err != nil || preset.Status != griot.Sandbox {
			t.Errorf("a preset in the sandbox: got %+v, %v, want SANDBOX", preset, err)
		}
		used := s.used()
		dry, err := c.Preview(ctx, &griot.Message{To: "22376000001", Channel: griot.Auto, Text: strings.Repeat("ê", 80)})
		if err != nil || dry.Channel != griot.WhatsApp || dry.Segments != 2 || dry.Encoding != "UCS-2" || dry.Characters != 80 || len(dry.Route) != 2 || dry.Route[1].Channel != griot.SMS || dry.Remaining != 50_000-used || s.used() != used {
			t.Errorf("preview: got %+v, %v, want WhatsApp before SMS, two segments of UCS-2, and nothing counted", dry, err)
		}
		batch, err := c.SendBatch(ctx, &griot.Batch{Messages: []*griot.Message{sms(), {To: "nobody", Channel: griot.SMS, Text: "x"}, sms()}})
		if err != nil || batch.Success || batch.Accepted != 1 || batch.Skipped != 1 || batch.Results[1].Code != "invalid_phone" || batch.Results[1].Field != "to" || batch.IdempotencyKey == "" {
			t.Errorf("batch: got %+v, %v, want one accepted, one refused for its phone, one skipped", batch, err)
		}
		s.Clock.Advance(time.Minute)
		last, err := c.Send(ctx, sms())
		if err != nil {
			t.Fatal(err)
		}
		seen, cursor := 0, ""
		for seen <= 5 { // a cursor that led back would never end
			page, err := c.Logs(ctx, griot.LogFilter{Limit: 2, Cursor: cursor})
			if err != nil || page.Count != len(page.Logs) {
				t.Fatalf("a page of the log: got %+v, %v, want as many messages as it counts", page, err)
			}
			if seen == 0 && (page.Logs[0].MessageID != last.MessageID || page.Logs[0].Preview != "kora") {
				t.Errorf("the newest message: got %+v, want the last that was sent", page.Logs[0])
			}
			seen += page.Count
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		if seen != 5 {
			t.Errorf("%d messages on all pages, want 5", seen)
		}
		page, err := c.Logs(ctx, griot.LogFilter{Status: griot.Sent, Channel: griot.SMS, To: "+22376000001", Since: s.Clock.Now()})
		if err != nil || page.Count != 1 {
			t.Errorf("a filtered page: got %+v, %v, want one message", page, err)
		}
		sum, err := c.Analytics(ctx, 50)
		if err != nil || sum.SampleSize != 5 || sum.ByStatus[griot.Sandbox] != 1 || sum.ByChannel[griot.SMS].Total != 3 || *sum.DeliveryRate == 0 || *sum.LatencyMs.Delivered.P50 != 1000 || sum.MessagesUsed != 3 {
			t.Errorf("analytics: got %+v, %v, want five messages, one of them in the sandbox", sum, err)
		}
		groups, err := c.Groups(ctx)
		if err != nil || groups.Count != 0 || groups.Groups == nil {
			t.Errorf("groups: got %+v, %v, want an empty list", groups, err)
		}
	})
}

func TestErrors_AreTyped(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), func(a *account.Spec) { a.Plan, a.RecipientCap = "free", 2 })
	ctx, c := t.Context(), s.client()
	code := func(err error) *griot.Error {
		t.Helper()
		e, ok := errors.AsType[*griot.Error](err)
		if !ok {
			t.Fatalf("%v is no *griot.Error", err)
		}
		if len(e.RequestID) != 26 || e.Message == "" || !strings.HasSuffix(e.DocsURL, "#"+e.Code) || !bytes.Contains(e.Raw, []byte(e.Code)) {
			t.Errorf("got %+v, want an error with request id, message, address of its documentation, and body", e)
		}
		return e
	}
	_, err := c.Send(ctx, &griot.Message{To: "nobody", Channel: griot.SMS, Text: "kora"})
	if e := code(err); e.Code != "invalid_phone" || e.Field != "to" || e.HTTPStatus != 400 {
		t.Errorf("no phone number: got %+v, want 400 invalid_phone of to", e)
	}
	_, err = c.Status(ctx, "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D")
	if e := code(err); e.Code != "message_not_found" || e.HTTPStatus != 404 {
		t.Errorf("an unknown message: got %+v, want 404 message_not_found", e)
	}
	_, err = c.Analytics(ctx, 49)
	if e := code(err); e.Code != "invalid_request" || e.Field != "sample" {
		t.Errorf("a sample of 49: got %+v, want invalid_request of sample", e)
	}
	s.Gateway.FailWith(gateway.Unreachable, "recipient_unreachable")
	_, err = c.Send(ctx, sms())
	e := code(err)
	if e.Code != "provider_error" || e.MessageID == "" || e.MessageStatus != griot.Failed || e.Reason != "recipient_unreachable" {
		t.Errorf("a send that the gateway refuses: got %+v, want provider_error with the message's id, FAILED", e)
	}
	s.Gateway.SetScript(nil)
	_, err = c.Cancel(ctx, e.MessageID)
	if e := code(err); e.Code != "not_cancelable" || e.MessageStatus != griot.Failed {
		t.Errorf("cancel of a failed message: got %+v, want not_cancelable, FAILED", e)
	}
	for i := range 10 {
		if _, err := c.Send(ctx, &griot.Message{To: fmt.Sprint(22376000010 + i), Channel: griot.SMS, Text: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	_, err = c.Send(ctx, sms())
	if e := code(err); e.Code != "quota_exceeded" || e.RetryAfter != 12*time.Hour || e.Limit != 10 || e.MessagesUsed != 10 || e.UpgradeURL == "" {
		t.Errorf("beyond the quota: got %+v, want quota_exceeded, 10 of 10, in 12 hours", e)
	}
	s.Gateway.LoggedOut.Store(true)
	_, err = c.Groups(ctx)
	if !griot.IsCode(err, "gateway_not_connected") || griot.IsCode(err, "x") || griot.IsCode(nil, "") {
		t.Errorf("groups of a gateway that is down: got %v, want gateway_not_connected and no other code", err)
	}
	unknown, err := griot.New(s.url, "svc_live_unknown", griot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = unknown.Logs(ctx, griot.LogFilter{})
	if e := code(err); e.Code != "unauthorized" {
		t.Errorf("an unknown key: got %+v, want unauthorized", e)
	}
}

func TestMetadata_AndWarnings(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	ctx, c := t.Context(), s.client()
	m := sms()
	m.Metadata = map[string]string{"order": "42", "a b&c": "é=%"}
	sent, err := c.Send(ctx, m)
	if err != nil || len(sent.Warnings) != 0 {
		t.Fatalf("got %+v, %v, want no warnings", sent, err)
	}
	if _, err := c.Send(ctx, sms()); err != nil {
		t.Fatal(err)
	}
	if st, err := c.Status(ctx, sent.MessageID); err != nil || !maps.Equal(st.Metadata, m.Metadata) {
		t.Errorf("status has %v, %v", st.Metadata, err)
	}
	page, err := c.Logs(ctx, griot.LogFilter{Metadata: m.Metadata})
	if err != nil || len(page.Logs) != 1 || page.Logs[0].MessageID != sent.MessageID || !maps.Equal(page.Logs[0].Metadata, m.Metadata) {
		t.Errorf("logs have %+v, %v", page, err)
	}
	beside := &griot.Message{To: "22376000001", Channel: griot.SMS, Text: "x", Preset: "otp", PresetVariables: map[string]string{"code": "1234"}}
	if res, err := c.Send(ctx, beside); err != nil || len(res.Warnings) != 1 || res.Warnings[0].Code != "ignored_member" || res.Warnings[0].Field != "message" {
		t.Errorf("a text beside a preset: got %+v, %v, want one warning, ignored_member of message", res, err)
	}
	if p, err := c.Preview(ctx, beside); err != nil || len(p.Warnings) != 1 {
		t.Errorf("its preview: got %+v, %v, want one warning", p, err)
	}
	batch, err := c.SendBatch(ctx, &griot.Batch{Messages: []*griot.Message{beside, sms()}, Sandbox: true})
	if err != nil || batch.Results[0].Status != griot.Sandbox || len(batch.Results[0].Warnings) != 1 || len(batch.Results[1].Warnings) != 0 || len(batch.Warnings) != 0 {
		t.Errorf("a batch in the sandbox: got %+v, %v, want one warning, of its first message", batch, err)
	}
}

func TestErrors_HaveNoSecrets(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	c := s.client()
	s.then(servicetest.BreakBefore, servicetest.BreakBefore, servicetest.BreakBefore, servicetest.BreakBefore, servicetest.BreakBefore)
	_, sendErr := c.Send(t.Context(), sms())
	s.then(servicetest.BreakBefore, servicetest.BreakBefore, servicetest.BreakBefore, servicetest.BreakBefore, servicetest.BreakBefore)
	_, logsErr := c.Logs(t.Context(), griot.LogFilter{To: "+22376000001"})
	text := fmt.Sprintf("%v %+v %v %+v %v %+v %#v", sendErr, sendErr, logsErr, logsErr, c, c, *c)
	for _, secret := range []string{"kora", "22376000001", s.LiveKey, s.LiveKey[9:20]} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is in %s", secret, text)
		}
	}
}

func TestNew_RefusesWhatCannotBe(t *testing.T) {
	for _, url := range []string{"", "api.example.com", "ftp://api.example.com", "https://", "https://user:secret@api.example.com", "https://api.example.com?x=1", "https://api.example.com#x", "://"} {
		if _, err := griot.New(url, "key", griot.Options{}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", url, err)
		}
	}
	for _, key := range []string{"", "a b", "key\n", "clé", "\x00"} {
		if _, err := griot.New("https://api.example.com/", key, griot.Options{}); err == nil || key != "" && strings.Contains(err.Error(), key) {
			t.Errorf("%q: %v", key, err)
		}
	}
}
