package login

import (
	"context"
	"time"

	"example.com/griot/auth/logout"
	"example.com/griot/auth/tenant"
	"example.com/griot/auth/webhooks"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/metrics"
	"example.com/griot/internal/phone"
)

// tokenTime is the lifetime of a token. An older token needs no revocation.
const tokenTime = 15 * time.Minute

// cancel ends the live sessions of a phone, and those that are held for its owner's
// WhatsApp ID, and revokes the tokens of its last 15
// minutes, when its owner sends NON, STOP or CANCEL and nothing else to a receiver. The
// message is accepted if there was something to cancel. Otherwise it belongs to the
// inbox of the number (STOP to an account's sender is an opt-out).
func (s *Service) cancel(ctx context.Context, m *inboundMessage) (accepted bool, err error) {
	if m.anonymous() || !cancels(m.Text) {
		return false, nil
	}
	c := &cancellation{phone: m.number, from: m.from, messageID: m.ID, now: s.now(), actor: tenant.ActorUser, why: ByPerson, reason: webhooks.ByPerson}
	if err := s.db.Write(ctx, c.write); err != nil {
		return false, err
	}
	s.ended(c)
	return c.accepted, nil
}

// ended publishes the logins and tokens that a committed cancellation has ended.
func (s *Service) ended(c *cancellation) {
	notify := c.logoutTokens
	for _, item := range c.canceled {
		s.changed(item.LoginID)
		if item.Type == tenant.LoginCanceled {
			s.metrics.Reached(metrics.LoginCanceled)
		}
		notify = notify || item.hasWebhook
	}
	if notify {
		s.notify()
	}
}

// cancels reports whether a message is the one word that cancels.
func cancels(text string) bool {
	if len(text) > maxText {
		return false
	}
	switch normalize(text) {
	case "non", "stop", "cancel":
		return true
	}
	return false
}

// cancellation ends the logins and tokens of a number or of a WhatsApp ID, for a message that cancels or because the number has changed
// hands.
type cancellation struct {
	phone     phone.Number // empty: unknown
	from      sender       // nobody: unknown
	tenantID  string       // empty: all tenants
	mode      tenant.Mode  // with tenantID
	messageID string
	actor     string
	why       EndReason // why the logins end
	reason    string    // why the tokens are revoked, for webhooks
	now       time.Time
	ids       []string // of events; a repeated transaction uses the same ones
	canceled  []canceled
	accepted  bool

	// olderOpenID also ends sign-ins by OpenID Connect whose tokens have expired, because an application can keep its
	// own session for them.
	olderOpenID  bool
	logoutTokens bool // a logout token was stored for a client
}

// canceled is a login that was ended, or a token that was revoked.
type canceled struct {
	*tenant.Event
	hasWebhook bool // of the tenant
	tokenID    string
}

func (c *canceled) writeWebhookEvent(tx *db.Tx, reason string) error {
	if c.Type == tenant.LoginCanceled {
		return webhooks.Insert(tx, webhooks.LoginCanceled, c.Event, webhooks.Detail{})
	}
	return webhooks.Insert(tx, webhooks.LoginRevoked, c.Event, webhooks.Detail{TokenID: c.tokenID, Reason: reason})
}

func (c *cancellation) write(tx *db.Tx) error {
	repeated, err := messageKnown(tx, c.messageID)
	if c.accepted, c.canceled = repeated, nil; err != nil || repeated { // providers repeat calls for days; a repeat ends no later login
		return err
	}
	if err := c.end(tx); err != nil || len(c.canceled) == 0 {
		return err
	}
	c.accepted = true
	return insertMessage(tx, c.messageID, c.canceled[0].LoginID, c.now)
}

// end ends the logins and revokes the tokens, with their events.
func (c *cancellation) end(tx *db.Tx) error {
	c.canceled, c.logoutTokens = nil, false
	// Sessions come first, so that a code that is redeemed at the same time is either ended here or is a token below.
	if err := markCanceled(tx, c); err != nil {
		return err
	}
	if err := markTokensRevoked(tx, c); err != nil {
		return err
	}
	for _, item := range c.canceled {
		if err := tenant.Record(tx, item.Event); err != nil {
			return err
		}
		if item.hasWebhook {
			if err := item.writeWebhookEvent(tx, c.reason); err != nil {
				return err
			}
		}
		stored, err := logout.Ended(tx, item.LoginID, c.now)
		if err != nil {
			return err
		}
		c.logoutTokens = c.logoutTokens || stored
	}
	return nil
}

// add adds a canceled session or token.
func (c *cancellation) add(typ string, item canceled) {
	n := len(c.canceled)
	if n == len(c.ids) {
		c.ids = append(c.ids, id.New(c.now))
	}
	item.ID, item.Type, item.At, item.Actor, item.Phone = c.ids[n], typ, c.now, c.actor, c.phone
	c.canceled = append(c.canceled, item)
}
