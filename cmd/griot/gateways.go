package main

import (
	"context"

	"griot/gateway"
	"griot/gateway/roster"
	"griot/internal/clock"
	"griot/internal/config"
	"griot/messaging/account"
)

// configuredGateways are those of the configuration.
func configuredGateways(cfg *config.Config) ([]roster.Configured, error) {
	var all []roster.Configured
	for _, g := range cfg.Gateways {
		settings, err := g.JSON()
		if err != nil {
			return nil, err
		}
		all = append(all, roster.Configured{Name: g.Name, Kind: g.Kind, Settings: settings})
	}
	return all, nil
}

// openGateways opens the deployment's gateways.
func (a *app) openGateways(ctx context.Context, in gateway.Sink) error {
	configured, err := a.s.gateways(in)
	if err != nil {
		return err
	}
	a.roster, a.gateways, err = roster.Start(ctx, roster.Options{
		DB: a.s.db, Key: a.s.key, Drivers: drivers(), Configured: configured, Sink: in, Used: account.OnGateway, Now: clock.System, Log: a.s.log,
	})
	return err
}
