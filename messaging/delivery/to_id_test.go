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
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

const (
	awaID     = "ML.9001"
	awaNumber = "22376000001"
)

// writesAs simulates a message from a person with a number, an ID, or both.
func writesAs(t *testing.T, w *messagingtest.World, number, personID, id, text string) {
	t.Helper()
	in := gateway.Inbound{ID: id, Gateway: "fake", Channel: gateway.WhatsApp, From: number, Person: gateway.PersonID{Portfolio: "p", ID: personID}, To: first, Text: text, At: w.Clock.Now()}
	if err := w.Inbox.Receive(t.Context(), in); err != nil {
		t.Fatal(err)
	}
}

// Gateways get a WhatsApp ID as the ID, and never as a number.
// Rules: M193.
func TestSubmit_ToAWhatsAppID(t *testing.T) {
	for name, tc := range map[string]struct {
		to      string
		channel gateway.Channel
		email   string
		fails   bool // on WhatsApp
		want    []gateway.Outbound
		status  message.Status
	}{
		"whatsapp":           {awaID, gateway.WhatsApp, "", false, []gateway.Outbound{{From: first, ToID: awaID}}, message.Sent},
		"a LID":              {"5511876543210@lid", gateway.WhatsApp, "", false, []gateway.Outbound{{From: first, ToID: "5511876543210@lid"}}, message.Sent},
		"a parent ID":        {"AR.ENT.541112345678", gateway.WhatsApp, "", false, []gateway.Outbound{{From: first, ToID: "AR.ENT.541112345678"}}, message.Sent},
		"auto":               {awaID, message.Auto, "", false, []gateway.Outbound{{From: first, ToID: awaID}}, message.Sent},
		"auto without SMS":   {awaID, message.Auto, "", true, []gateway.Outbound{{From: first, ToID: awaID}}, message.Failed},
		"auto then email":    {awaID, message.Auto, "awa@example.com", true, []gateway.Outbound{{From: first, ToID: awaID}, {From: ofMail, To: "awa@example.com"}}, message.Sent},
		"a number still has": {"+" + awaNumber, gateway.WhatsApp, "", false, []gateway.Outbound{{From: first, To: awaNumber}}, message.Sent},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "business")
				w.Run(t, w.Delivery)
				if tc.fails {
					failsFrom(w, gateway.Unreachable, first)
				}
				m := w.Submit(t, &message.Request{To: tc.to, Channel: tc.channel, Email: tc.email, Content: message.Content{Text: "Bonjour"}, Source: message.SourceAPI}).Message
				calls := w.Gateway.Calls()
				if m.Status != tc.status || m.To != tc.to || len(calls) != len(tc.want) {
					t.Fatalf("%s to %s, with %+v, want %s with %+v", m.Status, m.To, calls, tc.status, tc.want)
				}
				for i, want := range tc.want {
					if got := calls[i]; got.From != want.From || got.To != want.To || got.ToID != want.ToID {
						t.Errorf("call %d from %s to %q and %q, want %s to %q and %q", i, got.From, got.To, got.ToID, want.From, want.To, want.ToID)
					}
				}
				list, _, err := message.List(d.Read(t.Context()), &message.Filter{AccountID: w.Account.ID, To: tc.to, Limit: 10})
				if err != nil || len(list) != 1 && m.Channel == gateway.WhatsApp { // it compares the address of the current route
					t.Errorf("the filter finds %d messages, %v", len(list), err)
				}
			})
		})
	}
}

// The first step of a message to an ID on auto explains why there is no SMS.
// Rules: M193.
func TestSubmit_AutoToAnIDExplainsTheMissingSMS(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		for to, want := range map[string]message.NoteKind{awaID: message.NoteNoNumber, "+" + awaNumber: ""} {
			m := w.Submit(t, &message.Request{To: to, Channel: message.Auto, Content: message.Content{Text: "Bonjour"}, Source: message.SourceAPI}).Message
			steps, err := m.Timeline.Steps()
			if err != nil || len(steps) == 0 || steps[0].Kind != want {
				t.Errorf("to %s: %+v, %v, want the note %q", to, steps, err, want)
			}
		}
	})
}

// What needs a number is refused before anything is stored or counted.
// Rules: M194.
func TestSubmit_WhatNeedsANumber(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		otp := map[string]string{"code": "123456", "minutes": "5", "app": "Test"}
		for name, tc := range map[string]struct {
			r    message.Request
			want *apierror.Kind
		}{
			"SMS":                {message.Request{Channel: gateway.SMS, Content: message.Content{Text: "x"}}, apierror.NumberRequired},
			"the preset otp":     {message.Request{Channel: gateway.WhatsApp, Preset: "otp", Variables: otp}, apierror.NumberRequired},
			"otp on auto":        {message.Request{Channel: message.Auto, Preset: "otp", Variables: otp}, apierror.NumberRequired},
			"otp in the sandbox": {message.Request{Channel: gateway.WhatsApp, Preset: "otp", Variables: otp, Sandbox: true}, apierror.NumberRequired},
			"a code":             {message.Request{Channel: gateway.WhatsApp, Quick: true, Sensitive: true, Content: message.Content{Text: "123456", Code: "123456"}}, apierror.NumberRequired},
			"email":              {message.Request{Channel: gateway.Email, Content: message.Content{Text: "x"}}, apierror.InvalidEmail},
			"bare digits of one": {message.Request{To: "1234567890123456789", Channel: gateway.WhatsApp, Content: message.Content{Text: "x"}}, apierror.InvalidPhone},
			"a username":         {message.Request{To: "@awa.t", Channel: gateway.WhatsApp, Content: message.Content{Text: "x"}}, apierror.InvalidPhone},
		} {
			tc.r.Source = message.SourceAPI
			if tc.r.To == "" {
				tc.r.To = "123456789@lid"
			}
			if _, err := w.Delivery.Submit(t.Context(), w.LiveCaller, &tc.r); !errors.Is(err, tc.want.Err()) {
				t.Errorf("%s: %v, want %s", name, err, tc.want.Code)
			}
		}
		if n := w.Int(t, `SELECT (SELECT count(*) FROM messages) + (SELECT COALESCE(sum(used), 0) FROM quotas)`); n != 0 || len(w.Gateway.Calls()) != 0 {
			t.Errorf("%d rows or units, %d calls", n, len(w.Gateway.Calls()))
		}
	})
}

