package delivery_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/twilio"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

const awa = "22376000001"

// smsFromAwa simulates an SMS from Awa, about which the provider reports what its list has made of it.
func smsFromAwa(t *testing.T, w *messagingtest.World, id, text string, made gateway.OptOut, at time.Time) {
	t.Helper()
	in := gateway.Inbound{ID: id, Gateway: "fake", Channel: gateway.SMS, From: awa, To: ofSMS, Text: text, OptOut: made, At: at}
	if err := w.Inbox.Receive(t.Context(), in); err != nil {
		t.Fatal(err)
	}
}

// refuses makes the gateway refuse a message to Awa with an error, and returns the message.
func refuses(t *testing.T, w *messagingtest.World, r *message.Request, e *gateway.Error) *message.Message {
	t.Helper()
	w.Gateway.SetScript(func(context.Context, *gateway.Outbound) (gateway.Ack, error) { return gateway.Ack{}, e })
	defer w.Gateway.SetScript(nil)
	caller, err := w.Directory.Authenticate(t.Context(), w.LiveKey)
	if err != nil {
		t.Fatal(err)
	}
	res, err := w.Delivery.Submit(t.Context(), caller, r)
	if err != nil {
		t.Fatal(err)
	}
	if e.Class != gateway.Unknown {
		w.Becomes(t, res.Message.ID, message.Failed) // on each of its routes
	}
	return w.Message(t, res.Message.ID)
}

// wantsSend sends an SMS to Awa and checks the code and whether the gateway was called.
func wantsSend(t *testing.T, w *messagingtest.World, when, want string) {
	t.Helper()
	before := len(w.Gateway.Calls())
	if got := codeOf(t, w, text("+"+awa)); got != want || (len(w.Gateway.Calls()) == before) != (want != "") {
		t.Errorf("%s: %q with %d calls, want %q", when, got, len(w.Gateway.Calls())-before, want)
	}
}

func optedOutError() *gateway.Error {
	return &gateway.Error{Class: gateway.Unreachable, Code: gateway.CodeOptedOut, ProviderCode: "21610"}
}

// What the provider reports about its list decides, with any text. Without a report, the words decide.
// Rules: M174.
func TestProviderList_DecidesBeforeTheWords(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Run(t, w.Delivery)
		id := 0
		for _, tt := range []struct {
			text string
			made gateway.OptOut
			want string
		}{
			{"Bonjour", "", ""},
			{"YES", "", ""}, // it answers a question
			{"Plus de messages", gateway.OptOutStopped, "recipient_opted_out"},
			{"Bonjour", "", "recipient_opted_out"},
			{"Je reviens", gateway.OptOutStarted, ""},
			{"CANCEL", "", "recipient_opted_out"},
			{"YES", "", ""},
			{"STOP", "", "recipient_opted_out"},
			{"unstop", "", ""},
			{"cancel my order", "", ""},
			{"", gateway.OptOutStopped, "recipient_opted_out"},
			{"STOP", gateway.OptOutStarted, ""},
		} {
			w.Clock.Advance(2 * time.Second)
			id++
			smsFromAwa(t, w, fmt.Sprint(id), tt.text, tt.made, w.Clock.Now())
			wantsSend(t, w, fmt.Sprintf("after %q, %q", tt.text, tt.made), tt.want)
		}
		if err := w.Inbox.Receive(t.Context(), gateway.Inbound{ID: "place", Gateway: "fake", Channel: gateway.SMS, From: awa, To: ofSMS, Type: gateway.InboundLocation, Text: "12.6,-8.0 Stop", At: w.Clock.Now()}); err != nil {
			t.Fatal(err)
		}
		wantsSend(t, w, "after a place named Stop", "")
	})
}

