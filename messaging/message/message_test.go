package message_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/message"
)

// Rules: M53.
func TestStatuses_ReceiptsOnlyEverRaise(t *testing.T) {
	t.Parallel()
	for _, from := range message.Statuses() {
		for _, to := range message.Statuses() {
			back := from == message.Sending && to == message.Queued // a retry, by the lease's owner
			if from.MayBecome(to) && to.Rank() <= from.Rank() && !back {
				t.Errorf("%s may become %s, which is no higher", from, to)
			}
		}
		if from.Open() != (from == message.Scheduled || from == message.Queued || from == message.Sending) {
			t.Errorf("%s: open %v", from, from.Open())
		}
	}
	if message.Status("NONSENSE").Rank() != -1 || message.Status("NONSENSE").Open() {
		t.Error("an unknown status has a place")
	}
}

// Rules: M40.
func TestNew_IDsAndLifetimes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	sms := message.New(&message.Request{Channel: gateway.SMS}, "a", "p", now)
	mail := message.New(&message.Request{Channel: gateway.Email, Sandbox: true}, "a", "", now)
	if !strings.HasPrefix(sms.ID, "msg_") || sms.ExpiresAt != now.Add(24*time.Hour) || !strings.HasPrefix(mail.ID, "sb_") || mail.ExpiresAt != now.Add(72*time.Hour) {
		t.Errorf("got %s until %v, %s until %v", sms.ID, sms.ExpiresAt, mail.ID, mail.ExpiresAt)
	}
	if ids := message.IDs(sms.NotificationID); len(ids) != 2 || ids[0] != sms.ID {
		t.Errorf("the notification leads to %v", ids)
	}
	if ids := message.IDs(mail.ID); len(ids) != 1 || ids[0] != mail.ID {
		t.Errorf("the message leads to %v", ids)
	}
	for _, s := range []string{"", "msg_", "msg_x", "ntf_" + strings.ToLower(id.New(now)), id.New(now), "msg_" + id.New(now) + "0"} {
		if len(message.IDs(s)) != 0 {
			t.Errorf("%q is taken for an id", s)
		}
	}
}

func TestTimeline_GrowsByAppending(t *testing.T) {
	t.Parallel()
	tl := message.FirstStep(message.Step{At: 1, Status: message.Queued})
	tl += message.Timeline(message.AppendedStep(message.Step{At: 2, Status: message.Failed, Failure: &message.Failure{Code: "x", Class: gateway.Unreachable, ProviderCode: `5"1`}}))
	steps, err := tl.Steps()
	if err != nil || len(steps) != 2 || steps[1].Failure.ProviderCode != `5"1` {
		t.Errorf("got %v, %v", steps, err)
	}
}

func TestFingerprint_TellsRequestsApart(t *testing.T) {
	t.Parallel()
	base := message.Request{To: "22376000001", Channel: gateway.SMS, Content: message.Content{Text: "x"}}
	seen := map[string]bool{base.Fingerprint(nil): true}
	for _, change := range []func(*message.Request){
		func(r *message.Request) { r.To = "22376000002" }, func(r *message.Request) { r.Channel = gateway.WhatsApp },
		func(r *message.Request) { r.Content.Text = "y" }, func(r *message.Request) { r.Content.HTML = "y" },
		func(r *message.Request) { r.Content.Subject = "y" }, func(r *message.Request) { r.SenderID = "y" }, func(r *message.Request) { r.Sandbox = true }, func(r *message.Request) { r.Sensitive = true },
		func(r *message.Request) { r.Content.Template = &gateway.Template{Name: "y"} }, func(r *message.Request) { r.Content.Template = &gateway.Template{Name: "z"} },
		func(r *message.Request) { r.Content.Interactive = &gateway.Interactive{Footer: "y"} },
	} {
		r := base
		change(&r)
		if seen[r.Fingerprint(nil)] {
			t.Errorf("%+v has another's fingerprint", r)
		}
		seen[r.Fingerprint(nil)] = true
	}
}

