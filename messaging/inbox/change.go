package inbox

import (
	"cmp"
	"context"
	"database/sql"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/whatsappid"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/person"
	"example.com/griot/messaging/webhooks"
)

// Change applies a report about a person or about one of their messages to the account that owns the receiving number.
// A repeated report changes nothing. Change returns [gateway.ErrForeign] if the number is not a sender of the gateway
// that reported it. It changes nothing for the platform's senders, which have no inbox.
func (b *Inbox) Change(ctx context.Context, c gateway.Change) error {
	s, err := b.o.Directory.SenderAt(ctx, string(c.Channel), c.To)
	if err != nil {
		return err
	}
	if s == nil || s.Gateway != c.Gateway {
		return gateway.ErrForeign
	}
	if s.AccountID == "" {
		return nil
	}
	a, err := b.o.Directory.Account(ctx, s.AccountID)
	if err != nil || a == nil {
		return err
	}
	normalizeChange(&c, b.o.Now())
	switch c.Kind {
	case gateway.MessageEdited, gateway.MessageDeleted:
		return b.revise(ctx, a, s, &c)
	case gateway.MessageSent:
		return b.addOwn(ctx, a, s, &c)
	case gateway.NumberChanged, gateway.IDChanged:
		return b.move(ctx, a, &c)
	case gateway.MarketingStopped, gateway.MarketingResumed:
		return b.prefer(ctx, a, &c)
	case gateway.PairKnown, gateway.MessageUnreadable:
	}
	return nil
}

// normalizeChange prepares a report, as normalize prepares a message.
func normalizeChange(c *gateway.Change, now time.Time) {
	if c.At.After(now) || c.At.Before(time.UnixMilli(0)) {
		c.At = now
	}
	texts := []*string{&c.From, &c.OldNumber, &c.MessageID, &c.Person.Username}
	if c.Content != nil {
		content := *c.Content
		c.Content = &content
		texts = append(texts, &content.Text, &content.FileName, &content.MIMEType, &content.ReplyTo.ProviderID)
	}
	for _, s := range texts {
		*s = strings.ReplaceAll(strings.ToValidUTF8(*s, "\uFFFD"), "\x00", "")
	}
	for _, s := range []*string{&c.Person.ID, &c.OldID} {
		if !whatsappid.Is(*s) {
			*s = ""
		}
	}
	if c.OldNumber != "" && person.KindOf(c.OldNumber) != person.Number {
		c.OldNumber = ""
	}
}

// move continues what the account has of a person under the new number or ID.
func (b *Inbox) move(ctx context.Context, a *account.Account, c *gateway.Change) error {
	now, moved := b.o.Now(), false
	m := &person.Move{OldNumber: c.OldNumber, OldID: c.OldID, Number: c.From, ID: c.Person.ID, Username: c.Person.Username, At: db.Ms(c.At)}
	err := b.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if moved, err = b.people.Move(tx, a.ID, m); err != nil || !moved {
			return err
		}
		if err := account.NoteChange(tx); err != nil || !webhooks.Wanted(a, now) {
			return err
		}
		return webhooks.Insert(tx, b.o.Signal, webhooks.Moved(a.ID, c, now))
	})
	if err == nil && moved {
		b.o.Directory.Forget(a.ID)
	}
	return err
}

// prefer stores whether a person wants marketing messages. A report with the person's number and ID also joins them.
func (b *Inbox) prefer(ctx context.Context, a *account.Account, c *gateway.Change) error {
	address := cmp.Or(c.From, c.Person.ID)
	if address == "" {
		b.o.Log.Warn("a preference without a number and an ID was dropped", "gateway", c.Gateway, "channel", string(c.Channel), "kind", string(c.Kind))
		return nil
	}
	changed := false
	err := b.o.DB.Write(ctx, func(tx *db.Tx) error {
		joined, err := b.people.Join(tx, a.ID, c.Person.ID, c.From)
		if err != nil {
			return err
		}
		changed, err = optout.ApplyMarketing(tx, a.ID, address, b.people.Pseudonym(a.ID, address), c.Kind == gateway.MarketingStopped, c.At)
		if changed = changed || joined; err != nil || !changed {
			return err
		}
		return account.NoteChange(tx)
	})
	if err == nil && changed {
		b.o.Directory.Forget(a.ID)
	}
	return err
}

