package delivery_test

import (
	"testing"
	"time"

	"griot/internal/db"
	"griot/internal/db/dbtest"
	"griot/messaging/account"
	"griot/messaging/messagingtest"
)

func TestSweep_TakesWhatDecidesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited", func(s *account.Spec) { s.RecipientCap = 5 })
		w.Gateway.ByProviderID.Store(true)
		old := submit(t, w, text("22376000001"))
		w.Clock.Advance(9 * 24 * time.Hour)
		submit(t, w, text("22376000001"))
		w.Run(t, w.Engine)
		waitFor(t, func() bool {
			return w.Int(t, `SELECT count(*) FROM provider_refs`) == 1 && w.Int(t, `SELECT count(*) FROM recipient_counts`) == 1
		})
		if w.Message(t, old.Message.ID).ProviderID == "" || w.Int(t, `SELECT count(*) FROM provider_refs WHERE ref = $1`, old.Message.ID) != 0 {
			t.Error("the wrong one is gone")
		}
	})
}
