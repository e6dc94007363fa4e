package delivery_test

import (
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/counts"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

func priced(t *testing.T, w *messagingtest.World, id string, status gateway.ReceiptStatus, p *gateway.Pricing) {
	t.Helper()
	if err := w.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: id, Status: status, Pricing: p, At: w.Clock.Now()}); err != nil {
		t.Fatal(err)
	}
}

func whatsApp(to string) *message.Request {
	return &message.Request{To: to, Channel: gateway.WhatsApp, Content: message.Content{Text: "Bonjour"}, Source: message.SourceAPI}
}

// The last known price counts, with or without a change of the status. A receipt without a price, or an older one,
// changes nothing.
// Rules: M201.
func TestPricing_IsKept(t *testing.T) {
	free, utility := &gateway.Pricing{Category: "service"}, &gateway.Pricing{Billable: true, Category: "utility"}
	for name, tc := range map[string]struct {
		receipts []gateway.ReceiptStatus
		prices   []*gateway.Pricing
		want     message.Price
	}{
		"none":                      {[]gateway.ReceiptStatus{gateway.ReceiptDelivered}, []*gateway.Pricing{nil}, ""},
		"with the status":           {[]gateway.ReceiptStatus{gateway.ReceiptDelivered}, []*gateway.Pricing{utility}, "+utility"},
		"of a repeated status":      {[]gateway.ReceiptStatus{gateway.ReceiptSent}, []*gateway.Pricing{free}, "-service"},
		"then none":                 {[]gateway.ReceiptStatus{gateway.ReceiptSent, gateway.ReceiptDelivered}, []*gateway.Pricing{utility, nil}, "+utility"},
		"then another":              {[]gateway.ReceiptStatus{gateway.ReceiptSent, gateway.ReceiptDelivered}, []*gateway.Pricing{free, utility}, "+utility"},
		"another of the same":       {[]gateway.ReceiptStatus{gateway.ReceiptDelivered, gateway.ReceiptDelivered}, []*gateway.Pricing{free, utility}, "+utility"},
		"an older one is late":      {[]gateway.ReceiptStatus{gateway.ReceiptDelivered, gateway.ReceiptSent}, []*gateway.Pricing{utility, free}, "+utility"},
		"an older one is the first": {[]gateway.ReceiptStatus{gateway.ReceiptDelivered, gateway.ReceiptSent}, []*gateway.Pricing{nil, free}, "-service"},
		"without a category":        {[]gateway.ReceiptStatus{gateway.ReceiptRead}, []*gateway.Pricing{{Billable: true}}, "+"},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "free")
				w.Run(t, w.Delivery)
				id := w.Submit(t, whatsApp("22376000001")).Message.ID
				steps, sequence := w.Message(t, id).Timeline, w.Message(t, id).Status
				for i, s := range tc.receipts {
					priced(t, w, id, s, tc.prices[i])
				}
				m := w.Message(t, id)
				if m.Price != tc.want {
					t.Errorf("the price is %q, want %q", m.Price, tc.want)
				}
				if m.Status == sequence && m.Timeline != steps {
					t.Errorf("the timeline has another step: %s", m.Timeline)
				}
				w.CheckCounts(t)
			})
		})
	}
}

// Receipts are repeated, and a price can change. A message is counted once, and only if it was delivered.
// Rules: M201.
func TestPricing_IsCountedOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Run(t, w.Delivery)
		utility := &gateway.Pricing{Billable: true, Category: "utility"}
		for _, of := range []struct {
			to       string
			prices   []*gateway.Pricing
			receipts []gateway.ReceiptStatus
		}{
			{"22376000001", []*gateway.Pricing{utility, utility, utility, nil}, []gateway.ReceiptStatus{gateway.ReceiptSent, gateway.ReceiptDelivered, gateway.ReceiptDelivered, gateway.ReceiptRead}},
			{"22376000002", []*gateway.Pricing{{Category: "service"}, utility}, []gateway.ReceiptStatus{gateway.ReceiptDelivered, gateway.ReceiptDelivered}},
			{"22376000003", []*gateway.Pricing{{Category: "service"}}, []gateway.ReceiptStatus{gateway.ReceiptRead}},
			{"22376000004", []*gateway.Pricing{{Billable: true, Category: "of_tomorrow"}}, []gateway.ReceiptStatus{gateway.ReceiptDelivered}},
			{"22376000005", []*gateway.Pricing{utility}, []gateway.ReceiptStatus{gateway.ReceiptSent}},
			{"22376000006", []*gateway.Pricing{utility}, []gateway.ReceiptStatus{gateway.ReceiptFailed}},
		} {
			id := w.Submit(t, whatsApp(of.to)).Message.ID
			for i, s := range of.receipts {
				priced(t, w, id, s, of.prices[i])
			}
		}
		for _, folded := range []bool{false, true} {
			if folded {
				w.CheckCounts(t)
			}
			got := map[string]int{}
			_, err := counts.Each(d.Read(t.Context()), &counts.Query{AccountID: w.Account.ID, From: w.Clock.Now().Add(-time.Hour), To: w.Clock.Now().Add(time.Hour)}, w.Clock.Now(), func(r *counts.Row) {
				if r.Kind == counts.Charged || r.Kind == counts.Free {
					got[string(r.Kind)+" "+r.Detail] += r.N
				}
			})
			if err != nil || got["charged utility"] != 2 || got["free service"] != 1 || got["charged other"] != 1 || len(got) != 3 {
				t.Errorf("folded %t: %v, %v", folded, got, err)
			}
		}
	})
}
