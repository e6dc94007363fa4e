package inbox

import (
	"griot/gateway"
	"griot/internal/db"
	"griot/messaging/message"
)

// Join lets a message that is being accepted appear in the conversation with its
// recipient, where there is one, and sets its ConversationID. It is called in the
// accepting transaction, before the message is inserted.
//
// In the inbox are the account's own WhatsApp texts (document 2 §4): not those of
// projects, nor sensitive or simulated ones, nor media, nor what goes to groups.
func Join(tx *db.Tx, m *message.Message) error {
	m.ConversationID = "" // the transaction may run twice
	if !Shows(m) {
		return nil
	}
	conversation, err := conversationWith(&tx.Query, m.AccountID, m.Address)
	if err != nil || conversation == "" {
		return err
	}
	revision, err := bump(tx, m.AccountID)
	if err != nil {
		return err
	}
	there, err := insertSent(tx, m, conversation, revision)
	if there {
		m.ConversationID = conversation
	}
	return err
}

// Touch counts a change of a message's status, if the message is in a
// conversation. It is called in the transaction that makes the change, after what
// that does to quotas: it is the last row that all take in the same order.
func Touch(tx *db.Tx, m *message.Message) error {
	if m.ConversationID == "" {
		return nil
	}
	_, err := bump(tx, m.AccountID)
	return err
}

// Shows reports whether a message appears in the conversation with its recipient, where there is one.
func Shows(m *message.Message) bool {
	return m.Channel == gateway.WhatsApp && m.ProjectID == "" && !m.Sensitive && m.Status != message.Sandbox &&
		m.Options.MediaURL == "" && m.Options.GroupID == "" && m.Content.Text != ""
}
