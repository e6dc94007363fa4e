package api_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
)

// Rules: M122, M123, M152.
func TestMe_ReturnsTheOwnersAccount(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		trial, plan := p.Clock.Now().Add(time.Hour), "starter"
		if _, err := p.Directory.Change(t.Context(), p.Account.ID, &account.Change{Plan: &plan, TrialEndsAt: &trial}); err != nil {
			t.Fatal(err)
		}
		p.SetWebhook(t, "https://hooks.example/x")
		owner := p.signIn(ownerEmail)
		var last string
		for range 12 {
			p.Clock.Advance(time.Millisecond)
			last = p.send(`{"to":"22376000001","channel":"sms","message":"x"}`).text("messageId")
		}
		p.Gateway.LoggedOut.Store(true)
		me := p.do("GET", "/api/me", "", owner)
		recent, _ := me.body["recentMessages"].([]any)
		senders, _ := me.body["senders"].([]any)
		if len(recent) != 10 || object(recent[0], "messageId") != last || len(senders) != 4 || me.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%d recent, %d senders: %s", len(recent), len(senders), me.raw)
		}
		for _, want := range []struct {
			value any
			path  []string
		}{
			{ownerEmail, []string{"developer", "email"}},
			{"owner", []string{"developer", "role"}},
			{p.Account.ID, []string{"account", "id"}},
			{p.LiveKey[:14], []string{"apiKey", "prefix"}},
			{"starter", []string{"plan", "name"}},
			{"pro", []string{"plan", "effective"}},
			{true, []string{"plan", "trial"}},
			{float64(5000), []string{"plan", "dailyLimit"}},
			{"2026-03-04T13:00:00.000Z", []string{"plan", "trialEndsAt"}},
			{nil, []string{"plan", "expiresAt"}},
			{"2026-03-04", []string{"usage", "date"}},
			{float64(12), []string{"usage", "messagesUsed"}},
			{float64(4988), []string{"usage", "remaining"}},
			{"2026-03-05T00:00:00.000Z", []string{"usage", "resetAt"}},
			{"https://hooks.example/x", []string{"webhook", "url"}},
			{true, []string{"webhook", "enabled"}},
			{nil, []string{"webhook", "lastDeliveryAt"}},
			{float64(12), []string{"webhook", "pending"}},
			{true, []string{"features", "inbox"}},
		} {
			if got := object(me.body, want.path...); got != want.value {
				t.Errorf("%v: %v, want %v", want.path, got, want.value)
			}
		}
		if got := object(senders[0], "state"); got != "logged_out" {
			t.Errorf("a sender's state: %v", got)
		}
		p.Clock.Advance(time.Hour)
		if me = p.do("GET", "/api/me", "", owner); object(me.body, "plan", "effective") != "starter" || object(me.body, "features", "inbox") != false || object(me.body, "plan", "trial") != false {
			t.Errorf("after the trial: %s", me.raw)
		}
	})
}

// A rate that an operator changes takes effect immediately.
// Rules: M84.
func TestRates_FollowThePlan(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "free", limited)
	ask := func() *answer { return s.do("GET", "/api/svc-logs", "", "X-API-Key: "+s.LiveKey) }
	answered := func() (n int) {
		for n = 0; n < 50; n++ {
			if a := ask(); a.status == 429 {
				return n
			}
		}
		return n
	}
	if n := answered(); n != 4 {
		t.Errorf("%d requests at 2 a second", n)
	}
	for rate, want := range map[int]int{5: 10, 0: 50} {
		if _, err := s.Directory.SetPlan(t.Context(), "free", func(p *account.Plan) { p.Rate = rate }); err != nil {
			t.Fatal(err)
		}
		if n := answered(); n != want {
			t.Errorf("%d requests at %d a second, want %d", n, rate, want)
		}
		header := ""
		if rate > 0 {
			header = fmt.Sprint(rate)
		}
		if got := ask().header.Get("RateLimit-Limit"); got != header {
			t.Errorf("RateLimit-Limit %q at %d", got, rate)
		}
	}
}

// A page of the dashboard sends several requests at once, with every plan.
func TestRates_LeaveABrowserRoom(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t), limited)
	free := "free"
	if _, err := p.Directory.Change(t.Context(), p.Account.ID, &account.Change{Plan: &free}); err != nil {
		t.Fatal(err)
	}
	owner := p.signIn(ownerEmail)
	n := 0
	for p.do("GET", "/api/me", "", owner).status == 200 {
		n++
	}
	if n != 40 {
		t.Errorf("%d requests at once", n)
	}
}
