package inbox

import (
	"griot/gateway"
	"griot/internal/db"
	"griot/messaging/message"
)

// AddToConversation lets a message that is being accepted appear in the conversation with its
// recipient, where there is one, and sets its ConversationID. It is called in the
// accepting transaction, before the message is inserted.
//
// In the inbox are the account's own WhatsApp texts: not those of
// projects, nor sensitive or simulated ones, nor media, nor what goes to groups.
func AddToConversation(tx *db.Tx, m *message.Message) error {
	m.ConversationID = "" // the transaction may run twice
	if !Eligible(m) {
		return nil
	}
	conversation, err := conversationWith(&tx.Query, m.AccountID, m.Address)
	if err != nil || conversation == "" {
		return err
	}
	revision, err := nextRevision(tx, m.AccountID)
	if err != nil {
		return err
	}
	there, err := insertSent(tx, m, conversation, revision)
	if there {
		m.ConversationID = conversation
	}
	return err
}

// CountChange counts a change of a message's status, if the message is in a
// conversation. It is called in the transaction that makes the change, after what
// that does to quotas: it is the last row that all take in the same order.
func CountChange(tx *db.Tx, m *message.Message) error {
	if m.ConversationID == "" {
		return nil
	}
	_, err := nextRevision(tx, m.AccountID)
	return err
}

// Eligible reports whether a message appears in the conversation with its recipient, where there is one.
func Eligible(m *message.Message) bool {
	return m.Channel == gateway.WhatsApp && m.ProjectID == "" && !m.Sensitive && m.Status != message.Sandbox &&
		m.Options.MediaURL == "" && m.Options.GroupID == "" && m.Content.Text != ""
}
