package dashboard_test

import (
	"html"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/quota"
)

// sender is the id of one of the account's senders.
func (w *world) sender(address string) string {
	w.t.Helper()
	for _, s := range w.Account.Senders {
		if s.Address == address {
			return s.ID
		}
	}
	w.t.Fatalf("no sender %s", address)
	return ""
}

// holds holds that a page has texts, and has none of others, which begin with "no ".
func (p *person) holds(got *page, parts ...string) {
	p.w.t.Helper()
	body := html.UnescapeString(got.body)
	for _, part := range parts {
		without, absent := strings.CutPrefix(part, "no ")
		if strings.Contains(body, without) == absent {
			p.w.t.Errorf("%d, want %q in:\n%s", got.status, part, body)
		}
	}
}

func TestSenders_ShowHowTheyDo(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		p := w.signIn(ownerEmail)
		sms := w.sender(messagingtest.SMS)
		if _, err := w.Directory.SetWarmUp(t.Context(), sms, account.WarmUp{From: quota.Day(messagingtest.Start), First: 50, Days: 7}); err != nil {
			t.Fatal(err)
		}
		p.send("to", "+22376000001", "channel", "sms", "message", "Bonjour")
		failed := w.fail(p, gateway.SenderDown, "credentials_refused")
		w.Gateway.SetState(messagingtest.WhatsApp, gateway.Restricted)
		p.holds(p.get("/dashboard/senders"), "+22370000003", "+22370000001", "by fake", "Restricted", "of 50 today", "The last attempt failed", "shared by every account", "no Paused")
		p.holds(p.get("/dashboard/senders/"+sms), "Disconnected.", "The sender cannot send at present (credentials_refused).", failed, "until 11 Mar", `action="/dashboard/senders/`+sms+`/pause"`, "no /resume")
		platform, err := w.Directory.Senders(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		p.holds(p.get("/dashboard/senders/"+platform[0].ID), "bonjour@griot.example", "no /pause", "no for their turn")
		if found, err := w.Directory.PauseSender(t.Context(), "", platform[0].ID); err != nil || !found { // as an operator does
			t.Fatal(found, err)
		}
		p.holds(p.get("/dashboard/senders/"+platform[0].ID), "Whoever runs this service paused it on 4 Mar 2026", "no /resume")
		p.wants(p.post("/dashboard/senders/"+platform[0].ID+"/resume"), http.StatusForbidden, "forbidden")
		p.wants(p.get("/dashboard/senders/none"), http.StatusNotFound, "sender_not_found")
	})
}

// fail lets the gateway fail once, and returns the address of the message.
func (w *world) fail(p *person, class gateway.Class, code string) string {
	w.t.Helper()
	w.Gateway.FailWith(class, code)
	defer w.Gateway.SetScript(nil)
	return p.send("to", "+22376000001", "channel", "sms", "message", "Bonjour")
}

func TestSenders_ArePausedAndResumed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		p := w.signIn(ownerEmail)
		path := "/dashboard/senders/" + w.sender(messagingtest.SMS)
		p.wants(p.post(path+"/pause"), http.StatusSeeOther, path+"?done=sender_paused")
		p.holds(p.get(path+"?done=sender_paused"), "Sender paused.", "It has sent nothing since 4 Mar 2026, 12:00 UTC", path+"/resume", "no "+path+"/pause")
		p.holds(p.get("/dashboard/senders"), "Paused")
		p.wants(p.post("/dashboard/send", "key", "k", "to", "+22376000001", "channel", "sms", "message", "x"), http.StatusConflict, "Resume one on the Senders page")
		w.Clock.Advance(time.Minute)
		p.wants(p.post(path+"/resume"), http.StatusSeeOther, path+"?done=sender_resumed")
		p.send("to", "+22376000001", "channel", "sms", "message", "x")
		if n := w.Int(t, `SELECT count(*) FROM account_audit_events WHERE action IN ('sender.paused', 'sender.resumed') AND actor_email = $1`, ownerEmail); n != 2 {
			t.Errorf("%d lines in the audit log, want 2", n)
		}
	})
}
