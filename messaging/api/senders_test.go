package api_test

import (
	"fmt"
	"testing"

	"griot/gateway"
	"griot/internal/db"
	"griot/internal/db/dbtest"
	"griot/messaging/account"
	"griot/messaging/messagingtest"
	"griot/messaging/quota"
)

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
		sms := list()["sms"]
		want := "+" + messagingtest.SMS + "connected<nil> false map[consecutiveFailures:0 lastAcknowledgedAt:<nil> lastFailureAt:<nil> restingUntil:<nil>]"
		if got := fmt.Sprint(sms["address"], sms["state"], sms["since"], sms["platform"], sms["health"]); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		s.Write(t, func(tx *db.Tx) error {
			_, err := tx.Exec(`INSERT INTO sender_states (sender_id, state, since) SELECT id, 'connected', $1 FROM senders`, db.Ms(messagingtest.Start))
			return err
		})
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
		if h := health(); h["consecutiveFailures"] != 0.0 { // says nothing of the sender
			t.Errorf("after an unknown recipient: %v, want no failure", h)
		}
		s.Gateway.FailWith(gateway.SenderDown, "credentials_refused")
		s.send(body)
		if h := health(); h["consecutiveFailures"] != 1.0 || h["lastFailureAt"] == nil {
			t.Errorf("after its credentials were refused: %v, want one failure and its time", h)
		}
		if got := list()["sms"]["state"]; got != "disconnected" {
			t.Errorf("state %v after its credentials were refused, want disconnected", got)
		}
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
