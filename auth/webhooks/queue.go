package webhooks

import (
	"context"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/isotime"
	"example.com/griot/internal/webhook"
)

// Queue returns the tenants' events and endpoints.
func Queue() *webhook.Queue {
	return webhook.NewQueue(webhook.Tables{
		Owners: "tenants", URL: "webhook_url", Secret: "webhook_secret", SetURL: tenant.SetWebhook, SetSecret: tenant.SetWebhookSecret,
		Owner: "tenant_id", Events: "tenant_hook_events", Attempts: "tenant_hook_attempts", Endpoints: "tenant_hook_endpoints",
		Choice: "0", Box: "tenant-webhook", Log: "tenantId",
	})
}

// NewDispatcher returns the dispatcher of the tenants' events. Tenants have no email address, so an audit event
// reports that an endpoint was disabled.
func NewDispatcher(o webhook.Options) *webhook.Dispatcher {
	o.Queue = Queue()
	o.Record = func(n *webhook.Notice) func(*db.Tx) error {
		disabled := &tenant.Event{ID: id.New(n.DisabledAt), TenantID: n.OwnerID, Type: tenant.WebhookDisabled, At: n.DisabledAt, Actor: tenant.ActorSystem, ErrorCode: n.Reason}
		return func(tx *db.Tx) error { return tenant.Record(tx, disabled) }
	}
	return webhook.NewDispatcher(o)
}

// Endpoints reads and changes tenants' endpoints, for tenants and operators.
type Endpoints struct{ webhook.Endpoints }

// NewEndpoints returns the tenants' endpoints, with the tenants' queue and audit events.
func NewEndpoints(e webhook.Endpoints) *Endpoints {
	e.Queue = Queue()
	all := &Endpoints{e}
	all.Record = func(ctx context.Context, act webhook.Act, tenantID, _ string) func(*db.Tx) error {
		return all.audited(ctx, tenantID, types[act])
	}
	return all
}

// types are the audit event types of acts.
var types = map[webhook.Act]string{
	webhook.ActSet: tenant.WebhookSet, webhook.ActRemoved: tenant.WebhookRemoved, webhook.ActEnabled: tenant.WebhookEnabled, webhook.ActDisabled: tenant.WebhookDisabled,
	webhook.ActRotated: tenant.WebhookSecretRotated, webhook.ActResent: tenant.WebhookResent, webhook.ActResentFailed: tenant.WebhookResent,
}

// audited returns a function that writes an audit event.
func (e *Endpoints) audited(ctx context.Context, tenantID, typ string) func(*db.Tx) error {
	event := tenant.NewEvent(ctx, tenantID, typ, e.Now())
	if typ == tenant.WebhookDisabled {
		event.ErrorCode = webhook.ForOperator
	}
	return func(tx *db.Tx) error { return tenant.Record(tx, event) }
}

// Ping stores a test event for a tenant's endpoint and returns its id.
func (e *Endpoints) Ping(ctx context.Context, tenantID string) (eventID string, err error) {
	now := e.Now()
	b := &body{Event: Ping, EventID: id.Event + id.New(now), TenantID: tenantID, Timestamp: isotime.Format(now)}
	record := e.audited(ctx, tenantID, tenant.WebhookPinged)
	err = e.DB.Write(ctx, func(tx *db.Tx) error {
		if err := insertBody(tx, b, now); err != nil {
			return err
		}
		return record(tx)
	})
	e.Signal.Notify()
	return b.EventID, err
}
