package api

import (
	"griot/auth/webhook"
	"griot/internal/courier"
	"griot/internal/hook"
	"griot/internal/safedial"
)

// openWebhooks makes what tells tenants of logins, and what is seen of it.
func (a *API) openWebhooks(o *Options, bell *courier.Bell) {
	dial, timing := o.Webhooks.Dial, o.Webhooks.Timing
	dial.Idle = courier.PerEndpoint
	if timing.Schedule == nil {
		timing = hook.Standard()
	}
	a.hooks = webhook.NewEndpoints(courier.Endpoints{DB: o.DB, Key: o.Key, Dial: dial, Now: o.Now, Bell: bell, Changed: a.tenants.Forget})
	a.courier = webhook.NewDeliverer(courier.Options{
		DB: o.DB, Key: o.Key, Client: safedial.Client(dial), Timing: timing, Now: o.Now, Log: o.Log, Bell: bell, Agent: o.Webhooks.Agent,
	})
}
