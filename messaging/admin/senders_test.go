package admin_test

import (
	"encoding/json"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	messagingadmin "example.com/griot/messaging/admin"
)

// An SMS sender may be a short code; a WhatsApp sender has a number.
func TestSenders_Addresses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		o := newOperator(t, d, func() {})
		if err := o.ask("gateways.add", messagingadmin.GatewayInput{Name: "post", Kind: "wire", Settings: json.RawMessage(`{}`)}); err != nil {
			t.Fatal(err)
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
			{"whatsapp", "22370000001", true},
		} {
			err := o.ask("senders.add", messagingadmin.SenderInput{Channel: tt.channel, Address: tt.address, Gateway: "post"})
			if (err == nil) != tt.taken {
				t.Errorf("%s %q: %v, want it taken: %v", tt.channel, tt.address, err, tt.taken)
			}
		}
	})
}
