package main

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"example.com/griot/auth"
	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/cmd/griot/showcase"
	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/messaging/account"
)

const (
	showcaseTenant = "Kalabash"
	devWebhook     = "/dev/webhook" // the endpoint of the showcase's account, which accepts every event
)

func showcaseAccount(s *devfile.State) demoAccount {
	sender := func(c gateway.Channel, address string) account.Sender {
		return account.Sender{Channel: c, Address: address, Gateway: devGateway}
	}
	return demoAccount{&s.Accounts.Showcase, account.Spec{
		Name: "Kalabash", Email: "showcase@griot.example", Plan: "business", Projects: []string{"Boutique"},
		Senders: []account.Sender{sender(gateway.WhatsApp, "22370000041"), sender(gateway.WhatsApp, "22370000042"), sender(gateway.SMS, "22370000043")},
	}}
}

// seedShowcase creates the account and the tenant of the history, with creation times at its start. It returns the
// options for storing the history.
func seedShowcase(ctx context.Context, a *app, s *devfile.State) (*showcase.Options, error) {
	began := func() time.Time { return clock.System().Add(-(showcase.Days + 1) * 24 * time.Hour) }
	d := showcaseAccount(s)
	found, err := d.find(ctx, a)
	if err == nil && found == nil {
		_, err = account.NewDirectory(a.db, began).Create(ctx, &d.spec)
	}
	if err == nil {
		err = seedAccount(ctx, a, d)
	}
	if err != nil {
		return nil, err
	}
	o := &showcase.Options{
		DB: a.db, Messages: a.messaging.Delivery, OTP: a.messaging.OTP, Now: clock.System(),
		Logins: login.New(login.Options{DB: a.db, Key: a.key, Now: clock.System, Issuer: s.AuthURL, Receivers: auth.Receivers(a.c), Identity: a.identities, Gateways: a.gateways}),
	}
	if o.Account, err = a.messaging.Directory.Account(ctx, d.to.ID); err != nil {
		return nil, err
	}
	hook := s.BaseURL + devWebhook
	if was := o.Account.WebhookURL; was != hook && (was == "" || strings.HasSuffix(was, devWebhook)) { // dev might listen on other addresses than the last time
		if _, err = a.messaging.Endpoints.Set(ctx, d.to.ID, hook); err != nil {
			return nil, err
		}
	}
	projects, err := account.Projects(a.db.Read(ctx), d.to.ID)
	if err != nil {
		return nil, err
	}
	if len(projects) > 0 { // an operator can delete them
		o.ProjectID = projects[0].ID
	}
	o.Clients, err = seedShowcaseTenant(ctx, tenant.New(a.db, began), tenant.New(a.db, clock.System), s)
	return o, err
}

// seedShowcaseTenant returns the tenant's clients. It creates a missing tenant with past, whose
// clock is at the start of the history.
func seedShowcaseTenant(ctx context.Context, past, tenants *tenant.Store, s *devfile.State) ([]tenant.Client, error) {
	all, err := tenants.ListTenants(ctx)
	if err != nil {
		return nil, err
	}
	redirect := s.BaseURL + "/dev/demo/callback"
	i := slices.IndexFunc(all, func(t tenant.Tenant) bool { return t.ID == s.ShowcaseTenant.ID }) // it might have been renamed
	if i < 0 {
		i = slices.IndexFunc(all, func(t tenant.Tenant) bool { return t.Name == showcaseTenant })
	}
	if i < 0 {
		made, err := past.CreateTenant(ctx, showcaseTenant)
		if err != nil {
			return nil, err
		}
		for _, c := range []struct {
			name string
			typ  tenant.Type
			mode tenant.Mode
		}{{"Boutique Kalabash", tenant.Public, tenant.Live}, {"Boutique Kalabash (test)", tenant.Confidential, tenant.Test}} {
			if _, _, err := past.CreateNamedClient(ctx, made.ID, c.name, c.typ, c.mode, []string{redirect}); err != nil {
				return nil, err
			}
		}
		all, i = []tenant.Tenant{made}, 0
	}
	if id := all[i].ID; s.ShowcaseTenant.ID != id || s.ShowcaseTenant.InvitationKey == "" {
		s.ShowcaseTenant.ID = id
		if s.ShowcaseTenant.InvitationKey, err = tenants.CreateInvitation(ctx, id, tenant.InvitationTime); err != nil {
			return nil, err
		}
	}
	clients, err := tenants.ListClients(ctx, all[i].ID)
	if err != nil {
		return nil, err
	}
	for _, c := range clients { // dev might listen on other addresses than the last time
		if !slices.Equal(c.RedirectURIs, []string{redirect}) {
			if _, err := tenants.SetRedirectURIs(ctx, c.ClientID, []string{redirect}); err != nil {
				return nil, err
			}
		}
	}
	return clients, nil
}

// historyWait is the time that a start waits for the history. After that, the history is stored while dev runs.
const historyWait = 300 * time.Millisecond

// storeHistory stores the history in the background, and then closes stored.
func storeHistory(ctx context.Context, o *showcase.Options, d *account.Directory, log *slog.Logger) (stored chan struct{}) {
	stored = make(chan struct{})
	go func() {
		defer close(stored)
		begun := time.Now()
		if err := showcase.Seed(ctx, *o); err != nil && ctx.Err() == nil {
			log.Error("the history of the demo account could not be stored", "err", err)
		}
		log.Debug("the history of the demo account is stored", "took", time.Since(begun))
		d.ForgetAll() // the history has opt-outs
	}()
	return stored
}