// addOwn adds a message that the owner of the account's number has written on another device to the conversation with
// the person, once, if there is one. It is never a keyword, and proves nothing. It adds no message that Griot has sent
// itself, whose copy can come back: that can be a code, a sensitive message, or one of a project.
func (b *Inbox) addOwn(ctx context.Context, a *account.Account, s *account.Sender, c *gateway.Change) error {
	ref, err := message.ProviderRef(b.o.DB.Read(ctx), c.Gateway, c.MessageID)
	if err != nil || ref != "" || c.Content == nil || c.Content.Type == gateway.InboundReaction && c.Content.Text == "" {
		return err
	}
	if c.Content.Type == "" {
		c.Content.Type = gateway.InboundText
	}
	if c.Content.Order.IsZero() {
		c.Content.Order = b.o.Now()
	}
	messageID := id.Message + b.keys.New(c.Content.Order)
	return b.o.DB.Write(ctx, func(tx *db.Tx) error {
		conversation, err := conversationOf(&tx.Query, a.ID, c)
		if err != nil || conversation == "" {
			return err
		}
		if _, known, err := findOwn(&tx.Query, s.ID, c.MessageID); err != nil || known {
			return err
		}
		revision, err := nextRevision(tx, a.ID)
		if err != nil {
			return err
		}
		return insertOwn(tx, s, c, messageID, conversation, revision)
	})
}

// conversationOf returns the ID of the account's conversation with the person of a report, or "".
func conversationOf(q *db.Query, accountID string, c *gateway.Change) (id string, err error) {
	for _, address := range []string{c.From, c.Person.ID} {
		if address == "" {
			continue
		}
		who, err := person.Find(q, accountID, address)
		if err != nil {
			return "", err
		}
		if id, err = conversationWith(q, accountID, who); err != nil || id != "" {
			return id, err
		}
	}
	return "", nil
}

// revise edits or deletes a message of the person who reported it, or one that the owner of the account's number has
// written to the person. An edit changes the text or the caption, and keeps the attachment. It never opts the person out
// or in.
func (b *Inbox) revise(ctx context.Context, a *account.Account, s *account.Sender, c *gateway.Change) error {
	now, theirs := b.o.Now(), false
	err := b.o.DB.Write(ctx, func(tx *db.Tx) error {
		find := findReceived
		if c.Own {
			find = findOwn
		}
		m, found, err := find(&tx.Query, s.ID, c.MessageID)
		if theirs = false; err != nil || !found {
			return err
		}
		if theirs, err = m.isBy(&tx.Query, a.ID, c.From, c.Person.ID); err != nil || !theirs || !m.accepts(c) {
			return err
		}
		if m.person != "" {
			if _, err := nextRevision(tx, a.ID); err != nil {
				return err
			}
		}
		changed, err := m.revise(tx, c)
		if err != nil || !changed || c.Own || !webhooks.Wanted(a, now) {
			return err
		}
		return webhooks.Insert(tx, b.o.Signal, webhooks.Revised(a.ID, m.id, m.author, string(m.kind), c, now))
	})
	if err == nil && !theirs {
		b.o.Log.Warn("a change of an unknown message was dropped", "gateway", c.Gateway, "channel", string(c.Channel), "kind", string(c.Kind))
	}
	return err
}

// A stored is a received message that its author edits, deletes, or sends again with its content, or one that the owner
// of the account's number has written on another device.
type stored struct {
	id, author, person string // person is that of the conversation; empty: in no conversation
	kind               gateway.InboundType
	content, fileName  string
	edited, deleted    sql.NullInt64
}

// isBy reports whether the person with a number or an ID is the author of the message.
func (m *stored) isBy(q *db.Query, accountID, number, personID string) (bool, error) {
	author, err := person.Find(q, accountID, m.author)
	if err != nil {
		return false, err
	}
	for _, address := range []string{number, personID} {
		if address == "" {
			continue
		}
		who, err := person.Find(q, accountID, address)
		if err != nil || who == author || who == m.person {
			return err == nil, err
		}
	}
	return false, nil
}

// accepts reports whether a change is news: the first deletion, or a later edit with another text.
func (m *stored) accepts(c *gateway.Change) bool {
	switch {
	case m.deleted.Valid:
		return false
	case c.Kind == gateway.MessageDeleted:
		return true
	case c.Content == nil || c.Content.Text == "" && m.kind == gateway.InboundText:
		return false
	}
	return !m.edited.Valid || m.edited.Int64 < db.Ms(c.At) && m.content != c.Content.Text
}