// Limits for recipients, opt-outs, and idempotency keys work for IDs as for numbers, and simulated messages too.
// Rules: M193.
func TestSubmit_RulesForIDs(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business", func(s *account.Spec) { s.RecipientCap = 1 })
		for _, to := range []string{awaID, "ML.9002", "123@lid", "1234@lid"} {
			if _, err := submit(t, w, to, gateway.WhatsApp); err != nil {
				t.Fatalf("the first message to %s: %v", to, err)
			}
			if _, err := submit(t, w, to, gateway.WhatsApp); !errors.Is(err, apierror.RecipientLimitReached.Err()) {
				t.Errorf("the second message to %s: %v", to, err)
			}
		}
		request := func() *message.Request {
			return &message.Request{To: awaID, Channel: gateway.WhatsApp, Sandbox: true, IdempotencyKey: "k", Content: message.Content{Text: "x"}, Source: message.SourceAPI}
		}
		simulated := w.Submit(t, request())
		if again := w.Submit(t, request()); simulated.Message.Status != message.Sandbox || !again.Deduplicated || again.Message.ID != simulated.Message.ID {
			t.Errorf("simulated: %+v, again: %+v", simulated.Message, again)
		}
		writesAs(t, w, "", "ML.9003", "in1", "STOP")
		if _, err := submit(t, w, "ML.9003", gateway.WhatsApp); !errors.Is(err, apierror.RecipientOptedOut.Err()) {
			t.Errorf("after STOP: %v", err)
		}
		if _, err := submit(t, w, "ML.9004", gateway.WhatsApp); err != nil {
			t.Errorf("to another person: %v", err)
		}
	})
}

// A receipt with the recipient's number and ID joins them, whichever of them the message was sent to.
// Rules: M197.
func TestReceipt_JoinsTheRecipientsNumberAndID(t *testing.T) {
	for name, tc := range map[string]struct {
		to      string
		receipt gateway.Receipt
		joined  bool
	}{
		"sent to the number":            {awaNumber, gateway.Receipt{Person: gateway.PersonID{ID: awaID}}, true},
		"the number is repeated":        {awaNumber, gateway.Receipt{Recipient: awaNumber, Person: gateway.PersonID{ID: awaID}}, true},
		"sent to the ID":                {awaID, gateway.Receipt{Recipient: awaNumber, Person: gateway.PersonID{ID: awaID}}, true},
		"sent to the ID without number": {awaID, gateway.Receipt{Person: gateway.PersonID{ID: awaID}}, false},
		"no ID":                         {awaNumber, gateway.Receipt{Recipient: awaNumber}, false},
		"not an ID":                     {awaNumber, gateway.Receipt{Person: gateway.PersonID{ID: "awa.t"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "business")
				id, err := submit(t, w, tc.to, gateway.WhatsApp)
				if err != nil {
					t.Fatal(err)
				}
				r := tc.receipt
				r.Gateway, r.Ref, r.Status, r.At = "fake", id, gateway.ReceiptSent, w.Clock.Now()
				for range 2 {
					if err := w.Delivery.Receipt(t.Context(), r); err != nil {
						t.Fatal(err)
					}
				}
				if n := w.Int(t, `SELECT count(*) FROM person_aliases WHERE alias = $1 AND person = $2`, awaID, awaNumber); (n == 1) != tc.joined {
					t.Errorf("joined: %v, want %v", n == 1, tc.joined)
				}
				if !tc.joined {
					return
				}
				w.Clock.Advance(time.Second)
				writesAs(t, w, awaNumber, "", "in1", "STOP")
				for _, to := range []string{awaID, awaNumber} {
					if _, err := submit(t, w, to, gateway.WhatsApp); !errors.Is(err, apierror.RecipientOptedOut.Err()) {
						t.Errorf("to %s after STOP: %v", to, err)
					}
				}
			})
		})
	}
}

// A gateway that resolves an ID to a number joins them, and never joins two numbers.
func TestSubmit_AcknowledgedUnderANumber(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		for _, number := range []string{awaNumber, "22376000002"} {
			w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
				return gateway.Ack{ProviderID: "p_" + out.Ref, Recipient: number}, nil
			})
			if _, err := submit(t, w, awaID, gateway.WhatsApp); err != nil {
				t.Fatal(err)
			}
			if n := w.Int(t, `SELECT count(*) FROM person_aliases WHERE alias = $1 AND person = $2`, awaID, number); n != 1 {
				t.Errorf("the ID is not joined with %s", number)
			}
		}
		if n := w.Int(t, `SELECT count(*) FROM person_aliases`); n != 1 {
			t.Errorf("%d aliases, want only that of the ID", n)
		}
	})
}
