package inbox

import (
	"context"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
)

// A MarkResult is the result of [Inbox.MarkRead] and [Inbox.MarkUnread].
type MarkResult struct {
	State
	Previous     string // the previous revision; the same if there was nothing to mark
	Conversation int64  // the conversation's number of unread messages
}

// MarkRead sets a conversation's count of unread messages to 0. [Inbox.RunReads] notifies the gateways later.
//
// Errors: conversation_not_found.
func (b *Inbox) MarkRead(ctx context.Context, by *account.Caller, conversationID string) (*MarkResult, error) {
	marked, accountID := false, by.Account.ID
	out, err := b.mark(ctx, by, conversationID, func(c *Conversation) bool { return c.Unread == 0 }, func(tx *db.Tx, revision int64) (unread, mine int64, err error) {
		marked = true
		if b.o.Gateway != nil {
			if err := insertReads(tx, accountID, conversationID, revision, db.Ms(b.o.Now())); err != nil {
				return 0, 0, err
			}
		}
		unread, err = markRead(tx, accountID, conversationID, revision)
		return unread, 0, err
	})
	if err == nil && marked {
		select {
		case b.readsDue <- struct{}{}:
		default:
		}
	}
	return out, err
}

// MarkUnread marks the latest message from the contact as unread, unless one is already unread.
//
// Errors: conversation_not_found.
func (b *Inbox) MarkUnread(ctx context.Context, by *account.Caller, conversationID string) (*MarkResult, error) {
	accountID := by.Account.ID
	return b.mark(ctx, by, conversationID, func(c *Conversation) bool { return c.Unread > 0 }, func(tx *db.Tx, _ int64) (unread, mine int64, err error) {
		return markUnread(tx, accountID, conversationID)
	})
}

// mark changes a conversation with the account's inbox locked. It changes nothing if done reports that the
// conversation already has the requested state.
func (b *Inbox) mark(ctx context.Context, by *account.Caller, conversationID string, done func(*Conversation) bool, change func(tx *db.Tx, revision int64) (unread, mine int64, err error)) (*MarkResult, error) {
	if err := b.check(by, account.MayReadInbox); err != nil {
		return nil, err
	}
	accountID, found := by.Account.ID, false
	var before, after, unread, mine int64
	err := b.o.DB.Write(ctx, func(tx *db.Tx) error {
		c, err := findConversation(&tx.Query, accountID, conversationID)
		if err != nil {
			return err
		}
		if found = c != nil; !found || done(c) {
			after, unread, err = findState(&tx.Query, accountID)
			if before = after; found {
				mine = c.Unread
			}
			return err
		}
		if after, err = nextRevision(tx, accountID); err != nil {
			return err
		}
		before = after - 1
		unread, mine, err = change(tx, after)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, apierror.ConversationNotFound.Err()
	}
	return &MarkResult{State: b.state(accountID, after, unread), Previous: b.revision(accountID, before), Conversation: mine}, nil
}
