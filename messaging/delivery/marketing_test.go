package delivery_test

import (
	"cmp"
	"errors"
	"fmt"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/person"
)

// prefers reports that the person of an address wants no marketing messages, or wants them again.
func prefers(t *testing.T, w *messagingtest.World, kind gateway.ChangeKind, number, id string, at time.Time) {
	t.Helper()
	c := gateway.Change{ID: "p", Gateway: "fake", Channel: gateway.WhatsApp, Kind: kind, To: first, From: number, At: at}
	c.Person.ID = id
	if err := w.Inbox.Change(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// ofCategory returns a request for a template of a category.
func ofCategory(category, to string) *message.Request {
	return &message.Request{To: to, Channel: gateway.WhatsApp, Content: message.Content{Text: "Soldes", Template: &gateway.Template{Name: "soldes", Language: "fr"}, Category: category}, Source: message.SourceAPI}
}

// codeOf submits a request and returns the code of its refusal or failure, or "" if it was sent.
func codeOf(t *testing.T, w *messagingtest.World, r *message.Request) string {
	t.Helper()
	caller, err := w.Directory.Authenticate(t.Context(), w.LiveKey)
	if err != nil {
		t.Fatal(err)
	}
	res, err := w.Delivery.Submit(t.Context(), caller, r)
	if f, ok := errors.AsType[*apierror.Error](err); ok {
		return f.Kind.Code
	}
	if err != nil {
		t.Fatal(err)
	}
	return failureCode(res.Message)
}

// Only marketing templates on WhatsApp are held back, until the person resumes them or a user removes the opt-out.
// Rules: M202.
func TestMarketing_OnlyTemplatesOfTheCategory(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		const to = "22376000001"
		stopped := w.Clock.Now()
		prefers(t, w, gateway.MarketingStopped, to, "", stopped)
		otp := ofCategory("", to)
		otp.Content, otp.Preset, otp.Variables = message.Content{}, "otp", map[string]string{"code": "482913"}
		plain := ofCategory("", to)
		plain.Content = message.Content{Text: "x"}
		for name, tc := range map[string]struct {
			r    *message.Request
			want string
		}{
			"marketing": {ofCategory("marketing", to), "marketing_stopped"}, "to somebody else": {ofCategory("marketing", "22376000002"), ""}, "utility": {ofCategory("utility", to), ""},
			"authentication": {ofCategory("authentication", to), ""}, "unknown": {ofCategory("", to), ""}, "text": {plain, ""}, "a code": {otp, ""}, "SMS": {text(to), ""},
		} {
			if got := codeOf(t, w, tc.r); got != tc.want {
				t.Errorf("%s: %q, want %q", name, got, tc.want)
			}
		}
		onAnother := auto()
		onAnother.Content = ofCategory("marketing", to).Content
		before := len(w.Gateway.Calls())
		if got := codeOf(t, w, onAnother); got != "" || len(w.Gateway.Calls()) != before+1 || w.Gateway.Calls()[before].Channel != gateway.SMS {
			t.Errorf("auto: %q and %d calls, want one by SMS", got, len(w.Gateway.Calls())-before)
		}
		receiveFrom(t, w, gateway.WhatsApp, "1", "START")
		if got := codeOf(t, w, ofCategory("marketing", to)); got != "marketing_stopped" {
			t.Errorf("after START: %q, want it held back", got)
		}
		w.Clock.Advance(time.Minute)
		prefers(t, w, gateway.MarketingResumed, to, "", w.Clock.Now())
		if got := codeOf(t, w, ofCategory("marketing", to)); got != "" {
			t.Errorf("after it was resumed: %q", got)
		}
		prefers(t, w, gateway.MarketingStopped, to, "", stopped.Add(-time.Hour))
		if got := codeOf(t, w, ofCategory("marketing", to)); got != "" {
			t.Errorf("after an older report: %q", got)
		}
		w.Clock.Advance(time.Minute)
		prefers(t, w, gateway.MarketingResumed, to, "", w.Clock.Now())
		prefers(t, w, gateway.MarketingStopped, to, "", w.Clock.Now())
		if got := codeOf(t, w, ofCategory("marketing", to)); got != "marketing_stopped" {
			t.Errorf("stopped and resumed at the same time: %q, want it held back", got)
		}
		receiveFrom(t, w, gateway.WhatsApp, "2", "STOP")
		if got := codeOf(t, w, ofCategory("marketing", to)); got != "recipient_opted_out" {
			t.Errorf("after STOP: %q, want the opt-out", got)
		}
	})
}