// YES ends only an opt-out that the person has made.
// Rules: M174.
func TestProviderList_YesEndsOnlyOnesOwnOptOut(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Run(t, w.Delivery)
		for i, reason := range []string{"said", "provider", "added"} {
			w.Write(t, func(tx *db.Tx) error {
				_, err := tx.Exec(`INSERT INTO opt_outs (account_id, channel, person, address, reason, at) VALUES ($1, 'sms', $2, $2, $3, $4)`, w.Account.ID, awa, reason, db.Ms(w.Clock.Now()))
				if err == nil {
					err = account.NoteChange(tx)
				}
				return err
			})
			w.Directory.ForgetAll()
			wantsSend(t, w, reason, "recipient_opted_out")
			w.Clock.Advance(2 * time.Second)
			smsFromAwa(t, w, fmt.Sprint(i), "Yes", "", w.Clock.Now())
			want := ""
			if reason == "added" {
				want = "recipient_opted_out"
			}
			wantsSend(t, w, reason+" after YES", want)
		}
	})
}

// A refusal because the person opted out at the provider is stored, on the channel of the route, until the person writes START.
// Rules: M174.
func TestProviderList_RefusalsAreStored(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Run(t, w.Delivery)
		for _, e := range []*gateway.Error{
			{Class: gateway.Permanent, Code: "message_refused"}, {Class: gateway.Unknown, Code: gateway.CodeOptedOut}, {Class: gateway.Unreachable, Code: "recipient_refused"}, {Class: gateway.Unreachable, Code: "bounced"},
		} {
			refuses(t, w, text("+"+awa), e)
			wantsSend(t, w, "after "+e.Error(), "")
		}
		if m := refuses(t, w, text("+"+awa), optedOutError()); m.Failure == nil || m.Failure.Code != "recipient_opted_out" || m.Failure.ProviderCode != "21610" {
			t.Errorf("the refused message ended as %+v", m.Failure)
		}
		wantsSend(t, w, "after the refusal", "recipient_opted_out")
		if n := w.Int(t, `SELECT count(*) FROM opt_outs WHERE reason = 'provider' AND channel = 'sms' AND address = $1`, awa); n != 1 {
			t.Errorf("%d opt-outs by the provider, want 1", n)
		}
		on := auto()
		before := len(w.Gateway.Calls())
		if got := codeOf(t, w, on); got != "" || len(w.Gateway.Calls()) != before+1 || w.Gateway.Calls()[before].Channel != gateway.WhatsApp {
			t.Errorf("auto: %q, want one call by WhatsApp", got)
		}
		w.Clock.Advance(5 * time.Second)
		smsFromAwa(t, w, "1", "UNSTOP", "", w.Clock.Now())
		wantsSend(t, w, "after UNSTOP", "")
		w.Clock.Advance(5 * time.Second)
		refuses(t, w, on, optedOutError()) // all its routes refuse, each for its own channel
		if n := w.Int(t, `SELECT count(DISTINCT channel) FROM opt_outs`); n != 3 {
			t.Errorf("auto was refused on each route: opt-outs on %d channels, want 3", n)
		}
	})
}

// A refusal tells about the time of the call, however late it arrives. A START after the call stays.
// Rules: M174.
func TestProviderList_LateReportsUndoNoStart(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Run(t, w.Delivery)
		m := w.Submit(t, text("+"+awa)).Message
		w.Clock.Advance(10 * time.Second)
		started := w.Clock.Now()
		smsFromAwa(t, w, "1", "START", "", started)
		w.Clock.Advance(time.Hour)
		failed := func(id string) {
			t.Helper()
			r := gateway.Receipt{Gateway: "fake", Ref: id, Status: gateway.ReceiptFailed, At: w.Clock.Now(), Err: optedOutError()}
			if err := w.Delivery.Receipt(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		failed(m.ID)
		wantsSend(t, w, "after a late report of a refusal before START", "")
		m = w.Submit(t, text("+"+awa)).Message
		failed(m.ID)
		wantsSend(t, w, "after a report of a refusal after START", "recipient_opted_out")
		w.Clock.Advance(time.Minute)
		smsFromAwa(t, w, "2", "START", "", started.Add(time.Second)) // written before the refusal
		wantsSend(t, w, "after a START from before the refusal", "recipient_opted_out")
		smsFromAwa(t, w, "3", "START", "", w.Clock.Now())
		wantsSend(t, w, "after another START", "")
	})
}

