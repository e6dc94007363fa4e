package webhooks_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/webhooks"
)

// Rules: M88, M185, M210.
func TestSimulated(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	url := newEndpoint(t, w.Clock.Now, nil).url
	w.SetWebhook(t, url)
	w.set(t, w.Account.ID, url)
	for _, test := range []struct {
		channel   gateway.Channel
		to, error string
		want      []string
	}{
		{gateway.SMS, "+22376000001", "", []string{"sending sent", "sent delivered"}},
		{gateway.WhatsApp, "+447700900002", "", []string{"sending sent", "sent delivered", "delivered read"}},
		{gateway.WhatsApp, "+447700900010", `{"code":"not_on_whatsapp","message":"The recipient cannot be reached on this channel.","providerCode":null,"retryable":false}`, []string{"sending failed"}},
		{gateway.SMS, "+447700900024", `{"code":"delivery_failed","message":"The gateway refused the message.","providerCode":null,"retryable":false}`, []string{"sending sent", "sent failed"}},
		{gateway.SMS, "+447700900014", `{"code":"recipient_opted_out","message":"The recipient has opted out of messages on this channel.","providerCode":null,"retryable":false}`, []string{"queued failed"}},
		{gateway.SMS, "+447700900033", `{"code":"expired","message":"The message was not delivered in time.","providerCode":null,"retryable":false}`, []string{"queued expired"}},
		{message.Auto, "+447700900030", `{"code":"provider_unavailable","message":"The gateway could not take the message at that time.","providerCode":null,"retryable":true}`, []string{"sending failed"}},
		{gateway.Email, "bounced@simulated.example", `{"code":"bounced","message":"The recipient cannot be reached on this channel.","providerCode":null,"retryable":false}`, []string{"sending sent", "sent failed"}},
	} {
		at := w.Clock.Now()
		m := message.New(&message.Request{Channel: test.channel, To: test.to, Sandbox: true}, w.Account.ID, "", at)
		all := webhooks.Simulated(w.Account, m, at)
		w.Write(t, func(tx *db.Tx) error {
			for _, e := range all {
				if err := webhooks.Insert(tx, nil, e); err != nil {
					return err
				}
			}
			return nil
		})
		var seen []string
		last := -1.0
		for i, e := range all {
			var b struct {
				Event, EventID, MessageID, PreviousStatus, Status string
				Sequence                                          float64
				Error                                             json.RawMessage
			}
			if err := json.Unmarshal([]byte(e.Body), &b); err != nil {
				t.Fatal(err)
			}
			failure := "null"
			if i == len(all)-1 && test.error != "" {
				failure = test.error
			}
			if b.Sequence <= last || b.MessageID != m.ID || b.Event != "message.status" || b.EventID != e.ID || string(b.Error) != failure {
				t.Errorf("%s: event %s, want the error %s", test.to, e.Body, failure)
			}
			last = b.Sequence
			seen = append(seen, b.PreviousStatus+" "+b.Status)
			w.event(t, e)
		}
		if !slices.Equal(seen, test.want) || !slices.IsSortedFunc(all, func(a, b *webhooks.Event) int { return a.At.Compare(b.At) }) {
			t.Errorf("%s on %s: events %v, want %v", test.to, test.channel, seen, test.want)
		}
	}
	if err := w.endpoints.SetReadReceipts(t.Context(), w.Account.ID, false); err != nil {
		t.Fatal(err)
	}
	w.SetWebhook(t, url)
	m := message.New(&message.Request{Channel: gateway.WhatsApp, To: "+447700900002", Sandbox: true}, w.Account.ID, "", w.Clock.Now())
	if all := webhooks.Simulated(w.Account, m, w.Clock.Now()); len(all) != 2 || strings.Contains(all[1].Body, `"status":"read"`) {
		t.Errorf("an account without read receipts gets %d events, want sent and delivered", len(all))
	}
}

