package webhooks

import (
	"context"

	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
)

// Queue returns the queue of the accounts' events and endpoints. Their [webhook.State.Choice] reports whether the
// account wants read receipts.
func Queue() *webhook.Queue {
	return webhook.NewQueue(webhook.Tables{
		Owners: "accounts", URL: "webhook_url", Secret: "webhook_secret", SetURL: account.SetWebhook, SetSecret: account.SetWebhookSecret,
		Owner: "account_id", Events: "webhook_events", Attempts: "webhook_attempts", Endpoints: "webhook_endpoints",
		Choice: "a.webhook_reads", Box: "webhook-secret", Log: "accountId",
	})
}

// SecretBox encrypts the secrets of endpoints. The associated data is the account's ID.
func SecretBox(k *seal.Key) *seal.Box { return Queue().SecretBox(k) }

// NewDispatcher returns the dispatcher of the accounts' events.
func NewDispatcher(o webhook.Options) *webhook.Dispatcher {
	o.Queue = Queue()
	o.Record = func(n *webhook.Notice) func(*db.Tx) error {
		event := audit.New(context.Background(), o.Now(), n.OwnerID, audit.WebhookDisabled, "", "reason", n.Reason)
		return func(tx *db.Tx) error { return audit.Record(tx, event) }
	}
	return webhook.NewDispatcher(o)
}
