package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/quota"
)

// Rules: M172.
func TestSenders(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		list := func() map[string]map[string]any {
			t.Helper()
			a := s.do("GET", "/api/senders", "", "X-API-Key: "+s.LiveKey)
			if a.status != 200 || a.body["count"] != 3.0 {
				t.Fatalf("%d %s", a.status, a.raw)
			}
			by := map[string]map[string]any{}
			for _, item := range a.body["senders"].([]any) {
				m := item.(map[string]any)
				by[m["channel"].(string)] = m
			}
			return by
		}
		s.Exec(t, `INSERT INTO sender_state_changes (sender_id, id, at, state, reason, until_at) SELECT id, '1', $1, 'restricted', 'temporary_ban', $2 FROM senders`, db.Ms(messagingtest.Start), db.Ms(messagingtest.Start.Add(time.Hour)))
		one := s.do("GET", "/api/senders/"+list()["sms"]["id"].(string), "", "X-API-Key: "+s.LiveKey)
		if got, want := fmt.Sprint(one.body["history"]), "[map[at:2026-03-04T12:00:00.000Z reason:temporary_ban state:restricted until:2026-03-04T13:00:00.000Z]]"; got != want {
			t.Errorf("its history is %s, want %s", got, want)
		}
		sms := list()["sms"]
		want := "+" + messagingtest.SMS + "connected<nil> false map[consecutiveFailures:0 lastAcknowledgedAt:<nil> lastFailureAt:<nil> restingUntil:<nil>]"
		if got := fmt.Sprint(sms["address"], sms["state"], sms["since"], sms["platform"], sms["health"]); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		s.Exec(t, `INSERT INTO sender_states (sender_id, state, since) SELECT id, 'connected', $1 FROM senders`, db.Ms(messagingtest.Start))
		body := `{"channel":"sms","to":"22370000011","message":"Bonjour"}`
		s.send(body)
		health := func() map[string]any { return list()["sms"]["health"].(map[string]any) }
		if h := health(); h["lastAcknowledgedAt"] == nil || h["consecutiveFailures"] != 0.0 || h["lastFailureAt"] != nil {
			t.Errorf("after a message went: %v, want its time and no failure", h)
		}
		if since := list()["sms"]["since"]; since != "2026-03-04T12:00:00.000Z" {
			t.Errorf("connected since %v, want the time that is stored", since)
		}
		s.Gateway.FailWith(gateway.Unreachable, "recipient_unknown")
		s.send(body)
		if h := health(); h["consecutiveFailures"] != 0.0 { // not a failure of the sender
			t.Errorf("after an unknown recipient: %v, want no failure", h)
		}
		s.Gateway.FailWith(gateway.SenderDown, "credentials_refused")
		s.send(body)
		waittest.Until(t, func() error { // the failure is counted after the response
			if h := health(); h["consecutiveFailures"] != 1.0 || h["lastFailureAt"] == nil {
				return fmt.Errorf("after its credentials were refused: %v, want one failure and its time", h)
			}
			return nil
		})
		if sms := list()["sms"]; sms["state"] != "disconnected" || sms["reason"] != "credentials_refused" || sms["until"] != nil {
			t.Errorf("%v after its credentials were refused, want disconnected for that", sms)
		}
		s.Gateway.SetDetail(messagingtest.SMS, gateway.ConnDetail{State: gateway.Restricted, Reason: "temporary_ban", Until: messagingtest.Start.Add(time.Hour)})
		if sms := list()["sms"]; sms["state"] != "restricted" || sms["reason"] != "temporary_ban" || sms["until"] != "2026-03-04T13:00:00.000Z" {
			t.Errorf("%v on a ban for an hour, want restricted with its end", sms)
		}
		s.Gateway.SetState(messagingtest.SMS, gateway.Connected)
		if sms := list()["sms"]; sms["warmUp"] != nil {
			t.Errorf("warm-up %v before one was set, want none", sms["warmUp"])
		}
		if _, err := s.Directory.SetWarmUp(t.Context(), sms["id"].(string), account.WarmUp{From: quota.Day(messagingtest.Start) - 1, First: 50, Days: 7}); err != nil {
			t.Fatal(err)
		}
		s.Gateway.SetScript(nil)
		s.send(body)
		if got := list()["sms"]["state"]; got != "connected" {
			t.Errorf("state %v after a message went, want connected", got)
		}
		if got, want := fmt.Sprint(list()["sms"]["warmUp"]), "map[endsAt:2026-03-10T00:00:00.000Z limit:100 used:1]"; got != want {
			t.Errorf("warm-up %s, want %s", got, want)
		}
		s.Gateway.SetState(messagingtest.SMS, gateway.Banned)
		if sms := list()["sms"]; sms["state"] != "banned" || sms["since"] != nil {
			t.Errorf("state %v since %v, want banned since nil", sms["state"], sms["since"])
		}
	})
}

