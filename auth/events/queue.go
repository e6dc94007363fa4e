package events

import (
	"context"

	"griot/auth/tenant"
	"griot/internal/db"
	"griot/internal/id"
	"griot/internal/webhook"
)

// Queue is the tenants' events on their way.
func Queue() *webhook.Queue {
	return webhook.NewQueue(webhook.Tables{
		Owners: "tenants", SetURL: tenant.SetWebhook, SetSecret: tenant.SetWebhookSecret,
		Owner: "tenant_id", Events: "tenant_hook_events", Attempts: "tenant_hook_attempts", Endpoints: "tenant_hook_endpoints",
		Choice: "0", Box: "tenant-webhook", Log: "tenantId",
	})
}

// NewDispatcher returns who brings the tenants' events to their endpoints. Tenants
// have no address to write to: that an endpoint was disabled is an audit event.
func NewDispatcher(o webhook.Options) *webhook.Dispatcher {
	o.Queue = Queue()
	o.Record = func(n *webhook.Notice) func(*db.Tx) error {
		disabled := &tenant.Event{ID: id.New(n.DisabledAt), TenantID: n.OwnerID, Type: tenant.WebhookDisabled, At: n.DisabledAt, Actor: tenant.ActorSystem, ErrorCode: n.Reason}
		return func(tx *db.Tx) error { return tenant.Record(tx, disabled) }
	}
	return webhook.NewDispatcher(o)
}

// Endpoints is what operators see and change of tenants' webhooks.
type Endpoints struct{ webhook.Endpoints }

// NewEndpoints returns the tenants' endpoints; the queue of what they are made of is theirs.
func NewEndpoints(of webhook.Endpoints) *Endpoints {
	of.Queue = Queue()
	return &Endpoints{of}
}

// Ping stores an event that tries a tenant's endpoint, and returns its id.
func (e *Endpoints) Ping(ctx context.Context, tenantID string) (eventID string, err error) {
	now := e.Now()
	b := &body{Event: Ping, EventID: id.Event + id.New(now), TenantID: tenantID, Timestamp: now.UTC().Format(timeFormat)}
	err = e.DB.Write(ctx, func(tx *db.Tx) error { return insert(tx, b, now) })
	e.Signal.Notify()
	return b.EventID, err
}
