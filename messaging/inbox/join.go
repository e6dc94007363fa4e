package inbox

import (
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/message"
)

// AddToConversation adds a message that is being accepted to the conversation with its recipient, as returned by
// [person.Find], if there is one, and sets the message's ConversationID. It must be called in the accepting
// transaction, before the message is inserted.
//
// The inbox shows the account's own WhatsApp texts, except for those of projects, sensitive or simulated ones, media,
// and messages to groups.
func AddToConversation(tx *db.Tx, m *message.Message, recipient string) error {
	m.ConversationID = "" // the transaction might run twice
	if !Eligible(m) {
		return nil
	}
	conversation, err := conversationWith(&tx.Query, m.AccountID, recipient)
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

// CountChange counts a change of a message's status, if the message is in a conversation. It must be called in the
// transaction of the change, after the changes of quotas, because all transactions lock rows in this order.
func CountChange(tx *db.Tx, m *message.Message) error {
	if m.ConversationID == "" {
		return nil
	}
	_, err := nextRevision(tx, m.AccountID)
	return err
}

// Eligible reports whether a message can be shown in a conversation.
func Eligible(m *message.Message) bool {
	return m.Channel == gateway.WhatsApp && m.ProjectID == "" && !m.Sensitive && m.Status != message.Sandbox &&
		m.Options.MediaURL == "" && m.Options.GroupID == "" && m.Content.Text != ""
}
