package inbox

import (
	"context"

	"griot/internal/db"
	"griot/internal/fault"
)

// MarkReadResult is the result of [Inbox.MarkRead].
type MarkReadResult struct {
	State
	Previous string // the revision before; the same when there was nothing to mark
}

// MarkRead sets a conversation's count of unread messages to 0.
//
// Errors: conversation_not_found.
func (b *Inbox) MarkRead(ctx context.Context, accountID, conversationID string) (*MarkReadResult, error) {
	var found bool
	var before, after, unread int64
	err := b.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		var mine *Conversation
		if mine, err = findConversation(&tx.Query, accountID, conversationID); err != nil {
			return err
		}
		if found = mine != nil; !found || mine.Unread == 0 {
			after, unread, err = findState(&tx.Query, accountID)
			before = after
			return err
		}
		if after, err = nextRevision(tx, accountID); err != nil {
			return err
		}
		before = after - 1
		unread, err = markRead(tx, accountID, conversationID, after)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fault.ConversationNotFound.Err()
	}
	return &MarkReadResult{State: b.state(accountID, after, unread), Previous: b.revision(accountID, before)}, nil
}
