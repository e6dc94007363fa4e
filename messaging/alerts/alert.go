package alerts

import (
	"strconv"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
)

// A Kind is the subject of an alert.
type Kind string

// The kinds.
const (
	QuotaNear       Kind = "quota_near" // 80 percent of the daily quota is used
	QuotaUsed       Kind = "quota_used" // the daily quota is used up
	SenderDown      Kind = "sender_down"
	WebhookDisabled Kind = "webhook_disabled"
	BillingFailed   Kind = "billing_failed" // the subscription's payment is overdue
)

// NearPercent is the percentage of a daily quota at which an alert opens.
const NearPercent = 80

// OwnerOnly reports whether only the owner can act on an alert.
func (k Kind) OwnerOnly() bool { return k == WebhookDisabled || k == BillingFailed }

// once reports whether a reopened alert about the same subject, the same day's quota, is not mailed again.
func (k Kind) once() bool { return k == QuotaNear || k == QuotaUsed }

// An Alert is a problem that the owner should know about. Fields that its kind does not use are empty.
type Alert struct {
	Kind     Kind
	OpenedAt time.Time // zero: just now
	MailedAt time.Time // zero: not yet

	Used, Limit int64 // of the quota
	SenderID    string
	Channel     gateway.Channel
	Address     string // of the sender, in its display form
	Connection  gateway.ConnDetail
	DisabledAt  time.Time
	Reason      string // the reason why the endpoint is disabled, from [webhook.State]
	Status      string // of the subscription, as named by the provider

	accountID, subject string
}

// A key identifies an alert's row.
type key struct {
	accountID string
	kind      Kind
	subject   string
}

func (a *Alert) key() key { return key{a.accountID, a.Kind, a.subject} }

// ofQuota returns the alert about a daily quota, or nil if there is none.
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

// ofSender returns the alert about an account's sender in a state, or nil if there is none. A paused sender and a
// sender that is being paired cause no alert.
func ofSender(s *account.Sender, d gateway.ConnDetail) *Alert {
	if s.AccountID == "" || s.Paused() || d.State.Usable() || d.State == gateway.Pairing {
		return nil
	}
	return &Alert{accountID: s.AccountID, subject: s.ID, Kind: SenderDown, SenderID: s.ID, Channel: s.Channel, Address: phone.Shown(s.Address), Connection: d}
}

// ofEndpoint returns the alert about a disabled endpoint. Each time that it is disabled is a separate alert.
func ofEndpoint(accountID string, disabled time.Time, reason string) *Alert {
	return &Alert{accountID: accountID, subject: strconv.FormatInt(db.Ms(disabled), 10), Kind: WebhookDisabled, DisabledAt: disabled, Reason: reason}
}

// ofSubscription returns the alert about a subscription whose payment is overdue.
func ofSubscription(accountID, subscription, status string) *Alert {
	return &Alert{accountID: accountID, subject: subscription, Kind: BillingFailed, Status: status}
}
