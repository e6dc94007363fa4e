package inbox

import (
	"context"
	"slices"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/person"
)

// quoted returns our ID of the message that an inbound message replies to: one that the account has sent to this
// person through this gateway, or one of the person's own. It returns "" if the message is not a reply, or replies to
// another message.
func quoted(q *db.Query, s *account.Sender, in *gateway.Inbound) (messageID string, err error) {
	ref := in.ReplyTo.Ref
	if ref == "" && in.ReplyTo.ProviderID == "" {
		return "", nil
	}
	if ref == "" {
		if ref, err = message.ProviderRef(q, in.Gateway, in.ReplyTo.ProviderID); err != nil {
			return "", err
		}
	}
	if id, _, ok := message.ParseRef(ref); ok {
		m, err := message.Get(q, id)
		if err != nil || m == nil || m.AccountID != s.AccountID || !m.UsesGateway(in.Gateway) || (!isFrom(in, m.Address) && !isFrom(in, m.Recipient())) {
			return "", err
		}
		return m.ID, nil
	}
	if in.ReplyTo.ProviderID == "" {
		return "", nil
	}
	return earlierMessage(q, s, in)
}

// isFrom reports whether an address is the number or an ID of the person who wrote a message.
func isFrom(in *gateway.Inbound, address string) bool {
	return address != "" && (address == in.From || address == in.Person.ID || address == in.Person.ParentID)
}

// earlierMessage returns the ID of the earlier message that a person's message replies to, if the same person sent it
// to the same sender, or the owner of that number wrote it to this person on another device. Otherwise, it returns "".
func earlierMessage(q *db.Query, s *account.Sender, in *gateway.Inbound) (id string, err error) {
	var from, direction, to string
	found, err := q.Row(`SELECT i.id, i.from_address, i.direction, COALESCE(c.person, '') FROM inbox_messages i LEFT JOIN conversations c ON c.id = i.conversation_id
 WHERE i.sender_id = $1 AND i.provider_id = $2`, s.ID, in.ReplyTo.ProviderID).Scan(&id, &from, &direction, &to)
	if err != nil || !found {
		return "", err
	}
	if direction == "out" {
		if from, err = person.Find(q, s.AccountID, in.Address()); err != nil || from != to {
			return "", err
		}
		return id, nil
	}
	if !isFrom(in, from) {
		return "", nil
	}
	return id, nil
}

// Quote returns the message that a message of the account replies to, as known by the gateway of its route. It is
// empty if the message is not a reply, the gateway does not know the quoted message, or that message is deleted.
func Quote(q *db.Query, m *message.Message) (gateway.Quote, error) {
	if m.Options.ReplyTo == "" {
		return gateway.Quote{}, nil
	}
	to, found, err := findQuoted(q, m)
	if err != nil || !found {
		return gateway.Quote{}, err
	}
	if !to.out {
		return gateway.Quote{Quoted: gateway.Quoted{ProviderID: to.providerID}, Text: to.text}, nil
	}
	sent, err := message.Get(q, m.Options.ReplyTo)
	if err != nil || sent == nil || sent.Gateway != m.Gateway || sent.SenderID != m.SenderID {
		return gateway.Quote{}, err
	}
	return gateway.Quote{Quoted: gateway.Quoted{Ref: sent.Ref(), ProviderID: sent.ProviderID}, Text: to.text}, nil
}

// Answered returns the messages of a conversation of the account that those of a list reply to, by their IDs. It omits
// messages that the conversation does not show, such as templates.
func (b *Inbox) Answered(ctx context.Context, c *account.Caller, conversationID string, list []Message) (map[string]Message, error) {
	if err := b.check(c, account.MayReadInbox); err != nil {
		return nil, err
	}
	out := map[string]Message{}
	for i := range list {
		id := list[i].ReplyTo
		if _, ok := out[id]; ok || id == "" {
			continue
		}
		if at := slices.IndexFunc(list, func(m Message) bool { return m.ID == id }); at >= 0 {
			out[id] = list[at]
			continue
		}
		m, found, err := findMessage(b.o.DB.Read(ctx), c.Account.ID, conversationID, id)
		if err != nil {
			return nil, err
		}
		if found {
			out[id] = m
		}
	}
	return out, nil
}
