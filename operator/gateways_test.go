package operator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	messagingadmin "example.com/griot/messaging/admin"
)

func TestGateways_AreAddedTestedChangedAndRemoved(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.signIn()
		s.get("/operator/gateways").Shows(t, ">fake</a>", "configuration", `<td class="num">3</td>`)
		fake := s.get("/operator/gateways/of/fake")
		fake.Shows(t, "22370000001", "It comes from the configuration")
		fake.Hides(t, `action="/operator/gateways/of/fake/remove"`)
		for want, in := range map[string][]string{
			"A gateway&#39;s name is made of": {"name", "a b", "kind", "wire", "settings", "a: b"},
			"not a mapping in YAML":           {"name", "post", "kind", "wire", "settings", "password"},
			"The configuration has a gateway": {"name", "fake", "kind", "wire", "settings", "{}"},
			"The settings can&#39;t be used":  {"name", "post", "kind", "none", "settings", "{}"},
		} {
			got := s.post("/operator/gateways", in...)
			if got.Status != http.StatusBadRequest || !strings.Contains(got.Body, want) || !strings.Contains(got.Body, ">"+in[5]+"</textarea>") {
				t.Errorf("%v: %d, want 400 with %q and what was filled in: %s", in, got.Status, want, got.Body)
			}
		}
		at := "/operator/gateways/of/post"
		s.post("/operator/gateways", "name", "post", "kind", "wire", "settings", "password: a secret").Leads(t, at)
		page := s.get(at)
		page.Shows(t, "The gateway is open.", ">Open<", at+"/remove")
		page.Hides(t, "a secret")
		s.post(at+"/test").Leads(t, at)
		s.get(at).Shows(t, "It answers, and accepts the credentials.")
		s.post(at, "settings", "password: another").Leads(t, at)
		s.get(at).Shows(t, "Tick the box to confirm.")
		s.post(at, "settings", "password: another", "confirm", "yes").Leads(t, at)
		s.get(at).Shows(t, "Saved.")
		ask[messagingadmin.Sender](s, "senders.add", messagingadmin.SenderInput{Channel: "sms", Address: "36000", Gateway: "post"})
		s.post(at+"/remove").Leads(t, at)
		s.get(at).Shows(t, "Senders live on this gateway")
		found := ask[messagingadmin.SenderPage](s, "senders.find", messagingadmin.SenderSearch{Text: "36000", Limit: 10})
		sender := "/operator/senders/" + found.Senders[0].ID
		s.get(sender).Shows(t, "Move them to other senders")
		m := s.waiting()
		m.SenderID = found.Senders[0].ID
		s.Store(t, m)
		s.post(sender+"/remove").Leads(t, sender)
		s.get(sender).Shows(t, "1 message waits for this sender.")
		s.post(sender+"/remove", "waiting", "cancel").Leads(t, "/operator/senders")
		s.post(at+"/remove").Leads(t, "/operator/gateways")
		gone := s.get("/operator/gateways")
		gone.Shows(t, "Removed.")
		gone.Hides(t, ">post</a>")
		for _, absent := range []string{at, "/operator/gateways/of/none", "/operator/senders/none", "/operator/senders/" + found.Senders[0].ID} {
			if got := s.get(absent).Status; got != http.StatusNotFound {
				t.Errorf("%s: %d, want 404", absent, got)
			}
		}
	})
}

func TestGateways_ArePaged(t *testing.T) {
	t.Parallel()
	s := newSite(t, dbtest.SQLite(t))
	s.signIn()
	for i := range 51 {
		ask[messagingadmin.Gateway](s, "gateways.add", messagingadmin.GatewayInput{Name: fmt.Sprintf("a%02d", i), Kind: "wire", Settings: json.RawMessage(`{}`)})
	}
	first := s.get("/operator/gateways")
	first.Shows(t, ">a49</a>", `href="/operator/gateways?before=a49"`)
	first.Hides(t, ">a50</a>", ">fake</a>")
	s.get("/operator/gateways?before=a49").Shows(t, ">a50</a>", ">fake</a>", `href="/operator/gateways">First page<`)
}

func TestSenders_AreFoundPausedAndWarmedUp(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.signIn()
		s.Clock.Advance(1e6)
		platform := ask[messagingadmin.Sender](s, "senders.add", messagingadmin.SenderInput{Channel: "sms", Address: "36000", Gateway: "fake"})
		s.get("/operator/senders").Shows(t, "36000", ">platform<", "22370000001", s.Account.Name)
		own := s.get("/operator/senders?q=%2B2237000")
		own.Shows(t, "22370000001", "22370000003")
		own.Hides(t, "36000", "hello@example.com")
		s.get("/operator/senders?q="+strings.ToLower(s.Account.ID)).Hides(t, "36000")
		s.get("/operator/senders?q=nobody").Shows(t, "No sender is found")
		found := ask[messagingadmin.SenderPage](s, "senders.find", messagingadmin.SenderSearch{Text: "22370000001", Limit: 10}).Senders
		if len(found) != 1 || found[0].AccountID != s.Account.ID {
			t.Fatalf("got %+v, want the account's", found)
		}
		s.Gateway.SetDetail("22370000001", gateway.ConnDetail{State: gateway.Restricted, Reason: "temporary_ban", Until: s.Clock.Now().Add(time.Hour)})
		until := s.Clock.Now().Add(time.Hour).UTC().Format("15:04 UTC (temporary_ban)")
		s.get("/operator/senders/"+found[0].ID).Shows(t, "Restricted until ", until)
		s.Gateway.SetDetail("22370000001", gateway.ConnDetail{State: gateway.LoggedOut, Reason: "logged_out"})
		s.get("/operator/senders/"+found[0].ID).Shows(t, ">Logged out<")
		s.Gateway.SetState("22370000001", gateway.Connected)
		for i, senderID := range []string{found[0].ID, platform.ID} {
			at := "/operator/senders/" + senderID
			s.post(at+"/pause").Leads(t, at)
			s.get(at).Shows(t, "The sender is paused.", "It sends nothing: paused", at+"/resume")
			if paused, err := s.Directory.PausedSenders(t.Context()); err != nil || len(paused) != 1 {
				t.Errorf("paused: %v, %v, want %s", paused, err, senderID)
			}
			s.post(at+"/resume").Leads(t, at)
			s.get(at).Shows(t, "The sender sends again.", at+"/pause")
			s.post(at+"/warm-up", "first", "20", "days", "5").Leads(t, at)
			s.get(at).Shows(t, "It may send 20 messages today", "Saved.")
			s.post(at+"/warm-up", "first", "0", "days", "5").Leads(t, at)
			s.get(at).Shows(t, "whole numbers from 1")
			s.post(at+"/warm-up", "first", "20", "days", "1000").Leads(t, at)
			s.get(at).Shows(t, "A warm-up has 1 to")
			s.post(at+"/warm-up", "off", "yes").Leads(t, at)
			s.get(at).Hides(t, "It may send")
			if n := len(s.audited("sender.paused")); n != i+1 {
				t.Errorf("%d pauses are audited, want %d", n, i+1)
			}
		}
	})
}
