package events

import (
	"context"

	"griot/auth/tenant"
	"griot/internal/db"
	"griot/internal/id"
	"griot/internal/webhook"
)

// Queue returns the tenants' events and endpoints.
func Queue() *webhook.Queue {
	return webhook.NewQueue(webhook.Tables{
		Owners: "tenants", SetURL: tenant.SetWebhook, SetSecret: tenant.SetWebhookSecret,
		Owner: "tenant_id", Events: "tenant_hook_events", Attempts: "tenant_hook_attempts", Endpoints: "tenant_hook_endpoints",
		Choice: "0", Box: "tenant-webhook", Log: "tenantId",
	})
}

// NewDispatcher returns the dispatcher of the tenants' events. Tenants have no e-mail address: when an endpoint is
// disabled, they find an audit event.
func NewDispatcher(o webhook.Options) *webhook.Dispatcher {
	o.Queue = Queue()
	o.Record = func(n *webhook.Notice) func(*db.Tx) error {
		disabled := &tenant.Event{ID: id.New(n.DisabledAt), TenantID: n.OwnerID, Type: tenant.WebhookDisabled, At: n.DisabledAt, Actor: tenant.ActorSystem, ErrorCode: n.Reason}
		return func(tx *db.Tx) error { return tenant.Record(tx, disabled) }
	}
	return webhook.NewDispatcher(o)
}

// Endpoints reads and changes tenants' endpoints, for operators.
type Endpoints struct{ webhook.Endpoints }

// NewEndpoints returns the tenants' endpoints, with the tenants' queue.
func NewEndpoints(e webhook.Endpoints) *Endpoints {
	e.Queue = Queue()
	return &Endpoints{e}
}

// Ping stores an event that tests a tenant's endpoint, and returns its id.
func (e *Endpoints) Ping(ctx context.Context, tenantID string) (eventID string, err error) {
	now := e.Now()
	b := &body{Event: Ping, EventID: id.Event + id.New(now), TenantID: tenantID, Timestamp: now.UTC().Format(timeFormat)}
	err = e.DB.Write(ctx, func(tx *db.Tx) error { return insertBody(tx, b, now) })
	e.Signal.Notify()
	return b.EventID, err
}