// sent sends a message that is then delivered and read, and returns the statuses of its events.
func (w *world) sent(t *testing.T) (statuses []string) {
	t.Helper()
	res, err := w.Delivery.Submit(t.Context(), w.LiveCaller, &message.Request{Channel: gateway.SMS, To: "22376000001", Content: message.Content{Text: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []gateway.ReceiptStatus{gateway.ReceiptDelivered, gateway.ReceiptRead} {
		w.Clock.Advance(time.Second)
		if err := w.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: res.Message.ID, Status: s, At: w.Clock.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	all, _, err := w.endpoints.Events(t.Context(), &webhooks.Filter{AccountID: w.Account.ID, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range slices.Backward(all) {
		var b struct{ MessageID, Status string }
		if err := json.Unmarshal([]byte(e.Body), &b); err != nil {
			t.Fatal(err)
		}
		if b.MessageID == res.Message.ID {
			statuses = append(statuses, b.Status)
		}
	}
	return statuses
}

// again reads the account, like a request.
func (w *world) again(t *testing.T) {
	t.Helper()
	var err error
	if w.LiveCaller, err = w.Directory.Authenticate(t.Context(), w.LiveKey); err != nil {
		t.Fatal(err)
	}
}

// Rules: M153.
func TestWanted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		wants := func(when string, want ...string) {
			t.Helper()
			w.again(t)
			if got := w.sent(t); !slices.Equal(got, want) {
				t.Errorf("%s: events %v, want %v", when, got, want)
			}
		}
		wants("nobody is there")
		w.set(t, w.Account.ID, "http://127.0.0.1:9/hook")
		wants("an endpoint", "sent", "delivered", "read")
		if err := w.endpoints.SetReadReceipts(t.Context(), w.Account.ID, false); err != nil {
			t.Fatal(err)
		}
		wants("no read receipts", "sent", "delivered")
		w.set(t, w.Account.ID, "")
		wants("no endpoint any more")
		if err := w.endpoints.SetReadReceipts(t.Context(), w.Account.ID, true); err != nil {
			t.Fatal(err)
		}
		if err := w.endpoints.Listen(t.Context(), w.Account.ID, true); err != nil {
			t.Fatal(err)
		}
		wants("a listener", "sent", "delivered", "read")
		w.Clock.Advance(2 * time.Minute)
		wants("the listener has gone")
	})
}

// An event that was stored only for a listener does not wait for an endpoint. An event that waited for an endpoint is
// delivered when there is one again.
func TestInsert_WhoItIsFor(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		if err := w.endpoints.Listen(t.Context(), w.Account.ID, true); err != nil {
			t.Fatal(err)
		}
		streamed := w.events(t, w.Account.ID, 1)[0]
		e := newEndpoint(t, w.Clock.Now, nil)
		secret := w.set(t, w.Account.ID, e.url)
		waiting := w.events(t, w.Account.ID, 3)
		w.set(t, w.Account.ID, "")
		run(t, w.NewDispatcher())
		w.signal.Notify()
		if again := w.set(t, w.Account.ID, e.url); again != "" || secret == "" {
			t.Errorf("secrets %q, %q", secret, again)
		}
		for _, m := range waiting {
			w.becomes(t, m, webhooks.Delivered)
		}
		if s := w.event(t, streamed); s.Delivery != webhooks.NotSent || len(e.got()) != 3 {
			t.Errorf("%d deliveries; the streamed event is %s", len(e.got()), s.Delivery)
		}
		if found, err := w.endpoints.Resend(t.Context(), w.Account.ID, streamed.ID); err != nil || !found {
			t.Error(found, err)
		}
		w.becomes(t, streamed, webhooks.Delivered)
	})
}

func TestRotate_SignsWithBothForADay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		e := newEndpoint(t, w.Clock.Now, nil)
		old := w.set(t, w.Account.ID, e.url)
		run(t, w.NewDispatcher())
		check := func(when string, by map[string]bool) {
			t.Helper()
			m := w.events(t, w.Account.ID, 1)[0]
			w.becomes(t, m, webhooks.Delivered)
			all := e.got()
			for secret, want := range by {
				if got := verifies(t, &all[len(all)-1], secret); got != want {
					t.Errorf("%s: %v", when, got)
				}
			}
		}
		check("before", map[string]bool{old: true})
		fresh, until, err := w.endpoints.Rotate(t.Context(), w.Account.ID)
		if err != nil || !until.Equal(w.Clock.Now().Add(24*time.Hour)) {
			t.Fatal(until, err)
		}
		check("at once", map[string]bool{old: true, fresh: true})
		w.Clock.Advance(24*time.Hour - time.Second)
		check("within the day", map[string]bool{old: true, fresh: true})
		w.Clock.Advance(time.Second)
		check("after it", map[string]bool{old: false, fresh: true})
		if n := w.Int(t, `SELECT count(*) FROM accounts WHERE webhook_secret LIKE '%whsec_%'`); n != 0 {
			t.Error("a secret is stored in clear")
		}
	})
}

