package inbox

import (
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/person"
)

// Past is a message that a person sent in the past.
type Past struct {
	r *received
}

// NewPast makes a message of the past, which came to a sender at its own time.
func NewPast(s *account.Sender, in gateway.Inbound) *Past {
	normalize(&in, in.At)
	key := id.New(in.At)
	return &Past{&received{id: id.Message + key, conversation: id.Conversation + key, sender: s, in: &in}}
}

// Import stores a message of the past in the caller's transaction, as [Inbox.Receive] stores those of now. No endpoint gets
// an event.
//
// Receive can't replace it, because it commits on its own. The history of `griot dev` is one transaction: a start that is
// interrupted leaves no part of it, which the next start would take for the whole.
func (p *Past) Import(tx *db.Tx) error {
	_, _, err := p.r.keep(tx, "")
	return err
}

// ImportRead marks the conversation with a person as read in the caller's transaction, as [Inbox.MarkRead] does,
// but the gateway isn't told that they were read.
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
