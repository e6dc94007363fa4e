package account_test

import (
	"fmt"
	"slices"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
)

// An account has at most five open requests, and only one for the same item. Each ends once, and closing the account ends all of them.
// Rules: M190.
func TestRequests(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "pro")
		add := func(kind, wanted string) bool {
			t.Helper()
			stored, err := w.Directory.AddRequest(t.Context(), account.Request{AccountID: w.Account.ID, Kind: kind, Wanted: wanted, Note: "For our shop"})
			if err != nil {
				t.Fatal(err)
			}
			return stored
		}
		if !add("whatsapp", "22376000001") || add("whatsapp", "22376000001") || !add("sms", "22376000001") {
			t.Error("one request of each kind, and no second one for the same")
		}
		stored := make([]bool, 20)
		waittest.Together(len(stored), func(i int) {
			stored[i], _ = w.Directory.AddRequest(t.Context(), account.Request{AccountID: w.Account.ID, Kind: account.WebhookRequest, Wanted: fmt.Sprintf("https://shop.example/%d", i)})
		})
		open, err := w.Directory.Requests(t.Context(), "")
		first := slices.IndexFunc(open, func(r account.Request) bool { return r.Kind == "whatsapp" })
		if err != nil || len(open) != account.MaxRequests || first < 0 || open[first].Note != "For our shop" || open[first].AccountName != w.Account.Name || !open[first].At.Equal(w.Clock.Now()) {
			t.Fatalf("%d requests, %v: %+v", len(open), err, open)
		}
		ends := make([]*account.Request, 8)
		waittest.Together(len(ends), func(i int) { ends[i], _ = w.Directory.EndRequest(t.Context(), open[0].ID, i%2 == 0) })
		ended := 0
		for _, r := range ends {
			if r != nil && r.Wanted == open[0].Wanted && r.AccountID == w.Account.ID {
				ended++
			}
		}
		if n := w.Int(t, `SELECT count(*) FROM account_audit_events WHERE account_id = $1 AND action IN ('request.done', 'request.declined') AND target = $2`, w.Account.ID, open[0].ID); ended != 1 || n != 1 {
			t.Errorf("it ended %d times, and %d times in the audit log; want once", ended, n)
		}
		if n := w.Int(t, `SELECT count(*) FROM account_audit_events WHERE action = 'request.made'`); n != account.MaxRequests || !add("email", "awa@example.com") {
			t.Errorf("%d requests in the audit log, want %d and room for another", n, account.MaxRequests)
		}
		if _, err := w.Directory.Close(t.Context(), w.Account, func(*db.Tx) (refused, err error) { return nil, nil }); err != nil {
			t.Fatal(err)
		}
		if n := w.Int(t, `SELECT count(*) FROM account_requests`); n != 0 || add("sms", "36000") {
			t.Errorf("%d requests of a closed account, want none and no more", n)
		}
	})
}
