package api_test

import (
	"fmt"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/quota"
)

// Rules: M171.
func TestAlerts_WhatSomebodyOughtToKnow(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		viewer, _ := p.member(owner, "awa@example.com", "viewer")
		if a := p.do("GET", "/api/alerts", "", owner); a.status != 200 || a.body["count"] != 0.0 || len(a.body["alerts"].([]any)) != 0 {
			t.Errorf("%d %s, want none", a.status, a.raw)
		}
		p.SetWebhook(t, "https://shop.example/hooks")
		p.Gateway.SetState(messagingtest.SMS, gateway.Banned)
		now := db.Ms(p.Clock.Now())
		p.Write(t, func(tx *db.Tx) error {
			for _, text := range []string{
				fmt.Sprintf(`INSERT INTO quotas (account_id, day, used) VALUES ('%s', %d, %d)`, p.Account.ID, quota.Day(p.Clock.Now()), p.Account.Plan.DailyLimit),
				fmt.Sprintf(`INSERT INTO webhook_endpoints (account_id, owner_until, changed_at, pause, disabled_at, disabled_for) VALUES ('%s', 0, 0, 0, %d, 'gone')`, p.Account.ID, now),
				fmt.Sprintf(`INSERT INTO billing_customers (account_id, provider, mode, customer_id, revision, subscription_id, status, entitled, created_at) VALUES ('%s', 'stripe', 'TEST', 'cus_1', 1, 'sub_1', 'unpaid', 0, 0)`, p.Account.ID),
				fmt.Sprintf(`INSERT INTO account_alerts (account_id, kind, subject, opened_at, tries, mailed_at) VALUES ('%s', 'webhook_disabled', '%d', %d, 0, %d)`, p.Account.ID, now, now, now+1000),
			} {
				if _, err := tx.Exec(text); err != nil {
					return err
				}
			}
			return nil
		})
		kinds := func(session string) (list []any, kinds string) {
			t.Helper()
			list, _ = p.do("GET", "/api/alerts", "", session).body["alerts"].([]any)
			for _, a := range list {
				kinds += fmt.Sprint(object(a, "kind"), " ")
			}
			return list, kinds
		}
		if _, got := kinds(viewer); got != "quota_used sender_down " {
			t.Errorf("a viewer sees %s", got)
		}
		list, got := kinds(owner)
		if got != "quota_used sender_down webhook_disabled billing_failed " {
			t.Fatalf("the owner sees %s", got)
		}
		for i, want := range []struct{ path, value string }{
			{"quota", fmt.Sprintf("map[limit:%v used:%v]", p.Account.Plan.DailyLimit, p.Account.Plan.DailyLimit)}, {"sender", "banned"}, {"webhook", "map[disabledAt:2026-03-04T12:00:00.000Z reason:gone]"}, {"billing", "map[status:unpaid]"},
		} {
			found := object(list[i], want.path)
			if want.path == "sender" {
				found = object(found, "state")
			}
			if fmt.Sprint(found) != want.value {
				t.Errorf("%s: %v, want %s", want.path, found, want.value)
			}
		}
		if opened, mailed := object(list[2], "openedAt"), object(list[2], "mailedAt"); opened != "2026-03-04T12:00:00.000Z" || mailed != "2026-03-04T12:00:01.000Z" {
			t.Errorf("opened at %v and mailed at %v, want what is stored", opened, mailed)
		}
	})
}
