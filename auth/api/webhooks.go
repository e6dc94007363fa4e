package api

import (
	"example.com/griot/auth/events"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/webhook"
)

// openWebhooks makes the endpoints and the dispatcher of the tenants' events.
func (a *API) openWebhooks(o *Options, signal *webhook.Signal) {
	dial, timing := o.Webhooks.Dial, o.Webhooks.Timing
	dial.Idle = webhook.IdlePerHost
	if timing.Schedule == nil {
		timing = webhook.StandardTiming()
	}
	a.endpoints = events.NewEndpoints(webhook.Endpoints{DB: o.DB, Key: o.Key, Dial: dial, Now: o.Now, Signal: signal, Changed: a.tenants.ClearCache})
	a.dispatcher = events.NewDispatcher(webhook.Options{
		DB: o.DB, Key: o.Key, Client: safedial.Client(dial), Timing: timing, Now: o.Now, Log: o.Log, Signal: signal, Agent: o.Webhooks.Agent, Keep: o.Webhooks.Keep, Metrics: o.Metrics.Webhooks.Dispatcher("auth", webhook.Failures()),
	})
}
