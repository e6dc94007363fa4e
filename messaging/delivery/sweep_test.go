package delivery_test

import (
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/logtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/messagingtest"
)

func TestSweep_TakesWhatDecidesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited", func(s *account.Spec) { s.RecipientCap = 5 })
		w.Gateway.ByProviderID.Store(true)
		old := w.Submit(t, text("22376000001"))
		w.Clock.Advance(9 * 24 * time.Hour)
		w.Submit(t, text("22376000001"))
		w.Run(t, w.Delivery)
		w.WaitForInt(t, 1, `SELECT count(*) FROM provider_refs`)
		w.WaitForInt(t, 1, `SELECT count(*) FROM recipient_counts`)
		if w.Message(t, old.Message.ID).ProviderID == "" || w.Int(t, `SELECT count(*) FROM provider_refs WHERE ref = $1`, old.Message.ID) != 0 {
			t.Error("the wrong one is gone")
		}
	})
}

// People press buttons of old messages. If the gateway identifies them by its own ID, the ID is kept as long as the inbox.
func TestSweep_KeepsWhatMayBeQuoted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		w.Gateway.QuotesByProviderID.Store(true)
		var ids []string
		for _, after := range []time.Duration{0, 5, 26} { // days: 31, 26, and none old at the end
			w.Clock.Advance(after * 24 * time.Hour)
			ids = append(ids, w.Submit(t, text("22376000001")).Message.ID)
		}
		kept := func(id string) int { return w.Int(t, `SELECT count(*) FROM provider_refs WHERE ref = $1`, id) }
		w.Run(t, w.Delivery)
		w.Eventually(t, "0 rows kept of the oldest", func() (any, bool) { n := kept(ids[0]); return n, n == 0 })
		if kept(ids[1]) != 1 || kept(ids[2]) != 1 {
			t.Errorf("kept %d of 26 days ago and %d of today, want both", kept(ids[1]), kept(ids[2]))
		}
	})
}

// A receipt that matches no message is dropped after an hour, with a line in the log that has neither its ID nor its content.
func TestSweep_LogsReceiptsOfNoMessage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		log := &logtest.Recorder{}
		e := w.NewDelivery(func(o *delivery.Options) { o.Gateways.LogTo(log.Logger(), w.Clock.Now) })
		if err := e.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", ProviderID: "0A1B", Status: gateway.ReceiptDelivered, At: w.Clock.Now()}); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Hour + time.Second)
		w.Run(t, e)
		w.WaitForInt(t, 0, `SELECT count(*) FROM provider_refs`)
		w.Eventually(t, "a line in the log", func() (any, bool) {
			logged := log.String()
			return logged, strings.Contains(logged, "matched no message") && strings.Contains(logged, "count=1") && strings.Contains(logged, "fake") && !strings.Contains(logged, "0A1B")
		})
	})
}
