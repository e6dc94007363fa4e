package operator_test

import (
	"encoding/json"
	"testing"

	"github.com/chromedp/chromedp"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db/dbtest"
	messagingadmin "example.com/griot/messaging/admin"
	"example.com/griot/web/webtest"
)

const hostile = `</title><script>alert(1)</script><img src=x onerror=alert(1)>`

// lived gives the pages something to show, with names that try to be more than text. It returns their addresses.
func (s *site) lived() map[string]string {
	s.Store(s.t, s.waiting())
	s.signIn()
	shop := ask[messagingadmin.Account](s, "accounts.create", messagingadmin.AccountInput{Name: hostile, Email: "a-person-with-a-long-name@a-shop-with-a-long-name.example.com", Plan: "starter"})
	ask[messagingadmin.Invited](s, "members.invite", messagingadmin.InviteInput{Account: s.Account.ID, Email: "awa@example.com", Lang: "fr"})
	ask[messagingadmin.Gateway](s, "gateways.add", messagingadmin.GatewayInput{Name: "a-gateway-with-a-long-name-of-forty-letters", Kind: "wire", Settings: json.RawMessage(`{}`)})
	sender := ask[messagingadmin.Sender](s, "senders.add", messagingadmin.SenderInput{Channel: "sms", Address: "36000", Gateway: "fake", WarmUp: &messagingadmin.WarmUp{First: 50, Days: 7}})
	paused := ask[messagingadmin.Sender](s, "senders.add", messagingadmin.SenderInput{Account: shop.ID, Channel: "sms", Address: "36001", Gateway: "fake"})
	ask[messagingadmin.FoundSender](s, "senders.pause", messagingadmin.ByID{ID: paused.ID})
	ask[messagingadmin.Endpoint](s, "webhooks.set", messagingadmin.SetInput{Account: s.Account.ID, URL: "http://127.0.0.1:9/an-address-that-is-longer-than-a-phone-is-wide/webhooks/griot"})
	ask[messagingadmin.Event](s, "webhooks.ping", messagingadmin.OfAccount{Account: s.Account.ID})
	s.holdPrefix("2237600")
	at := "/operator/tenants/" + s.login.Tenant.ID
	s.login.NewClient(s.t, tenant.Confidential, tenant.Live)
	s.login.NewClient(s.t, tenant.Public, tenant.Test)
	ask[authadmin.Webhook](s, "tenants.webhook.set", authadmin.WebhookInput{TenantID: s.login.Tenant.ID, URL: "http://127.0.0.1:9/a"})
	ask[authadmin.NewInvitation](s, "invitations.create", authadmin.InvitationInput{TenantID: s.login.Tenant.ID, TTLSeconds: 30 * 86400})
	ask[authadmin.Tenant](s, "tenants.create", authadmin.TenantInput{Name: hostile})
	return map[string]string{
		"audit": "/operator/audit", "audit-logins": "/operator/audit/logins?tenantId=" + s.login.Tenant.ID, "lookup": "/operator/messages",
		"tenants": "/operator/tenants", "tenant": at, "signing-keys": "/operator/signing-keys",
		"webhooks": "/operator/webhooks", "webhook": "/operator/webhooks/" + s.Account.ID, "webhook-none": "/operator/webhooks/" + shop.ID, "prefixes": "/operator/prefixes", "release": "/operator/prefixes/release?area=223&account=" + s.Account.ID,
		"gateways": "/operator/gateways", "gateway": "/operator/gateways/fake", "gateway-stored": "/operator/gateways/a-gateway-with-a-long-name-of-forty-letters", "gateway-new": "/operator/do/gateways.add", "gateway-set": "/operator/do/gateways.set?name=a-gateway-with-a-long-name-of-forty-letters",
		"senders": "/operator/senders", "sender": "/operator/senders/" + sender.ID, "sender-paused": "/operator/senders/" + paused.ID,
		"health": "/operator", "accounts": "/operator/accounts", "accounts-none": "/operator/accounts?text=nobody", "account-set": "/operator/do/accounts.set?account=" + shop.ID, "account-delete": "/operator/do/accounts.delete?account=" + shop.ID, "account": "/operator/accounts/" + s.Account.ID, "account-new": "/operator/accounts/" + shop.ID,
		"plans": "/operator/plans", "plan": "/operator/plans/free", "plan-set": "/operator/do/plans.set?name=free",
		"sender-add": "/operator/do/senders.add", "sender-remove": "/operator/do/senders.remove?id=" + sender.ID,
	}
}

// The link that `griot admin open` prints opens the pages, and each looks as it must.
func TestPages_InABrowser(t *testing.T) {
	t.Parallel()
	s := newSite(t, dbtest.SQLite(t))
	pages := s.lived()
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	tab.Look("sign-in", s.url+"/")
	tab.Do(chromedp.Navigate(s.url + "/?next=%2Foperator#" + s.link()))
	tab.WaitFor(webtest.Seen(".shell") + ` && location.pathname === "/operator" && !location.hash`)
	for name, path := range pages {
		tab.Look(name, s.url+path)
	}
	m := s.waiting()
	s.Store(t, m)
	tab.Do(chromedp.EmulateViewport(360, 800), chromedp.Navigate(s.url+"/operator/messages"), chromedp.SendKeys(chromedp.CSS("#id"), m.ID))
	tab.Click("main button[type=submit]")
	tab.WaitFor(webtest.Says("main", "+223*****001"))
	tab.Axe("a message")
	tab.Fits("a message")
	tab.Screenshot("lookup-found")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(s.url+pages["sender"]))
	tab.Click("form[action*='senders.pause'] button")
	tab.WaitFor(webtest.Says(".toast", "The sender is paused.") + " && " + webtest.Says("main", "Paused since"))
}

// Without scripts the link is pasted.
func TestOpen_WithoutScripts(t *testing.T) {
	t.Parallel()
	s := newSite(t, dbtest.SQLite(t))
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	link := s.url + "/#" + s.link()
	tab.Do(webtest.WithoutScripts(), chromedp.Navigate(link), chromedp.SendKeys(chromedp.CSS("#token"), link))
	tab.Click("main button[type=submit]")
	tab.WaitFor(webtest.Seen(".shell"))
}