// Rules: M172.
func TestSender_IsPausedAndResumedByItsOwner(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		other, err := p.Directory.Create(t.Context(), &account.Spec{Name: "Autre", Email: "autre@example.com", Plan: "pro", Senders: []account.Sender{{Channel: gateway.SMS, Address: "22379999999", Gateway: "fake"}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Directory.CreatePlatformSender(t.Context(), account.Sender{Channel: gateway.SMS, Address: "22379999998", Gateway: "fake"}); err != nil {
			t.Fatal(err)
		}
		owner := p.signIn(ownerEmail)
		id := map[string]string{}
		list, _ := p.do("GET", "/api/senders", "", owner).body["senders"].([]any)
		for _, s := range list {
			id[fmt.Sprint(object(s, "address"))] = fmt.Sprint(object(s, "id"))
		}
		sms, platform := id["+"+messagingtest.SMS], id["+22379999998"]
		foreign, err := p.Directory.Senders(t.Context(), other.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/api/senders/none", "/api/senders/" + foreign[0].ID} {
			want := p.do("GET", "/api/senders/absent", "", owner)
			p.wants(want, 404, "sender_not_found")
			if a := p.do("GET", path, "", owner); a.text("message") != want.text("message") {
				t.Errorf("%s: %s, want as of an absent one: %s", path, a.raw, want.raw)
			}
			p.wants(p.do("POST", path+"/pause", "", owner, p.origin()), 404, "sender_not_found")
			p.wants(p.do("POST", path+"/resume", "", owner, p.origin()), 404, "sender_not_found")
		}
		p.wants(p.do("POST", "/api/senders/"+platform+"/pause", "", owner, p.origin()), 403, "forbidden")
		if a := p.do("GET", "/api/senders/"+platform, "", owner); a.status != 200 || a.body["queue"] != nil {
			t.Errorf("the platform's sender: %d %s, want no queue", a.status, a.raw)
		}

		p.Gateway.FailWith(gateway.SenderDown, "credentials_refused")
		failed := p.send(`{"channel":"sms","to":"22370000011","message":"x","senderId":"` + sms + `"}`).text("messageId")
		p.Gateway.SetScript(nil)
		p.Clock.Advance(time.Minute)
		p.send(`{"channel":"sms","to":"22370000011","message":"x","scheduledAt":"2026-03-05T12:00:00Z","senderId":"` + sms + `"}`)
		p.wants(p.do("POST", "/api/senders/"+sms+"/pause", "", owner), 403, "origin_mismatch")
		since := ""
		for range 2 { // if it is paused again, the start time is unchanged, and there is one event
			a := p.do("POST", "/api/senders/"+sms+"/pause", "", owner, p.origin())
			if at := fmt.Sprint(object(a.body, "sender", "pausedAt")); a.status != 200 || since != "" && at != since || at == "<nil>" {
				t.Errorf("%d %s, want it paused since %s", a.status, a.raw, since)
			} else {
				since = at
			}
			if object(a.body, "queue", "later") != 1.0 || object(a.body, "lastFailure", "messageId") != failed || object(a.body, "lastFailure", "error", "code") != "credentials_refused" {
				t.Errorf("%s, want one message for later, and the failure of %s", a.raw, failed)
			}
			p.Clock.Advance(time.Second)
		}
		send := func() *answer {
			return p.do("POST", "/api/send", `{"channel":"sms","to":"22370000011","message":"x","senderId":"`+sms+`"}`, "X-API-Key: "+p.LiveKey)
		}
		p.wants(send(), 409, "sender_paused")
		for range 2 {
			if a := p.do("POST", "/api/senders/"+sms+"/resume", "", owner, p.origin()); a.status != 200 || object(a.body, "sender", "pausedAt") != nil {
				t.Errorf("%d %s, want it resumed", a.status, a.raw)
			}
		}
		a := send()
		if a.status != 200 && a.status != 202 { // 202: its worker was notified late of the end of the pause
			t.Errorf("after the pause: got %d %s, want 200 or 202", a.status, a.raw)
		}
		p.Becomes(t, a.text("messageId"), message.Sent)
		lines, _ := p.auditLog(owner)
		var acts []string
		for _, line := range lines {
			if strings.Contains(line, "sender.paused") || strings.Contains(line, "sender.resumed") {
				acts = append(acts, line)
			}
		}
		if want := "[owner " + ownerEmail + " sender.paused map[address:" + messagingtest.SMS + "] owner " + ownerEmail + " sender.resumed map[address:" + messagingtest.SMS + "]]"; fmt.Sprint(acts) != want {
			t.Errorf("the audit log has %v, want %s", acts, want)
		}
	})
}
