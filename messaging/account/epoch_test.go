package account_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/logtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/optout"
)

// Changes of one process are visible to the others while they follow.
// Rules: M13.
func TestFollow_SeesChangesOfOtherProcesses(t *testing.T) {
	h := newService(t, dbtest.Postgres(t), "free")
	key, secret := h.key(account.KeySpec{AccountID: h.a.ID, Kind: account.Live})
	elsewhere := account.NewDirectory(h.db, h.clock.Now) // its clock stands still, so nothing that it caches expires
	account.SetLookEvery(elsewhere, 10*time.Millisecond)
	waittest.Run(t, func(ctx context.Context) error { return elsewhere.Follow(ctx, (&logtest.Recorder{}).Logger()) })
	soon := func(what string, check func() bool) {
		t.Helper()
		waittest.Until(t, func() error {
			if !check() {
				return errors.New("the other directory is as before, want it with " + what)
			}
			return nil
		})
	}
	seen := func() *account.Account {
		a, err := elsewhere.Account(t.Context(), h.a.ID)
		h.must(err)
		return a
	}
	opens := func() bool {
		c, err := elsewhere.Authenticate(t.Context(), secret)
		h.must(err)
		return c != nil
	}
	if !opens() || seen().HasOptOuts || len(seen().Senders) != 0 {
		t.Fatalf("at first: opens %v, account %+v", opens(), seen())
	}
	h.must(h.db.Write(t.Context(), func(tx *db.Tx) error {
		if _, err := optout.Add(tx, h.a.ID, gateway.SMS, "22376000001", optout.Requested, messagingtest.Start); err != nil {
			return err
		}
		return account.NoteChange(tx)
	}))
	soon("an opt-out", func() bool { return seen().HasOptOuts })
	sender, err := h.AddSender(t.Context(), account.Sender{AccountID: h.a.ID, Channel: gateway.SMS, Address: "22370000001", Gateway: "g", Position: -1}, false, func(*db.Tx, string) (bool, error) { return true, nil })
	h.must(err)
	soon("a sender", func() bool { return len(seen().Senders) == 1 })
	_, err = h.SetWarmUp(t.Context(), sender.ID, account.WarmUp{First: 5, Days: 3})
	h.must(err)
	soon("a warm-up", func() bool { return seen().Senders[0].WarmUp.Days == 3 })
	_, _, err = h.RemoveSender(t.Context(), sender.ID, func(*db.Query) (bool, error) { return false, nil })
	h.must(err)
	soon("a sender's end", func() bool { return len(seen().Senders) == 0 })
	name := "Another name"
	_, err = h.Change(t.Context(), h.a.ID, &account.Change{Name: &name})
	h.must(err)
	soon("a change of the account", func() bool { return seen().Name == name })
	_, err = h.SetPlan(t.Context(), "free", func(p *account.Plan) { p.DailyLimit = 7 })
	h.must(err)
	soon("a change of the plan", func() bool { return seen().Plan.DailyLimit == 7 })
	_, err = h.RevokeKey(t.Context(), h.a.ID, "", key.ID)
	h.must(err)
	soon("a revoked key", func() bool { return !opens() })
}
