package stats_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/stats"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// summaryOf returns the summary of the test's messages.
func summaryOf(t *testing.T, w *messagingtest.World, n int) *stats.Summary {
	t.Helper()
	sum, err := w.Stats.Summarize(t.Context(), w.LiveCaller, n)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// stored is a message to store directly in the table.
type stored struct {
	requested, channel string
	status             message.Status
	failure            string
	after              [2]time.Duration // sent and delivered, after createdAt; negative: not
	scheduled          time.Duration
	steps              []message.Step
}

func store(t *testing.T, w *messagingtest.World, accountID string, s *stored) {
	t.Helper()
	w.Clock.Advance(time.Millisecond)
	now := w.Clock.Now()
	m := message.New(&message.Request{To: "22376000001", Address: "22376000001", Channel: gateway.Channel(s.channel), Source: message.SourceAPI}, accountID, "", now)
	m.RequestedChannel, m.Status = gateway.Channel(s.requested), s.status
	if s.scheduled > 0 {
		m.ScheduledAt = now.Add(s.scheduled)
	}
	steps := s.steps
	if steps == nil {
		steps = []message.Step{{Status: message.Queued, Channel: m.Channel, Sender: "snd_1"}, {Status: message.Sent, Channel: m.Channel, Sender: "snd_1"}}
	}
	for i, step := range steps {
		if i == 0 {
			m.Timeline = message.FirstStep(step)
		} else {
			m.Timeline += message.Timeline(message.AppendedStep(step))
		}
	}
	at := func(d time.Duration) any {
		if d < 0 {
			return nil
		}
		return db.Ms(now.Add(d))
	}
	var failure any
	if s.failure != "" {
		b, err := json.Marshal(message.Failure{Code: s.failure, Class: gateway.Permanent})
		if err != nil {
			t.Fatal(err)
		}
		failure = string(b)
	}
	w.Store(t, m)
	w.Exec(t, `UPDATE messages SET sent_at = $1, delivered_at = $2, failure = $3 WHERE id = $4`, at(s.after[0]), at(s.after[1]), failure, m.ID)
}

// Rules: M120.
func TestSummary_CountsWhatBecameOfEach(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		never := [2]time.Duration{-1, -1}
		took := [2]time.Duration{time.Second, -1}
		arrived := [2]time.Duration{time.Second, 3 * time.Second}
		for _, s := range []*stored{
			{"sms", "sms", message.Sent, "", took, 0, nil},
			{"sms", "sms", message.Delivered, "", arrived, 0, nil},
			{"whatsapp", "whatsapp", message.Read, "", arrived, 0, nil},
			{"sms", "sms", message.Failed, "unreachable", took, 0, nil}, // after it had been sent
			{"sms", "sms", message.Failed, "unreachable", never, 0, nil},
			{"email", "email", message.Expired, "expired", never, 0, nil},
			{"email", "email", message.Queued, "", never, 0, nil},
			{"sms", "sms", message.Canceled, "", never, time.Hour, nil},
			{"sms", "sms", message.Scheduled, "", never, time.Hour, nil},
			{"sms", "sms", message.Sandbox, "", never, 0, nil},
			{"sms", "sms", message.Delivered, "", [2]time.Duration{-1, 5 * time.Second}, 0, nil}, // its receipt was faster than its gateway's response
		} {
			store(t, w, w.Account.ID, s)
		}
		store(t, w, "acc_another", &stored{"sms", "sms", message.Failed, "theirs", never, 0, nil})
		sum := summaryOf(t, w, 200)
		channels := map[gateway.Channel]stats.Channel{}
		for name, c := range sum.ByChannel {
			channels[name] = *c
		}
		want := map[gateway.Channel]stats.Channel{
			"sms": {Total: 7, Sent: 4, Delivered: 2, Failed: 2}, "whatsapp": {Total: 1, Sent: 1, Delivered: 1, Read: 1}, "email": {Total: 2, Failed: 1},
		}
		if diff := cmp.Diff(want, channels); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if sum.Size != 11 || sum.ByStatus[message.Sandbox] != 1 || sum.ByStatus[message.Failed] != 2 || len(sum.ByStatus) != len(message.Statuses()) {
			t.Errorf("%d messages: %v", sum.Size, sum.ByStatus)
		}
		for name, r := range map[string]struct {
			got  *float64
			want float64
		}{"delivery": {sum.DeliveryRate, 0.6}, "read": {sum.ReadRate, 0.3333}, "failure": {sum.FailureRate, 0.4286}, "fallback": {sum.FallbackRate, 0}} {
			if r.got == nil || *r.got != r.want {
				t.Errorf("%s rate %v, want %v", name, r.got, r.want)
			}
		}
		if diff := cmp.Diff([]stats.Error{{Code: "unreachable", Count: 2}, {Code: "expired", Count: 1}}, sum.Errors); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]stats.Day{{Date: "2026-03-04", Total: 10, Delivered: 3, Failed: 3}}, sum.Days); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestSummary_OnlySimulatedMessagesHaveNoRates(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	store(t, w, w.Account.ID, &stored{"sms", "sms", message.Sandbox, "", [2]time.Duration{-1, -1}, 0, nil})
	sum := summaryOf(t, w, 50)
	if sum.Size != 1 || sum.DeliveryRate != nil || sum.ReadRate != nil || sum.FailureRate != nil || sum.FallbackRate != nil || sum.Sent.P50 != nil || sum.Delivered.P99 != nil || len(sum.Days) != 0 {
		t.Errorf("%+v", sum)
	}
}