// Rules: M65.
func FuzzCheckIdempotencyKey(f *testing.F) {
	for _, s := range []string{"", "k", "clé 1", "a\nb", strings.Repeat("é", 255), strings.Repeat("é", 256), "\u200b", "\xff", "\u00a0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, key string) {
		err := message.CheckIdempotencyKey(key)
		n := utf8.RuneCountInString(key)
		bad := n < 1 || n > 255 || !utf8.ValidString(key)
		for _, r := range key {
			bad = bad || unicode.IsControl(r)
		}
		if bad && !errors.Is(err, apierror.InvalidIdempotencyKey.Err()) {
			t.Fatalf("%q was accepted", key)
		}
	})
}

// Every accepted message is valid for Meta: each text is short, in one line, and present.
func FuzzRequestCheck_Forms(f *testing.F) {
	f.Add(`{"template":{"name":"order_shipped","language":"fr","body":["Awa"],"buttons":[{"index":0,"type":"url","value":"c/1"}]}}`)
	f.Add(`{"template":{"name":"a","language":"en_US","header":"h","named":{"x":"y"}}}`)
	f.Add(`{"interactive":{"header":"h","footer":"f","buttons":[{"id":"1","title":"Oui"},{"id":"2","title":"Non"}]}}`)
	f.Add(`{"interactive":{"list":{"button":"b","sections":[{"rows":[{"id":"1","title":"t","description":"d"}]}]}}}`)
	f.Add(`{"interactive":{"link":{"title":"t","url":"https://example.com"}}}`)
	f.Fuzz(func(t *testing.T, forms string) {
		r := message.Request{To: "22376000001", Channel: gateway.WhatsApp, Content: message.Content{Text: "x"}}
		if json.Unmarshal([]byte(forms), &r.Content) != nil {
			return
		}
		r.Content.Text = "x"
		if err := r.Check(); err != nil {
			if e, ok := errors.AsType[*apierror.Error](err); !ok || e.Field == "" {
				t.Fatalf("got %v", err)
			}
			return
		}
		texts := []string{}
		if in := r.Content.Interactive; in != nil {
			for _, c := range in.Buttons {
				texts = append(texts, c.Title)
			}
			if in.List != nil {
				for _, s := range in.List.Sections {
					for _, c := range s.Rows {
						texts = append(texts, c.Title)
					}
				}
			}
			if n := len(texts); n == 0 && in.Link == nil || n > 10 {
				t.Fatalf("%d choices", n)
			}
		}
		if tpl := r.Content.Template; tpl != nil {
			texts = append(texts, append(tpl.Body, tpl.Name)...)
		}
		for _, s := range texts {
			if s == "" || strings.ContainsAny(s, "\n\t\x00") {
				t.Fatalf("%q came through", s)
			}
		}
	})
}

func FuzzRequestCheck(f *testing.F) {
	f.Add("22376000001", "sms", "x", "")
	f.Add("a@example.com", "email", "x", "s")
	f.Add("a@b\r\nBcc: x@y", "email", "x", "s\r\n")
	f.Fuzz(func(t *testing.T, to, channel, text, subject string) {
		r := message.Request{To: to, Channel: gateway.Channel(channel), Content: message.Content{Text: text, Subject: subject}}
		if err := r.Check(); err != nil {
			e, ok := errors.AsType[*apierror.Error](err)
			if !ok || (len(to) > 12 && strings.Contains(e.Text(), to)) {
				t.Fatalf("got %v", err)
			}
			return
		}
		if strings.ContainsAny(r.Address, "\r\n\x00 ") || strings.ContainsAny(r.Content.Subject, "\r\n\x00") || r.Address == "" {
			t.Fatalf("address %q, subject %q came through", r.Address, r.Content.Subject)
		}
	})
}