// A stop by either half of a pair applies to both when they are joined, and to both after they are separated.
// Rules: M202.
func TestMarketing_Pairs(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const number, id, erased, itsID = "22376000001", "ML.9001", "22376000007", "ML.9007"
		w := messagingtest.New(t, d, "business")
		w.Run(t, w.Delivery)
		held := func(when string, want bool, all ...string) {
			t.Helper()
			for _, to := range all {
				if got := codeOf(t, w, ofCategory("marketing", to)); (got == "marketing_stopped") != want {
					t.Errorf("%s, to %s: %q, want it held back: %v", when, to, got, want)
				}
			}
		}
		receives := func(messageID, number, id string) {
			t.Helper()
			if err := w.Inbox.Receive(t.Context(), gateway.Inbound{ID: messageID, Gateway: "fake", Channel: gateway.WhatsApp, From: number, Person: gateway.PersonID{ID: id}, To: first, Text: "x", At: w.Clock.Now()}); err != nil {
				t.Fatal(err)
			}
		}
		prefers(t, w, gateway.MarketingStopped, "", id, w.Clock.Now())
		held("by the ID", true, id)
		held("by the ID", false, number)
		receives("1", number, id)
		held("joined", true, id, number)
		receives("2", "", id)
		held("separated", true, id, number)
		w.Clock.Advance(time.Minute)
		prefers(t, w, gateway.MarketingResumed, number, id, w.Clock.Now())
		held("resumed by a report with both", false, id, number)
		pseudonym := person.NewKey(w.Master).Pseudonym(w.Account.ID, itsID)
		optOutElsewhere(t, w, pseudonym, optout.Marketing)
		held("erased", true, itsID)
		receives("3", erased, itsID)
		held("the erased half is joined", true, itsID, erased)
	})
}

// What waits, or was accepted by a node that doesn't know the stop, is held back or takes the next route.
// Rules: M202.
func TestMarketing_StopsWhatWaits(t *testing.T) {
	stopped := []gateway.Channel{optout.Marketing}
	for name, tc := range map[string]struct {
		category string
		channel  gateway.Channel
		also     []gateway.Channel
		code     string
		routes   string
	}{
		"marketing": {"marketing", gateway.WhatsApp, nil, "marketing_stopped", ""}, "after STOP": {"marketing", gateway.WhatsApp, []gateway.Channel{gateway.WhatsApp}, "recipient_opted_out", ""},
		"utility": {"utility", gateway.WhatsApp, nil, "", first}, "auto": {"marketing", message.Auto, nil, "", ofSMS},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "free", withBackups)
				w.Run(t, w.Delivery)
				request := func() *message.Request {
					r := ofCategory(tc.category, "22376000001")
					r.Channel = tc.channel
					return r
				}
				later := request()
				later.ScheduledAt = w.Clock.Now().Add(time.Hour)
				id := w.Submit(t, later).Message.ID
				optOutElsewhere(t, w, "22376000001", append(stopped, tc.also...)...)
				if m := w.Submit(t, request()).Message; failureCode(m) != tc.code || routesTried(w) != tc.routes {
					t.Errorf("at once: %q by %q, want %q by %q", failureCode(m), routesTried(w), tc.code, tc.routes)
				}
				w.Clock.Advance(time.Hour)
				status := message.Sent
				if tc.code != "" {
					status = message.Failed
				}
				if m := w.Becomes(t, id, status); failureCode(m) != tc.code || m.Channel != cmp.Or(channelOf(tc.routes), gateway.WhatsApp) {
					t.Errorf("later: %q by %s, want %q", failureCode(m), m.Channel, tc.code)
				}
			})
		})
	}
}

func channelOf(sender string) gateway.Channel {
	return map[string]gateway.Channel{first: gateway.WhatsApp, ofSMS: gateway.SMS}[sender]
}

// The category that a receipt reports is used where a request names none, until a receipt reports another one.
// Rules: M202.
func TestMarketing_LearnsTheCategory(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		const to, other = "22376000001", "22376000002"
		prefers(t, w, gateway.MarketingStopped, to, "", w.Clock.Now())
		charges := func(category string, r *message.Request) {
			t.Helper()
			priced(t, w, w.Submit(t, r).Message.ID, gateway.ReceiptDelivered, &gateway.Pricing{Billable: true, Category: category})
		}
		held := func(when string, want bool, r *message.Request) {
			t.Helper()
			if got := codeOf(t, w, r); (got == "marketing_stopped") != want {
				t.Errorf("%s: %q, want it held back: %v", when, got, want)
			}
		}
		english := ofCategory("", to)
		english.Content.Template = &gateway.Template{Name: "soldes", Language: "en"}
		charges("marketing", ofCategory("", other))
		held("learned", true, ofCategory("", to))
		held("the request names another", false, ofCategory("utility", to))
		held("another language", false, english)
		held("a text", false, whatsApp(to))
		charges("utility", ofCategory("", other))
		held("another category", false, ofCategory("", to))
		charges("marketing", ofCategory("", other))
		charges("", ofCategory("", other))
		held("an unknown category changes nothing", true, ofCategory("", to))
		w.Clock.Advance(time.Hour)
		w.Write(t, func(tx *db.Tx) error {
			for n := range 499 {
				if _, err := tx.Exec(`INSERT INTO template_categories (account_id, name, language, marketing, at) VALUES ($1, $2, 'fr', 0, $3)`, w.Account.ID, fmt.Sprintf("t%d", n), db.Ms(w.Clock.Now())); err != nil {
					return err
				}
			}
			return nil
		})
		charges("marketing", english)
		if n := w.Int(t, `SELECT count(*) FROM template_categories`); n != 500 {
			t.Errorf("%d templates are stored, want 500", n)
		}
		held("the oldest is forgotten", false, ofCategory("", to))
		held("the latest is known", true, english)
	})
}
