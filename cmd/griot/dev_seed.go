package main

import (
	"context"
	"fmt"

	"example.com/griot/auth/tenant"
	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/dashboard"
	"example.com/griot/messaging/webhooks"
)

const (
	demoTenant      = "Boutique"
	dashboardTenant = "Griot"
	siteURL         = "http://127.0.0.1:3000" // default URL of the reader's own site, in the examples and tutorials
)

// Names of the demo clients on sign-in pages and /dev/demo. They are the same in English and French.
const (
	livePublicName       = "Boutique"
	testPublicName       = "Boutique (test)"
	testConfidentialName = "Caisse (test)"
	liveConfidentialName = "Boutique (your site)"
)

func newGatewaySecret() string { return id.Token(32) }

// seedLogin creates the missing demo tenant and clients of the login service. site is the URL of the reader's own site.
func seedLogin(ctx context.Context, d *db.DB, s *devfile.State, site string) error {
	tenants := tenant.New(d, clock.System)
	if err := seedTenant(ctx, tenants, s, site); err != nil {
		return err
	}
	return seedDashboardClient(ctx, tenants, s)
}

// seed creates the missing demo accounts, and new keys if dev.json has none.
func seed(ctx context.Context, a *app, s *devfile.State, webhookURL string) error {
	if err := a.messaging.Directory.CreatePlatformSender(ctx, account.Sender{Channel: gateway.Email, Address: demoEmail, Gateway: devGateway}); err != nil {
		return err
	}
	for _, d := range demoAccounts(s) {
		if err := seedAccount(ctx, a, d); err != nil {
			return err
		}
	}
	if webhookURL != "" {
		if err := a.messaging.Endpoints.CheckURL(webhookURL); err != nil {
			return fmt.Errorf("--webhook-url: %w", err)
		}
		if _, err := a.messaging.Endpoints.Set(ctx, s.Accounts.Business.ID, webhookURL); err != nil {
			return err
		}
	}
	a.messaging.Directory.ForgetAll()
	return nil
}

func seedTenant(ctx context.Context, tenants *tenant.Store, s *devfile.State, site string) error {
	_, found, err := tenants.Tenant(ctx, s.Tenant.ID)
	if err != nil {
		return err
	}
	if !found { // a new database, which has nothing from dev.json
		t, err := tenants.CreateTenant(ctx, demoTenant)
		if err != nil {
			return err
		}
		s.Tenant, s.Clients = devfile.Tenant{ID: t.ID}, devfile.Clients{}
	}
	if s.Tenant.InvitationKey == "" {
		if s.Tenant.InvitationKey, err = tenants.CreateInvitation(ctx, s.Tenant.ID, tenant.InvitationTime); err != nil {
			return err
		}
	}
	demo := []string{s.BaseURL + "/dev/demo/callback"}
	for _, c := range []struct {
		to        *devfile.Client
		name      string
		typ       tenant.Type
		mode      tenant.Mode
		redirects []string
	}{
		{&s.Clients.TestPublic, testPublicName, tenant.Public, tenant.Test, demo},
		{&s.Clients.TestConfidential, testConfidentialName, tenant.Confidential, tenant.Test, demo},
		{&s.Clients.LivePublic, livePublicName, tenant.Public, tenant.Live, demo},
		{&s.Clients.LiveConfidential, liveConfidentialName, tenant.Confidential, tenant.Live, []string{site + "/callback", site + "/auth/callback/griot"}},
	} {
		redirect := c.redirects[0]
		if c.to.ClientID == "" {
			made, secret, err := tenants.CreateNamedClient(ctx, s.Tenant.ID, c.name, c.typ, c.mode, c.redirects)
			if err != nil {
				return err
			}
			*c.to = devfile.Client{ClientID: made.ClientID, ClientSecret: secret}
		} else if c.to.RedirectURI != redirect { // dev listens on other addresses than the last time
			if _, err := tenants.SetRedirectURIs(ctx, c.to.ClientID, c.redirects); err != nil {
				return err
			}
		}
		c.to.RedirectURI = redirect
	}
	return nil
}

// seedDashboardClient creates the client for signing in to the dashboard with WhatsApp.
func seedDashboardClient(ctx context.Context, tenants *tenant.Store, s *devfile.State) error {
	redirect := s.BaseURL + dashboard.WhatsAppCallback
	_, found, err := tenants.Tenant(ctx, s.Dashboard.TenantID)
	if err != nil {
		return err
	}
	if !found {
		t, err := tenants.CreateTenant(ctx, dashboardTenant)
		if err != nil {
			return err
		}
		made, secret, err := tenants.CreateClient(ctx, t.ID, tenant.Confidential, tenant.Live, []string{redirect})
		if err != nil {
			return err
		}
		s.Dashboard = devfile.DashboardClient{TenantID: t.ID, Client: devfile.Client{ClientID: made.ClientID, ClientSecret: secret}}
	} else if s.Dashboard.RedirectURI != redirect { // dev listens on other addresses than the last time
		if _, err := tenants.SetRedirectURIs(ctx, s.Dashboard.ClientID, []string{redirect}); err != nil {
			return err
		}
	}
	s.Dashboard.RedirectURI = redirect
	return nil
}

