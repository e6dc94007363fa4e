package delivery_test

import (
	"errors"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// receiveFrom simulates a message from a person to the account's number on a channel.
func receiveFrom(t *testing.T, w *messagingtest.World, channel gateway.Channel, id, words string) {
	t.Helper()
	to := map[gateway.Channel]string{gateway.WhatsApp: first, gateway.SMS: ofSMS}[channel]
	if err := w.Inbox.Receive(t.Context(), gateway.Inbound{ID: id, Gateway: "fake", Channel: channel, From: "22376000001", To: to, Text: words, At: w.Clock.Now()}); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.LiveCaller, err = w.Directory.Authenticate(t.Context(), w.LiveKey); err != nil {
		t.Fatal(err)
	}
}

// Rules: M46, M104, M174.
func TestOptOut_IsRespectedPerChannelUntilStart(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		refused := func(r *message.Request) bool {
			t.Helper()
			before := w.Int(t, `SELECT count(*) FROM messages`)
			_, err := w.Delivery.Submit(t.Context(), w.LiveCaller, r)
			if err != nil && !errors.Is(err, apierror.RecipientOptedOut.Err()) {
				t.Fatalf("got %v, want no error or %v", err, apierror.RecipientOptedOut.Err())
			}
			if err != nil && w.Int(t, `SELECT count(*) FROM messages`) != before {
				t.Error("a refused message is stored")
			}
			return err != nil
		}
		wants := func(when string, r *message.Request, want bool) {
			t.Helper()
			if got := refused(r); got != want {
				t.Errorf("%s, to %s: refused %v, want %v", when, r.To, got, want)
			}
		}
		goesBy := func(when string, want gateway.Channel) {
			t.Helper()
			before := len(w.Gateway.Calls())
			wants(when, auto(), false)
			if calls := w.Gateway.Calls()[before:]; len(calls) != 1 || calls[0].Channel != want {
				t.Errorf("%s: auto made the calls %+v, want one by %s", when, calls, want)
			}
		}
		wants("at first", text("+22376000001"), false)
		receiveFrom(t, w, gateway.SMS, "1", "Stop!")
		wants("after STOP by SMS", text("+22376000001"), true)
		wants("after STOP by SMS", text("22376000001"), true)
		wants("after another's STOP", text("+22376000002"), false)
		code := text("+22376000001")
		code.Content.Text, code.Preset, code.Variables = "", "otp", map[string]string{"code": "482913"}
		wants("a code after STOP", code, false)
		goesBy("after STOP by SMS", gateway.WhatsApp)
		receiveFrom(t, w, gateway.WhatsApp, "2", "ARRÊT")
		goesBy("after STOP by SMS and WhatsApp", gateway.Email)
		r := auto()
		r.Email = ""
		wants("without a channel left", r, true)
		receiveFrom(t, w, gateway.SMS, "3", "please start again")
		wants("after more than the word START", text("+22376000001"), true)
		w.Clock.Advance(time.Second)
		receiveFrom(t, w, gateway.SMS, "4", "start")
		wants("after START", text("+22376000001"), false)
	})
}

func TestOptOut_WhoComplainsHasBeenDeliveredTo(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	r := &message.Request{To: "awa@example.com", Channel: gateway.Email, Content: message.Content{Text: "x"}, Source: message.SourceAPI}
	m := w.Submit(t, r).Message
	receipt(t, w, m.ID, gateway.ReceiptDelivered)
	if err := w.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: m.ID, Status: gateway.ReceiptFailed, Err: &gateway.Error{Class: gateway.Permanent, Code: "complained"}}); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.LiveCaller, err = w.Directory.Authenticate(t.Context(), w.LiveKey); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Delivery.Submit(t.Context(), w.LiveCaller, r); !errors.Is(err, apierror.RecipientOptedOut.Err()) || w.Message(t, m.ID).Status != message.Delivered {
		t.Errorf("%v; the message is %s", err, w.Message(t, m.ID).Status)
	}
}

func TestOptOut_ABouncedMailIsNotTriedAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		mail := func(to string) *message.Request {
			return &message.Request{To: to, Channel: gateway.Email, Content: message.Content{Text: "x"}, Source: message.SourceAPI}
		}
		for i, e := range []gateway.Error{
			{Class: gateway.Permanent, Code: "bounced"},
			{Class: gateway.Permanent, Code: "complained"},
			{Class: gateway.Unreachable, Code: "unsubscribed"},
			{Class: gateway.Temporary, Code: "bounced"},
			{Class: gateway.Permanent, Code: "refused"},
		} {
			to := string(rune('a'+i)) + "@example.com"
			m := w.Submit(t, mail(to)).Message
			if err := w.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: m.ID, Status: gateway.ReceiptFailed, Err: &e}); err != nil {
				t.Fatal(err)
			}
			var err error
			if w.LiveCaller, err = w.Directory.Authenticate(t.Context(), w.LiveKey); err != nil {
				t.Fatal(err)
			}
			_, err = w.Delivery.Submit(t.Context(), w.LiveCaller, mail(to))
			if refused := errors.Is(err, apierror.RecipientOptedOut.Err()); refused != (i < 3) {
				t.Errorf("after %s (%s): %v", e.Code, e.Class, err)
			}
		}
	})
}
