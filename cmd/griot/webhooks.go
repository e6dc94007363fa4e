package main

import (
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/events"
)

// openWebhooks makes the endpoints and the dispatcher of the accounts' events.
func (a *app) openWebhooks(signal *webhook.Signal) {
	dial := a.s.webhookDial
	dial.Idle = webhook.PerEndpoint
	a.endpoints = events.NewEndpoints(webhook.Endpoints{DB: a.s.db, Key: a.s.key, Dial: dial, Now: clock.System, Signal: signal, Changed: a.directory.ForgetAll})
	a.webhooks = events.NewDispatcher(webhook.Options{
		DB: a.s.db, Key: a.s.key, Client: safedial.Client(dial), Timing: a.s.webhookTiming, Now: clock.System, Log: a.s.log, Signal: signal, Agent: "Griot/" + version, Keep: time.Duration(a.s.retention.Events),
		Metrics: a.s.probes.metrics.Webhooks.Dispatcher("messaging", webhook.Failures()),
	})
}
