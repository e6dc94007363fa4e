package inbox

import (
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/person"
)

// A Past is a message that a person sent in the past.
type Past struct {
	r *received
}

// NewPast returns a past message that a sender received at the message's own time.
func NewPast(s *account.Sender, in gateway.Inbound) *Past {
	normalize(&in, in.At)
	key := id.New(in.At)
	return &Past{&received{id: id.Message + key, conversation: id.Conversation + key, sender: s, in: &in}}
}

// Import stores a past message from a number without an ID in the caller's transaction, like [Inbox.Receive] for current messages. No endpoint gets an event.
//
// Receive cannot replace it, because it commits on its own. The history of `griot dev` is one transaction. Therefore,
// an interrupted start leaves no part of it, which the next start would mistake for the whole.
func (p *Past) Import(tx *db.Tx) error {
	_, _, err := p.r.keep(tx, nil)
	return err
}

// ImportRead marks the conversation with a person as read in the caller's transaction, like [Inbox.MarkRead], but
// without notifying the gateway.
func ImportRead(tx *db.Tx, accountID, phone string) error {
	who, err := person.Find(&tx.Query, accountID, phone)
	if err != nil {
		return err
	}
	conversation, err := conversationWith(&tx.Query, accountID, who)
	if err != nil || conversation == "" {
		return err
	}
	revision, err := nextRevision(tx, accountID)
	if err != nil {
		return err
	}
	_, err = markRead(tx, accountID, conversation, revision)
	return err
}