// Meta's refusal of marketing is stored as such, and shows that the template is marketing.
// Rules: M202.
func TestProviderList_RefusedMarketing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Run(t, w.Delivery)
		refusal := &gateway.Error{Class: gateway.Unreachable, Code: gateway.CodeMarketingStopped, ProviderCode: "131050"}
		refuses(t, w, ofCategory("", awa), refusal)
		for category, want := range map[string]string{"": "marketing_stopped", "marketing": "marketing_stopped", "utility": ""} {
			if got := codeOf(t, w, ofCategory(category, awa)); got != want {
				t.Errorf("%q: %q, want %q", category, got, want)
			}
		}
		wantsSend(t, w, "by SMS", "")
		w.Clock.Advance(5 * time.Second)
		prefers(t, w, gateway.MarketingResumed, awa, "", w.Clock.Now().Add(-time.Minute))
		if got := codeOf(t, w, ofCategory("", awa)); got != "marketing_stopped" {
			t.Errorf("after an older resume: %q", got)
		}
		prefers(t, w, gateway.MarketingResumed, awa, "", w.Clock.Now())
		if got := codeOf(t, w, ofCategory("", awa)); got != "" {
			t.Errorf("after the resume: %q", got)
		}
	})
}

// Without a way for START, a refusal isn't stored, because the opt-out could not end.
// Rules: M174.
func TestProviderList_OnlyWhereStartArrives(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	w.ReplaceDelivery(func(o *delivery.Options) {
		o.Gateways = gateway.NewSet(map[string]gateway.Sender{"fake": sendOnly{w.Gateway}})
	})
	w.Run(t, w.Delivery)
	refuses(t, w, text("+"+awa), optedOutError())
	wantsSend(t, w, "a gateway that only sends", "")
	m := w.Submit(t, text("+"+awa)).Message
	r := gateway.Receipt{Gateway: "fake", Ref: m.ID, Status: gateway.ReceiptFailed, At: w.Clock.Now(), Err: optedOutError()}
	if err := w.Delivery.Receipt(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if got := w.Becomes(t, m.ID, message.Failed); got.Failure == nil || got.Failure.Code != gateway.CodeOptedOut {
		t.Errorf("the message ended as %+v", got.Failure)
	}
	wantsSend(t, w, "after a receipt of a gateway that only sends", "")
	smsFromAwa(t, w, "1", "STOP", "", w.Clock.Now()) // another way for messages exists, after all
	wantsSend(t, w, "after the person's own STOP", "recipient_opted_out")

	w = messagingtest.New(t, dbtest.SQLite(t), "free", func(s *account.Spec) {
		s.Senders = slices.DeleteFunc(s.Senders, func(s account.Sender) bool { return s.Channel == gateway.SMS })
	})
	if err := w.Directory.CreatePlatformSender(t.Context(), account.Sender{Channel: gateway.SMS, Address: ofSMS, Gateway: "fake"}); err != nil {
		t.Fatal(err)
	}
	w.Run(t, w.Delivery)
	refuses(t, w, text("+"+awa), optedOutError())
	wantsSend(t, w, "the platform's sender", "")
}

// sendOnly is a gateway without inbound messages.
type sendOnly struct{ *messagingtest.Gateway }

func (s sendOnly) Info() gateway.Info {
	i := s.Gateway.Info()
	i.SendOnly = true
	return i
}

// worldSink passes the reports of a driver to a world.
type worldSink struct{ w *messagingtest.World }

func (s worldSink) Inbound(ctx context.Context, in gateway.Inbound) error {
	in.Gateway = "fake"
	return s.w.Inbox.Receive(ctx, in)
}

func (s worldSink) Receipt(ctx context.Context, r gateway.Receipt) error {
	r.Gateway = "fake"
	return s.w.Delivery.Receipt(ctx, r)
}

func (s worldSink) Change(ctx context.Context, c gateway.Change) error {
	return s.w.Inbox.Change(ctx, c)
}

// The real driver of Twilio: its list locks a person out and in again, by OptOutType and by error 21610.
// Rules: M174.
func TestProviderList_Twilio(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		const (
			sid    = "AC0123456789abcdef0123456789abcdef"
			token  = "balafonToken"
			public = "https://api.example.com/gateways/sms"
		)
		blocked, calls := false, 0
		peer := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
			calls++
			if blocked {
				out.WriteHeader(http.StatusBadRequest)
				_, _ = out.Write([]byte(`{"code": 21610, "message": "Attempt to send to unsubscribed recipient", "status": 400}`))
				return
			}
			out.WriteHeader(http.StatusCreated)
			_, _ = fmt.Fprintf(out, `{"sid": "SM%d", "status": "queued"}`, calls)
		}))
		defer peer.Close()
		raw, err := json.Marshal(map[string]any{"account_sid": sid, "auth_token": token, "webhook_url": public, "base_url": peer.URL})
		if err != nil {
			t.Fatal(err)
		}
		s, err := twilio.Open(raw, gateway.Deps{Sink: worldSink{w}, Now: w.Clock.Now, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		w.ReplaceDelivery(func(o *delivery.Options) { o.Gateways = gateway.NewSet(map[string]gateway.Sender{"fake": s}) })
		w.Run(t, w.Delivery)
		inbound := func(id, body, kind string) {
			t.Helper()
			w.Clock.Advance(5 * time.Second)
			form := url.Values{"MessageSid": {id}, "From": {"+" + awa}, "To": {"+" + ofSMS}, "Body": {body}}
			if kind != "" {
				form.Set("OptOutType", kind)
			}
			mac := hmac.New(sha1.New, []byte(token))
			mac.Write([]byte(public + "/inbound"))
			for _, name := range []string{"Body", "From", "MessageSid", "OptOutType", "To"} {
				if form.Has(name) {
					mac.Write([]byte(name + form.Get(name)))
				}
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/inbound", strings.NewReader(form.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("X-Twilio-Signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
			answer := httptest.NewRecorder()
			s.(gateway.WebhookReceiver).WebhookHandler().ServeHTTP(answer, r)
			if answer.Code != http.StatusNoContent {
				t.Fatalf("%s: %d", id, answer.Code)
			}
		}
		sends := func(when, want string, called bool) {
			t.Helper()
			before := calls
			if got := codeOf(t, w, text("+"+awa)); got != want || (calls > before) != called {
				t.Errorf("%s: %q, %d calls, want %q", when, got, calls-before, want)
			}
		}
		sends("at first", "", true)
		inbound("SM1", "Assez de vos messages", "STOP")
		sends("after OptOutType STOP", "recipient_opted_out", false)
		inbound("SM2", "AIDE", "HELP")
		sends("after OptOutType HELP", "recipient_opted_out", false)
		inbound("SM3", "Je veux bien", "START")
		sends("after OptOutType START", "", true)
		inbound("SM4", "STOPALL", "")
		sends("after STOPALL", "recipient_opted_out", false)
		inbound("SM5", "UNSTOP", "")
		sends("after UNSTOP", "", true)
		w.Clock.Advance(5 * time.Second)
		blocked = true // the person has opted out where Griot didn't see it
		sends("refused with 21610", "recipient_opted_out", true)
		sends("after 21610", "recipient_opted_out", false)
		blocked = false
		inbound("SM6", "Yes", "")
		sends("after YES", "", true)
	})
}
