package main

import (
	"context"
	"fmt"
	"strings"

	"griot/gateway"
	"griot/internal/clock"
	"griot/internal/i18n"
	"griot/internal/safedial"
	"griot/internal/webhook"
	"griot/messaging/account"
	"griot/messaging/events"
	"griot/messaging/message"
)

// openWebhooks makes the endpoints and the dispatcher of the accounts' events.
func (a *app) openWebhooks(signal *webhook.Signal) {
	dial := a.s.dial
	dial.Idle = webhook.PerEndpoint
	a.endpoints = events.NewEndpoints(webhook.Endpoints{DB: a.s.db, Key: a.s.key, Dial: dial, Now: clock.System, Signal: signal, Changed: a.directory.ForgetAll})
	a.webhooks = events.NewDispatcher(webhook.Options{
		DB: a.s.db, Key: a.s.key, Client: safedial.Client(dial), Timing: a.s.webhookTiming, Now: clock.System, Log: a.s.log, Signal: signal, Agent: "Griot/" + version, Notify: a.notifyDisabled,
	})
}

// notifyDisabled sends an account an e-mail that its endpoint was switched off. The idempotency key makes it one e-mail,
// however often this is called.
func (a *app) notifyDisabled(ctx context.Context, n *webhook.Notice) error {
	c, err := a.platformCaller(ctx, n.OwnerID)
	if err != nil || c == nil {
		return err
	}
	key := "notice.webhook." + n.Reason
	var texts []string
	for _, l := range i18n.Langs() { // the account's language is not known
		texts = append(texts, l.T("notice.webhook.text", c.Account.Name, l.T(key)))
	}
	_, err = a.engine.Submit(ctx, c, &message.Request{
		Channel: gateway.Email, To: c.Account.Email, Source: message.SourceNotice, IdempotencyKey: fmt.Sprintf("notice:webhook:%d", n.DisabledAt.UnixMilli()),
		Content: message.Content{Subject: i18n.Default.T("notice.webhook.subject"), Text: strings.Join(texts, "\n\n-- \n\n")},
	})
	return err
}

// platformCaller returns an account as the caller of Griot's own e-mails to it, which no quota limits.
func (a *app) platformCaller(ctx context.Context, accountID string) (*account.Caller, error) {
	found, err := a.directory.Account(ctx, accountID)
	if err != nil || found == nil {
		return nil, err
	}
	own := *found
	own.Plan, own.RecipientCap = account.Plan{Name: found.Plan.Name}, 0
	return &account.Caller{Account: &own, Kind: account.Live}, nil
}