func TestSummary_AHopIsAFallback(t *testing.T) {
	step := func(channel, sender string) message.Step {
		return message.Step{Status: message.Sending, Channel: gateway.Channel(channel), Sender: sender}
	}
	for name, tc := range map[string]struct {
		stored stored
		fell   bool
	}{
		"straight":                   {stored{requested: "sms", channel: "sms"}, false},
		"asked for another":          {stored{requested: "whatsapp", channel: "sms"}, true},
		"auto, by the first":         {stored{requested: "auto", channel: "whatsapp"}, false},
		"auto, as requested first":   {stored{requested: "auto", channel: "sms", steps: []message.Step{step("auto", ""), step("sms", "b")}}, false},
		"auto, by the second":        {stored{requested: "auto", channel: "sms", steps: []message.Step{step("whatsapp", "a"), step("sms", "b")}}, true},
		"by the backup sender":       {stored{requested: "whatsapp", channel: "whatsapp", steps: []message.Step{step("whatsapp", "a"), step("whatsapp", "b"), step("whatsapp", "")}}, true},
		"a receipt names no sender":  {stored{requested: "sms", channel: "sms", steps: []message.Step{step("sms", "a"), step("sms", "")}}, false},
		"there and back":             {stored{requested: "auto", channel: "whatsapp", steps: []message.Step{step("whatsapp", "a"), step("sms", "b"), step("whatsapp", "a")}}, true},
		"the same one tried again":   {stored{requested: "sms", channel: "sms", steps: []message.Step{step("sms", "a"), step("sms", "a")}}, false},
		"a step without any channel": {stored{requested: "sms", channel: "sms", steps: []message.Step{step("", ""), step("sms", "a")}}, false},
	} {
		w := messagingtest.New(t, dbtest.SQLite(t), "business")
		s := tc.stored
		s.status, s.after = message.Sent, [2]time.Duration{0, -1}
		store(t, w, w.Account.ID, &s)
		if got := summaryOf(t, w, 50).FallbackRate; got == nil || (*got == 1) != tc.fell {
			t.Errorf("%s: %v", name, *got)
		}
	}
}

// Rules: M120.
func TestSummary_LatenciesByTheNearestRank(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "business")
	for i := range 100 { // 1 to 100 ms, in another order
		ms := time.Duration((i*37)%100+1) * time.Millisecond
		store(t, w, w.Account.ID, &stored{"sms", "sms", message.Delivered, "", [2]time.Duration{ms, 10 * ms}, 0, nil})
	}
	for range 2 { // waiting for the scheduled time is not slow
		store(t, w, w.Account.ID, &stored{"sms", "sms", message.Sent, "", [2]time.Duration{time.Hour, -1}, time.Hour, nil})
	}
	sum := summaryOf(t, w, 500)
	got := fmt.Sprint(*sum.Sent.P50, *sum.Sent.P95, *sum.Sent.P99, *sum.Delivered.P50, *sum.Delivered.P95, *sum.Delivered.P99)
	if want := "49ms 95ms 99ms 500ms 950ms 990ms"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSummary_TheQuotaAndTheMostFrequentErrors(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		for i := range 12 {
			for range i + 1 {
				store(t, w, w.Account.ID, &stored{"sms", "sms", message.Failed, fmt.Sprintf("code_%02d", i), [2]time.Duration{-1, -1}, 0, nil})
			}
		}
		w.Exec(t, `INSERT INTO quotas (account_id, day, used) VALUES ($1, $2, 7) ON CONFLICT (account_id, day) DO UPDATE SET used = 7`, w.Account.ID, w.Clock.Now().Unix()/86400)
		sum := summaryOf(t, w, 200)
		if len(sum.Errors) != 10 || sum.Errors[0] != (stats.Error{Code: "code_11", Count: 12}) || sum.Errors[9].Code != "code_02" {
			t.Errorf("%v", sum.Errors)
		}
		if sum.Used != 7 || sum.Limit != 10 {
			t.Errorf("used %d of %d", sum.Used, sum.Limit)
		}
	})
}
