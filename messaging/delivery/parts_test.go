package delivery_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// A message is delivered when all its parts are, and a failed part fails it. Each report reaches another process, and
// the first ones end before the last report.
func TestReceipt_Parts(t *testing.T) {
	long := strings.Repeat("a", 200) // two parts
	for name, tc := range map[string]struct {
		text    string
		reports string
		want    []message.Status // after each report
	}{
		"all delivered":              {"a", "sent/3 a b c", []message.Status{"SENT", "SENT", "SENT", "DELIVERED"}},
		"one report repeated":        {"a", "sent/3 a a a b b", []message.Status{"SENT", "SENT", "SENT", "SENT", "SENT", "SENT"}},
		"repeated at the end":        {"a", "sent/2 a b b", []message.Status{"SENT", "SENT", "DELIVERED", "DELIVERED"}},
		"one failed":                 {"a", "sent/3 a failed", []message.Status{"SENT", "SENT", "FAILED"}},
		"the first failed":           {"a", "sent/3 failed b c", []message.Status{"SENT", "FAILED", "FAILED", "FAILED"}},
		"failed before it was sent":  {long, "failed a sent/2", []message.Status{"FAILED", "FAILED", "FAILED"}},
		"a single part":              {"a", "sent/1 a", []message.Status{"SENT", "DELIVERED"}},
		"no number":                  {"a", "sent/0 a", []message.Status{"SENT", "DELIVERED"}},
		"no number of a long text":   {long, "sent/0 a b", []message.Status{"SENT", "SENT", "DELIVERED"}},
		"delivered first":            {strings.Repeat("a", 400), "a b sent/2", []message.Status{"SENT", "SENT", "DELIVERED"}},
		"fewer parts than estimated": {long, "sent/1 a", []message.Status{"SENT", "DELIVERED"}},
		"the number in each report":  {"a", "a/2 b/2", []message.Status{"SENT", "DELIVERED"}},
		"without a report of sent":   {long, "a b", []message.Status{"SENT", "DELIVERED"}},
		"the whole message":          {long, "whole", []message.Status{"DELIVERED"}},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "unlimited")
				r := text("22376000001")
				r.Content.Text = tc.text
				id := w.Submit(t, r).Message.ID
				var got []message.Status
				for _, report := range strings.Fields(tc.reports) {
					what, parts, _ := strings.Cut(report, "/")
					receipt := gateway.Receipt{Gateway: "fake", Ref: id, Status: gateway.ReceiptDelivered, Part: what}
					receipt.Parts, _ = strconv.Atoi(parts)
					switch what {
					case "sent", "failed":
						receipt.Status, receipt.Part = gateway.ReceiptStatus(what), ""
					case "whole":
						receipt.Part = ""
					}
					if err := w.NewDelivery().Receipt(t.Context(), receipt); err != nil {
						t.Fatal(err)
					}
					got = append(got, w.Message(t, id).Status)
				}
				if !slices.Equal(got, tc.want) {
					t.Errorf("%v, want %v", got, tc.want)
				}
			})
		})
	}
}

// Reports of another gateway, and of unknown messages, are not stored. Those of a message are limited and are deleted.
func TestReceipt_PartsAreBounded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited", func(*account.Spec) {})
		id := w.Submit(t, text("22376000001")).Message.ID
		report := func(gatewayName, ref, part string) {
			_ = w.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: gatewayName, Ref: ref, Status: gateway.ReceiptDelivered, Part: part, Parts: 255})
		}
		report("other", id, "a")
		report("fake", "msg_00000000000000000000000000", "a")
		report("fake", "nonsense", "a")
		if n := w.Int(t, `SELECT count(*) FROM part_receipts`); n != 0 {
			t.Fatalf("%d rows of messages that it doesn't have", n)
		}
		for i := range 300 {
			report("fake", id, strconv.Itoa(i))
		}
		if n := w.Int(t, `SELECT count(*) FROM part_receipts`); n > 256 || w.Message(t, id).Status != message.Delivered {
			t.Errorf("%d rows, and the message is %s", n, w.Message(t, id).Status)
		}
		w.Clock.Advance(9 * 24 * time.Hour)
		w.Run(t, w.Delivery)
		w.WaitForInt(t, 0, `SELECT count(*) FROM part_receipts`)
	})
}