func TestEvents_PageAndFilter(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		w.set(t, w.Account.ID, "http://127.0.0.1:9/hook")
		other := w.another(t, "http://127.0.0.1:9/hook")
		w.events(t, other, 5)
		made := map[string]bool{}
		for range 4 {
			w.Clock.Advance(time.Millisecond)
			for _, e := range w.events(t, w.Account.ID, 3) {
				made[e.ID] = true
			}
		}
		before := ""
		for page := range 4 {
			all, _, err := w.endpoints.Events(t.Context(), &webhooks.Filter{AccountID: w.Account.ID, Before: before, Limit: 5})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range all {
				if !made[s.ID] || before != "" && s.ID >= before {
					t.Errorf("page %d: %s out of place", page, s.ID)
				}
				delete(made, s.ID)
				before = s.ID
			}
		}
		if len(made) != 0 {
			t.Errorf("%d events on no page", len(made))
		}
		w.Exec(t, `UPDATE webhook_events SET due_at = NULL, failed_at = 1 WHERE id = $1`, before)
		for delivery, want := range map[webhooks.Delivery]int{webhooks.Pending: 11, webhooks.Failed: 1, webhooks.Delivered: 0, webhooks.NotSent: 0} {
			if all, _, err := w.endpoints.Events(t.Context(), &webhooks.Filter{AccountID: w.Account.ID, Delivery: delivery, Limit: 50}); err != nil || len(all) != want {
				t.Errorf("%s: %d, %v", delivery, len(all), err)
			}
		}
		if s, err := w.endpoints.Event(t.Context(), other, before); err != nil || s != nil {
			t.Errorf("another account sees %v, %v", s, err)
		}
		if found, err := w.endpoints.Resend(t.Context(), other, before); err != nil || found {
			t.Errorf("another account sends again: %v, %v", found, err)
		}
		if n, err := w.endpoints.ResendFailed(t.Context(), other, time.UnixMilli(0)); err != nil || n != 0 {
			t.Errorf("another account sends %d again, %v", n, err)
		}
	})
}

func TestResendFailed_Many(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		w.set(t, w.Account.ID, "http://127.0.0.1:9/hook")
		w.events(t, w.Account.ID, 10)
		w.Clock.Advance(time.Hour)
		since := w.Clock.Now()
		w.events(t, w.Account.ID, 1234)
		w.Exec(t, `UPDATE webhook_events SET due_at = NULL, failed_at = 1, tries = 10`)
		n, err := w.endpoints.ResendFailed(t.Context(), w.Account.ID, since)
		if left := w.Int(t, `SELECT count(*) FROM webhook_events WHERE due_at IS NULL`); err != nil || n != 1234 || left != 10 {
			t.Errorf("sent %d again, %d left, %v", n, left, err)
		}
	})
}

func TestSweep_KeepsThirtyDays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		del := w.NewDispatcher()
		other := w.another(t, "http://127.0.0.1:9/hook")
		w.set(t, w.Account.ID, "http://127.0.0.1:9/hook")
		w.events(t, w.Account.ID, 2100)
		w.events(t, other, 3)
		w.Exec(t, `INSERT INTO webhook_attempts (account_id, event_id, version, at, latency, answer) SELECT account_id, id, 1, 0, 0, '' FROM webhook_events`)
		w.Clock.Advance(time.Minute)
		young := w.events(t, w.Account.ID, 1)[0]
		w.Clock.Advance(30*24*time.Hour - time.Minute)
		if err := del.Maintain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_events`); n != 2104 {
			t.Errorf("%d events before their time is over", n)
		}
		w.Clock.Advance(time.Second)
		before, _ := d.Stats()
		if err := del.Maintain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if after, _ := d.Stats(); after-before < 3 {
			t.Errorf("2,103 events were deleted in %d transactions", after-before)
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_attempts`); n != 0 {
			t.Errorf("%d attempts left", n)
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_events`); n != 1 {
			t.Errorf("%d events left", n)
		}
		w.event(t, young)
	})
}
