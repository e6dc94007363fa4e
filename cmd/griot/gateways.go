package main

import (
	"context"
	"slices"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/audit"
)

// configuredGateways returns the gateways of the configuration.
func configuredGateways(cfg *config.Config) ([]gatewaystore.Configured, error) {
	var all []gatewaystore.Configured
	for _, g := range cfg.Gateways {
		settings, err := g.JSON()
		if err != nil {
			return nil, err
		}
		all = append(all, gatewaystore.Configured{Name: g.Name, Kind: g.Kind, Settings: settings})
	}
	return all, nil
}

// recordGateway returns the write of the audit event of an act on a gateway.
func recordGateway(ctx context.Context, act gatewaystore.Act, name, kind string) func(*db.Tx) error {
	event := audit.New(ctx, clock.System(), "", "gateway."+string(act), name, "kind", kind)
	return func(tx *db.Tx) error { return audit.Record(tx, event) }
}

// warnReceivers logs the receivers whose messages no gateway of this process receives.
func (a *app) warnReceivers() {
	for _, r := range a.c.Auth.Receivers {
		switch {
		case r.Gateway != "" && a.gateways.Get(r.Gateway) == nil:
			a.log.Warn("a receiver names a gateway that is not there: only /internal/verify proves its logins", "phoneId", r.PhoneID, "gateway", r.Gateway)
		case r.Gateway == "" && a.hasWhatsApp():
			a.log.Warn("a receiver names no gateway (auth.receivers, gateway): only /internal/verify proves its logins", "phoneId", r.PhoneID)
		}
	}
}

func (a *app) hasWhatsApp() bool {
	return slices.ContainsFunc(a.gateways.Names(), func(name string) bool {
		g := a.gateways.Get(name)
		return g != nil && slices.Contains(g.Info().Channels, gateway.WhatsApp)
	})
}
