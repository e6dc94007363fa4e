package dashboard_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/quota"
)

func TestSenders_ShowHowTheyDo(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		sms := w.Sender(messagingtest.SMS)
		if _, err := w.Directory.SetWarmUp(t.Context(), sms, account.WarmUp{From: quota.Day(messagingtest.Start), First: 50, Days: 7}); err != nil {
			t.Fatal(err)
		}
		p.Send("to", "+22376000001", "channel", "sms", "message", "Bonjour")
		failed := w.Fail(p, gateway.SenderDown, "credentials_refused")
		waittest.Until(t, func() error { // the failure is counted after the response
			if w.Delivery.Health(sms).Failures == 0 {
				return errors.New("no failure was counted")
			}
			return nil
		})
		w.Gateway.SetState(messagingtest.WhatsApp, gateway.Restricted)
		p.Holds(p.Get("/dashboard/senders"), phone.Grouped("22370000003"), phone.Grouped("22370000001"), "by fake", "Restricted", "of 50 today", "The last attempt failed", "shared by every account", "no Paused")
		p.Holds(p.Get("/dashboard/senders/"+sms), "Disconnected.", "The provider refused the gateway’s credentials (credentials_refused).", failed, "until 11 Mar", `action="/dashboard/senders/`+sms+`/pause"`, "no /resume")
		platform, err := w.Directory.Senders(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		p.Holds(p.Get("/dashboard/senders/"+platform[0].ID), "bonjour@griot.example", "no /pause", "no for their turn")
		if found, err := w.Directory.PauseSender(t.Context(), "", platform[0].ID); err != nil || !found { // as an operator does
			t.Fatal(found, err)
		}
		p.Holds(p.Get("/dashboard/senders/"+platform[0].ID), "Your service operator paused it on 4 Mar 2026", "no /resume")
		p.Wants(p.Post("/dashboard/senders/"+platform[0].ID+"/resume"), http.StatusForbidden, "forbidden")
		p.Wants(p.Get("/dashboard/senders/none"), http.StatusNotFound, "sender_not_found")
	})
}

func TestSenders_ArePausedAndResumed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		path := "/dashboard/senders/" + w.Sender(messagingtest.SMS)
		p.Wants(p.Post(path+"/pause"), http.StatusSeeOther, path+"?done=sender_paused")
		p.Holds(p.Get(path+"?done=sender_paused"), "Sender paused.", "It has sent nothing since 4 Mar 2026, 12:00 UTC", path+"/resume", "no "+path+"/pause")
		p.Holds(p.Get("/dashboard/senders"), "Paused")
		p.Wants(p.Post("/dashboard/send", "key", "k", "to", "+22376000001", "channel", "sms", "message", "x"), http.StatusConflict, "Resume one on the Senders page")
		w.Clock.Advance(time.Minute)
		p.Wants(p.Post(path+"/resume"), http.StatusSeeOther, path+"?done=sender_resumed")
		p.Send("to", "+22376000001", "channel", "sms", "message", "x")
		if n := w.Int(t, `SELECT count(*) FROM account_audit_events WHERE action IN ('sender.paused', 'sender.resumed') AND actor_email = $1`, messagingtest.OwnerEmail); n != 2 {
			t.Errorf("%d lines in the audit log, want 2", n)
		}
	})
}
