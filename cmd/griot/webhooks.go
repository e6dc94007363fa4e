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

// openWebhooks makes what delivers events, and what is seen of it.
func (a *app) openWebhooks(signal *webhook.Signal) {
	dial := a.s.dial
	dial.Idle = webhook.PerEndpoint
	a.endpoints = events.NewEndpoints(webhook.Endpoints{DB: a.s.db, Key: a.s.key, Dial: dial, Now: clock.System, Signal: signal, Changed: a.directory.Changed})
	a.webhooks = events.NewDispatcher(webhook.Options{
		DB: a.s.db, Key: a.s.key, Client: safedial.Client(dial), Timing: a.s.hooks, Now: clock.System, Log: a.s.log, Signal: signal, Agent: "Griot/" + version, Notify: a.notifyDisabled,
	})
}

// notifyDisabled writes to an account that its endpoint gets nothing more. The
// idempotency key makes it one e-mail, however often it is asked for.
func (a *app) notifyDisabled(ctx context.Context, n *webhook.Notice) error {
	c, err := a.notifier(ctx, n.OwnerID)
	if err != nil || c == nil {
		return err
	}
	key := "notice.webhook." + n.Reason
	var texts []string
	for _, l := range i18n.Langs() { // nobody knows which one the account speaks
		texts = append(texts, l.T("notice.webhook.text", c.Account.Name, l.T(key)))
	}
	_, err = a.engine.Submit(ctx, c, &message.Request{
		Channel: gateway.Email, To: c.Account.Email, Source: message.SourceNotice, IdempotencyKey: fmt.Sprintf("notice:webhook:%d", n.DisabledAt.UnixMilli()),
		Content: message.Content{Subject: i18n.Default.T("notice.webhook.subject"), Text: strings.Join(texts, "\n\n-- \n\n")},
	})
	return err
}

// notifier is an account as the sender of what Griot writes to it: no quota stands in the way.
func (a *app) notifier(ctx context.Context, accountID string) (*account.Caller, error) {
	found, err := a.directory.Account(ctx, accountID)
	if err != nil || found == nil {
		return nil, err
	}
	own := *found
	own.Plan, own.RecipientCap = account.Plan{Name: found.Plan.Name}, 0
	return &account.Caller{Account: &own, Kind: account.Live}, nil
}
