package inbox_test

import (
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
)

// A message without our number goes to the only number of its gateway, or to the first of the only account, and never
// to one of several accounts.
func TestNumberFor(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		other, err := w.Directory.Create(t.Context(), &account.Spec{Name: "Other", Email: "other@example.org", Plan: "business"})
		if err != nil {
			t.Fatal(err)
		}
		add := func(accountID, address, gatewayName string, position int) {
			t.Helper()
			s := account.Sender{AccountID: accountID, Channel: gateway.SMS, Address: address, Gateway: gatewayName, Position: position}
			if _, err := w.Directory.AddSender(t.Context(), s, false, func(*db.Tx, string) (bool, error) { return true, nil }); err != nil {
				t.Fatal(err)
			}
		}
		add(w.Account.ID, "22376000101", "single", 5)
		add(w.Account.ID, "22376000102", "several", 7)
		add(w.Account.ID, "22376000103", "several", 6)
		add(w.Account.ID, "22376000104", "shared", 8)
		add(other.ID, "22376000105", "shared", 9)
		for _, tt := range []struct {
			gateway   string
			channel   gateway.Channel
			receivers []string
			want      string
		}{
			{"single", gateway.SMS, nil, "22376000101"},
			{"single", gateway.WhatsApp, nil, ""},
			{"single", gateway.SMS, []string{"22376000101"}, "22376000101"},
			{"single", gateway.SMS, []string{"22376000199"}, ""},
			{"several", gateway.SMS, nil, "22376000103"},
			{"several", gateway.SMS, []string{"22376000102"}, ""},
			{"shared", gateway.SMS, nil, ""},
			{"unknown", gateway.SMS, nil, ""},
			{"unknown", gateway.WhatsApp, []string{"22376000199"}, "22376000199"},
		} {
			if got, err := w.Inbox.NumberFor(t.Context(), tt.gateway, tt.channel, tt.receivers); err != nil || got != tt.want {
				t.Errorf("%s %s %v: %q, %v; want %q", tt.gateway, tt.channel, tt.receivers, got, err, tt.want)
			}
		}
	})
}