// demoAccount is an account of the demo, with the place of its keys in dev.json.
type demoAccount struct {
	to   *devfile.Account
	spec account.Spec
}

func demoAccounts(s *devfile.State) []demoAccount {
	sender := func(c gateway.Channel, address string) account.Sender {
		return account.Sender{Channel: c, Address: address, Gateway: devGateway}
	}
	return []demoAccount{
		{&s.Accounts.Business, account.Spec{
			Name: "Demo Business", Email: "business@griot.example", Plan: "business", Projects: []string{"Boutique"},
			Senders: []account.Sender{sender(gateway.WhatsApp, demoNumber), sender(gateway.WhatsApp, demoNumber2), sender(gateway.SMS, "22370000003")},
		}},
		{&s.Accounts.Free, account.Spec{
			Name: "Demo Free", Email: "free@griot.example", Plan: "free",
			Senders: []account.Sender{sender(gateway.WhatsApp, "22370000011"), sender(gateway.SMS, "22370000012")},
		}},
		{&s.Accounts.Disconnected, account.Spec{Name: "Demo Disconnected", Email: "disconnected@griot.example", Plan: "business"}},
		{&s.Accounts.Unlimited, account.Spec{
			Name: "Demo Unlimited", Email: "unlimited@griot.example", Plan: "unlimited",
			Senders: []account.Sender{sender(gateway.WhatsApp, "22370000021"), sender(gateway.SMS, "22370000022")},
		}},
	}
}

// find returns the account, or nil. It finds it by its id in dev.json or, if that is lost, by its email address or its
// first number.
func (d demoAccount) find(ctx context.Context, a *app) (*account.Account, error) {
	if d.to.ID != "" {
		if found, err := a.messaging.Directory.Account(ctx, d.to.ID); found != nil || err != nil {
			return found, err
		}
	}
	found, err := account.ByEmail(a.db.Read(ctx), d.spec.Email)
	if found != nil || err != nil || len(d.spec.Senders) == 0 {
		return found, err
	}
	first := d.spec.Senders[0]
	sender, err := a.messaging.Directory.SenderAt(ctx, string(first.Channel), first.Address)
	if sender == nil || err != nil {
		return nil, err
	}
	return a.messaging.Directory.Account(ctx, sender.AccountID)
}

func seedAccount(ctx context.Context, a *app, d demoAccount) error {
	found, err := d.find(ctx, a)
	if err != nil {
		return err
	}
	if found == nil || found.ID != d.to.ID { // dev.json is missing, or belongs to another database
		*d.to = devfile.Account{}
	}
	if found == nil {
		if found, err = a.messaging.Directory.Create(ctx, &d.spec); err != nil {
			return err
		}
	}
	d.to.ID, d.to.Email = found.ID, found.Email // an operator can change the address
	d.to.Senders = nil
	for _, s := range found.Senders {
		if s.AccountID == "" {
			continue
		}
		d.to.Senders = append(d.to.Senders, devfile.Sender{ID: s.ID, Channel: string(s.Channel), Address: s.Address})
		if s.Channel == gateway.WhatsApp && d.to.WhatsAppNumber == "" {
			d.to.WhatsAppNumber = s.Address
		}
	}
	if d.to.LiveKey != "" {
		return nil
	}
	return seedKeys(ctx, a, d, found)
}

// seedKeys creates an account's keys. Its webhook secret can be read again, so it stays the same if dev.json is lost.
func seedKeys(ctx context.Context, a *app, d demoAccount, of *account.Account) (err error) {
	if d.to.LiveKey, err = a.messaging.Directory.CreateKey(ctx, of.ID, "", account.Live); err != nil {
		return err
	}
	if d.to.TestKey, err = a.messaging.Directory.CreateKey(ctx, of.ID, "", account.Test); err != nil {
		return err
	}
	projects, err := account.Projects(a.db.Read(ctx), of.ID)
	if err != nil || len(projects) == 0 {
		return err
	}
	if d.to.ProjectKey, err = a.messaging.Directory.CreateKey(ctx, of.ID, projects[0].ID, account.ProjectKey); err != nil {
		return err
	}
	box := webhooks.SecretBox(a.key)
	if of.WebhookSecret != "" {
		secret, err := box.Open(of.WebhookSecret, of.ID)
		d.to.WebhookSecret = string(secret)
		return err
	}
	d.to.WebhookSecret = webhook.NewSecret()
	sealed := box.Seal([]byte(d.to.WebhookSecret), of.ID)
	return a.db.Write(ctx, func(tx *db.Tx) error { return account.SetWebhookSecret(tx, of.ID, sealed) })
}
