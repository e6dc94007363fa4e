package webhook

import (
	"griot/internal/courier"
	"griot/internal/seal"
	"griot/messaging/account"
)

// What of delivering is the same in both services is the courier's.
type (
	Bell      = courier.Bell
	Options   = courier.Options
	Deliverer = courier.Deliverer
	Claimed   = courier.Claimed
	Notice    = courier.Notice
	State     = courier.State // its choice: whether the account is told that messages were read
)

// PerEndpoint is how many tries an endpoint gets at once.
const PerEndpoint = courier.PerEndpoint

// Queue is the accounts' events on their way.
func Queue() *courier.Queue {
	return courier.NewQueue(courier.Tables{
		Owners: "accounts", SetURL: account.SetWebhook, SetSecret: account.SetWebhookSecret,
		Owner: "account_id", Events: "webhook_events", Attempts: "webhook_attempts", Endpoints: "webhook_endpoints",
		Choice: "a.webhook_reads", Box: "webhook-secret", Log: "accountId",
	})
}

// SecretBox seals the secrets of endpoints; what they are about is the account's id.
func SecretBox(k *seal.Key) *seal.Box { return Queue().SecretBox(k) }

// NewDeliverer returns who brings the accounts' events to their endpoints.
func NewDeliverer(o Options) *Deliverer {
	o.Queue = Queue()
	return courier.NewDeliverer(o)
}
