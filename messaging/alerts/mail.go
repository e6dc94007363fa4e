package alerts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/connections"
	"example.com/griot/messaging/mail"
	"example.com/griot/messaging/message"
)

const (
	mailGap   = time.Hour       // minimum time between mails about the same sender or subscription
	claimTime = 2 * time.Minute // time for which a node keeps its claim of an alert's mail
	lookEvery = time.Minute     // interval of checks whether a mail has arrived
	retryMax  = time.Hour
)

// mail handles the mail of an open alert: it sends the mail, or checks the result of the one that was sent.
func (s *Service) mail(ctx context.Context, r *row, alert *Alert) error {
	claimed := *r
	claimed.mailAt = s.o.Now().Add(claimTime)
	if mine, err := s.save(ctx, r, &claimed); err != nil || !mine {
		return err
	}
	m, err := s.submitted(ctx, &claimed, alert)
	after := claimed
	switch now := s.o.Now(); {
	case err != nil, m == nil, m.Status.HasFailed(), m.Status == message.Canceled:
		after.tries++
		after.mailID, after.mailAt = "", now.Add(min(time.Minute<<min(r.tries, 10), retryMax))
	case m.Status.Open():
		after.mailID, after.mailAt = m.ID, now.Add(lookEvery)
	default:
		after.mailID, after.mailAt, after.mailedAt = m.ID, time.Time{}, now
	}
	_, failed := s.save(ctx, &claimed, &after)
	return errors.Join(err, failed)
}

func (s *Service) save(ctx context.Context, was, r *row) (mine bool, err error) {
	err = s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		mine, err = saveMail(tx, was, r)
		return err
	})
	return mine && err == nil, err
}

// submitted returns the message that is an alert's mail, and submits it if there is none. The idempotency key ensures
// that there is only one message, even if this process stops before it has stored the message's ID.
func (s *Service) submitted(ctx context.Context, r *row, alert *Alert) (*message.Message, error) {
	if r.mailID != "" {
		return message.Get(s.o.DB.Read(ctx), r.mailID)
	}
	a, err := s.o.Directory.Account(ctx, r.accountID)
	if err != nil || a == nil || a.Closed() {
		return nil, err
	}
	m, err := mail.SubmitToOwner(ctx, s.o.Delivery, s.o.Directory, a, func() *message.Request { return s.request(r, alert, a) }, nil)
	if errors.Is(err, apierror.MessageFailed.Err()) { // an earlier try with this key
		return nil, nil //nolint:nilnil // a missing message is not an error
	}
	return m, err
}

func (s *Service) request(r *row, alert *Alert, a *account.Account) *message.Request {
	if i := slices.IndexFunc(a.Senders, func(from account.Sender) bool { return from.ID == alert.SenderID }); i >= 0 {
		alert.Connection = s.connection(&a.Senders[i], alert.Connection.State)
	}
	subject, text, page := s.texts(alert, a.Lang)
	return &message.Request{
		To: a.Email, Channel: gateway.Email, Source: message.SourceNotice, IdempotencyKey: fmt.Sprintf("alert:%s:%s:%s:%d:%d", r.accountID, r.kind, r.subject, r.openedAt.UnixMilli(), r.tries),
		Content: message.Content{Subject: subject, Text: a.Lang.T("alerts.mail", a.Name, text, s.o.URL+page, mail.Host(s.o.URL))},
	}
}

// texts returns an alert's subject and text for its owner, and the path of the page with details.
func (s *Service) texts(a *Alert, lang i18n.Lang) (subject, text, page string) {
	switch a.Kind {
	case QuotaNear:
		return lang.T("alerts.quota_near.subject", strconv.FormatInt(a.Used*100/a.Limit, 10)), lang.T("alerts.quota_near.text", a.Used, a.Limit), "/dashboard"
	case QuotaUsed:
		return lang.T("alerts.quota_used.subject"), lang.T("alerts.quota_used.text", a.Limit), "/dashboard"
	case SenderDown:
		page, why := "/dashboard/senders/"+a.SenderID, connectionText(lang, a.Connection)
		if a.Connection.Accepts() {
			return lang.T("alerts.sender_restricted.subject", a.Address), lang.T("alerts.sender_restricted.text", a.Address, string(a.Channel), why), page
		}
		return lang.T("alerts.sender_down.subject", a.Address), lang.T("alerts.sender_down.text", a.Address, string(a.Channel), why), page
	case WebhookDisabled:
		return lang.T("alerts.webhook_disabled.subject"), lang.T("alerts.webhook_disabled.text", reason(lang, a.Reason)), "/dashboard/webhooks"
	case BillingFailed:
		return lang.T("alerts.billing_failed.subject"), lang.T("alerts.billing_failed.text"), "/dashboard/billing"
	}
	return string(a.Kind), string(a.Kind), "/dashboard"
}

// connectionText describes a connection's state and its reason in sentences.
func connectionText(lang i18n.Lang, d gateway.ConnDetail) string {
	text := connections.StateName(lang, d.State)
	if !d.Until.IsZero() {
		text = lang.T("dashboard.senders.until", text, d.Until.UTC().Format("2006-01-02 15:04 UTC"))
	}
	return strings.TrimSpace(text + ". " + connections.ReasonText(lang, d))
}

// reason describes the reason why an endpoint is disabled.
func reason(lang i18n.Lang, why string) string {
	switch why {
	case webhook.ForGone:
		return lang.T("alerts.webhook_disabled.gone")
	case webhook.ForOperator:
		return lang.T("alerts.webhook_disabled.operator")
	}
	return lang.T("alerts.webhook_disabled.failing")
}
