package alerts

import (
	"strconv"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
)

// Kind is what an alert is about.
type Kind string

// The kinds.
const (
	QuotaNear       Kind = "quota_near" // 80 percent of the day's quota are used
	QuotaUsed       Kind = "quota_used" // all of it
	SenderDown      Kind = "sender_down"
	WebhookDisabled Kind = "webhook_disabled"
	BillingFailed   Kind = "billing_failed" // the subscription's payment is overdue
)

// NearPercent is the percentage of a day's quota from which there is an alert.
const NearPercent = 80

// OwnerOnly reports whether an alert is about what only the owner looks after.
func (k Kind) OwnerOnly() bool { return k == WebhookDisabled || k == BillingFailed }

// once reports whether an alert that opens again about the same subject is not mailed again: the same day's quota.
func (k Kind) once() bool { return k == QuotaNear || k == QuotaUsed }

// Alert is one thing that the owner ought to know. What it does not need is empty.
type Alert struct {
	Kind     Kind
	OpenedAt time.Time // zero: just now
	MailedAt time.Time // zero: not yet

	Used, Limit int64 // of the quota
	SenderID    string
	Channel     gateway.Channel
	Address     string // of the sender, as it is shown
	Connection  gateway.ConnDetail
	DisabledAt  time.Time
	Reason      string // why the endpoint is disabled, as of [webhook.State]
	Status      string // of the subscription, the provider's word

	accountID, subject string
}

// key names an alert's row.
type key struct {
	accountID string
	kind      Kind
	subject   string
}

func (a *Alert) key() key { return key{a.accountID, a.Kind, a.subject} }

// ofQuota is the alert about a day's quota; nil: there is none.
func ofQuota(accountID string, day, used, limit int64) *Alert {
	a := &Alert{accountID: accountID, subject: strconv.FormatInt(day, 10), Kind: QuotaNear, Used: used, Limit: limit}
	switch {
	case limit <= 0 || used*100 < limit*NearPercent:
		return nil
	case used >= limit:
		a.Kind = QuotaUsed
	}
	return a
}

// ofSender is the alert about an account's sender in a state; nil: there is none. A paused sender is not meant to send, and
// one that is being paired is being looked after.
func ofSender(s *account.Sender, d gateway.ConnDetail) *Alert {
	if s.AccountID == "" || s.Paused() || d.State.Usable() || d.State == gateway.Pairing {
		return nil
	}
	return &Alert{accountID: s.AccountID, subject: s.ID, Kind: SenderDown, SenderID: s.ID, Channel: s.Channel, Address: phone.Shown(s.Address), Connection: d}
}

// ofEndpoint is the alert about an endpoint that was disabled. Each time is an alert of its own.
func ofEndpoint(accountID string, disabled time.Time, reason string) *Alert {
	return &Alert{accountID: accountID, subject: strconv.FormatInt(db.Ms(disabled), 10), Kind: WebhookDisabled, DisabledAt: disabled, Reason: reason}
}

// ofSubscription is the alert about a subscription whose payment is overdue.
func ofSubscription(accountID, subscription, status string) *Alert {
	return &Alert{accountID: accountID, subject: subscription, Kind: BillingFailed, Status: status}
}
