package verbs_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	messagingverbs "example.com/griot/messaging/verbs"
)

// An SMS sender can be a short code, or a name if the gateway supports it. A WhatsApp sender must be a number.
func TestSenders_Addresses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		o := newOperator(t, d, func() {})
		if err := o.ask("gateways.add", messagingverbs.GatewayInput{Name: "post", Kind: "wire", Settings: json.RawMessage(`{}`)}); err != nil {
			t.Fatal(err)
		}
		if err := o.ask("gateways.add", messagingverbs.GatewayInput{Name: "names", Kind: "named", Settings: json.RawMessage(`{}`)}); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			address string
			want    string // of the refusal; empty: accepted
		}{
			{"BoutiqueAwa", ""},
			{" Griot 24 ", ""},
			{"boutiqueawa", "This address is already a sender."}, // phones show them alike to a hurried reader
			{"GRIOT 24", "This address is already a sender."},
			{"+223 70 00 00\u201102", ""},
			{"36001", ""},
			{"BoutiqueAwa", "This address is already a sender."},
			{"BoutiqueAwa2", "at most 11 ASCII characters"},
			{"Épicerie", "at most 11 ASCII characters"},
			{"Awa\u202e", "at most 11 ASCII characters"},
			{"+36000", "must be an E.164 number"},
			{"", "must be an E.164 number"},
		} {
			err := o.ask("senders.add", messagingverbs.SenderInput{Channel: "sms", Address: tt.address, Gateway: "names"})
			if got := refusal(err); (err == nil) != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("%q: %v %q, want %q", tt.address, err, got, tt.want)
			}
		}
		for _, in := range []messagingverbs.SenderInput{{Channel: "sms", Gateway: "post"}, {Channel: "whatsapp", Gateway: "names"}, {Channel: "sms", Gateway: "none"}} {
			in.Address = "Marché"
			want := map[string]string{"post": "A gateway of the kind wire has no senders with names", "names": "must be an E.164 number", "none": "The gateway doesn't exist."}[in.Gateway]
			if got := refusal(o.ask("senders.add", in)); !strings.Contains(got, want) {
				t.Errorf("%+v: %q, want %q", in, got, want)
			}
		}
		for _, tt := range []struct {
			channel, address string
			taken            bool
		}{
			{"sms", "36000", true},
			{"sms", "123", true},
			{"sms", "+22370000001", true},
			{"sms", "36", false},
			{"sms", "+36000", false},
			{"sms", "36 000", false},
			{"sms", "Orange", false},
			{"whatsapp", "36000", false},
			{"whatsapp", "22370000001", true}, // without a server, the gateway's channels are unknown
		} {
			err := o.ask("senders.add", messagingverbs.SenderInput{Channel: tt.channel, Address: tt.address, Gateway: "post"})
			if (err == nil) != tt.taken {
				t.Errorf("%s %q: %v, want it taken: %v", tt.channel, tt.address, err, tt.taken)
			}
		}
	})
}

// A number that people sign in with, and one that another account has on another channel, need a confirmation. No two
// senders of a channel differ only in their spelling.
// Rules: M190.
func TestSenders_OfSomebodyElse(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		o := newOperator(t, d, func() {})
		if err := o.ask("gateways.add", messagingverbs.GatewayInput{Name: "post", Kind: "wire", Settings: json.RawMessage(`{}`)}); err != nil {
			t.Fatal(err)
		}
		for _, plan := range []string{"awa", "ben"} {
			if err := o.ask("accounts.create", messagingverbs.AccountInput{Name: plan, Email: plan + "@example.com", Plan: "free"}); err != nil {
				t.Fatal(err)
			}
		}
		const awa, ben, platform = "awa@example.com", "ben@example.com", ""
		const signIn, taken, elsewhere = "People sign in by writing to this number", "This address is already a sender.", "Another account has this number on another channel."
		for _, tt := range []struct {
			account, channel, address string
			loginNumber, shared       bool
			want                      string // of the refusal; empty: accepted
		}{
			{awa, "whatsapp", "+55 11 98765-4321", false, false, signIn},
			{awa, "sms", "551187654321", false, false, signIn}, // the same person's other spelling
			{platform, "whatsapp", loginNumber, false, true, signIn},
			{awa, "whatsapp", loginNumber, true, false, ""},
			{platform, "email", "bonjour@griot.example", false, false, ""},
			{awa, "email", "Bonjour@griot.example", false, false, taken},
			{awa, "email", "bonjour@GRIOT.example", true, true, taken},
			{awa, "email", "cafe\u0301@griot.example", false, false, ""},
			{ben, "email", "caf\u00e9@griot.example", false, false, taken},
			{awa, "sms", "22370000001", false, false, ""},
			{awa, "whatsapp", "22370000001", false, false, ""}, // its own
			{ben, "whatsapp", "22370000002", false, false, ""},
			{awa, "sms", "22370000002", false, false, elsewhere},
			{platform, "sms", "22370000002", true, false, elsewhere},
			{awa, "sms", "22370000002", false, true, ""},
			{platform, "sms", "36000", false, false, ""},
			{ben, "sms", "36000", false, true, taken},
		} {
			err := o.ask("senders.add", messagingverbs.SenderInput{Account: tt.account, Channel: tt.channel, Address: tt.address, Gateway: "post", LoginNumber: tt.loginNumber, Shared: tt.shared})
			if got := refusal(err); (err == nil) != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("%+v: %v %q", tt, err, got)
			}
		}
	})
}

// A running server refuses a sender of a channel that its gateway doesn't have, because all its messages would fail.
func TestSenders_OfAChannelOfTheGateway(t *testing.T) {
	d := dbtest.SQLite(t)
	o := newOperator(t, d, func() {})
	if err := o.ask("gateways.add", messagingverbs.GatewayInput{Name: "post", Kind: "wire", Settings: json.RawMessage(`{}`)}); err != nil {
		t.Fatal(err)
	}
	if err := o.gateways.Open(t.Context(), gateway.NewSet(nil), nil); err != nil {
		t.Fatal(err)
	}
	for channel, address := range map[string]string{"email": "bonjour@example.com", "whatsapp": "+22370000001"} {
		err := o.ask("senders.add", messagingverbs.SenderInput{Channel: channel, Address: address, Gateway: "post"})
		if want := "The gateway post can't send on the channel " + channel; !strings.Contains(refusal(err), want) {
			t.Errorf("%s: %v, want %q", channel, err, want)
		}
	}
	if err := o.addSender("+22370000001"); err != nil {
		t.Error(err)
	}
}

// refusal returns an error as shown to an operator.
func refusal(err error) string {
	if e, ok := errors.AsType[*apierror.Error](err); ok {
		return e.Text()
	}
	return ""
}
