package api

import (
	"example.com/griot/auth/events"
	"example.com/griot/auth/logout"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/webhook"
)

// openWebhooks creates the endpoints and the dispatcher of the tenants' events.
func (a *API) openWebhooks(o *Options, signal *webhook.Signal) {
	a.endpoints = events.NewEndpoints(a.webhookEndpoints(o, signal))
	to := webhookOptions(o, signal, "auth")
	to.Keep = o.Webhooks.Keep
	a.dispatcher = events.NewDispatcher(to)
}

// openLogouts creates the addresses and the dispatcher of logout tokens.
func (a *API) openLogouts(o *Options, signal *webhook.Signal) {
	a.clients = logout.NewClients(a.webhookEndpoints(o, signal), a.tenants)
	a.logouts = logout.NewDispatcher(webhookOptions(o, signal, "logout"), a.signer, a.own.URL)
}

func (a *API) webhookEndpoints(o *Options, signal *webhook.Signal) webhook.Endpoints {
	return webhook.Endpoints{DB: o.DB, Key: o.Key, Dial: o.Webhooks.dial(), Now: o.Now, Signal: signal, Changed: a.tenants.ClearCache}
}

// webhookOptions returns the options that both dispatchers share. service is the dispatcher's name in metrics.
func webhookOptions(o *Options, signal *webhook.Signal, service string) webhook.Options {
	timing := o.Webhooks.Timing
	if timing.Schedule == nil {
		timing = webhook.StandardTiming()
	}
	return webhook.Options{
		DB: o.DB, Key: o.Key, Client: safedial.Client(o.Webhooks.dial()), Timing: timing, Now: o.Now, Log: o.Log, Signal: signal, Agent: o.Webhooks.Agent,
		Metrics: o.Metrics.Webhooks.Dispatcher(service, webhook.Failures()),
	}
}

func (w *Webhooks) dial() safedial.Options {
	dial := w.Dial
	dial.Idle = webhook.IdlePerHost
	return dial
}
