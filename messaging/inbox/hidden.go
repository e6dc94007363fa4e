package inbox

import (
	"context"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/account"
)

const (
	hiddenEvery = 10 * time.Minute
	hiddenBatch = 50  // conversations per query
	hiddenPurge = 500 // messages deleted per transaction
)

// HiddenTime is the time after which a hidden inbox is emptied. An inbox is hidden if the account's plan does not include it.
const HiddenTime = 30 * 24 * time.Hour // M138

// PurgeHidden records which inboxes have become hidden and which are no longer hidden, and empties those that have
// been hidden for [HiddenTime]. Messages that arrive in a hidden inbox after that are kept for another HiddenTime.
func (b *Inbox) PurgeHidden(ctx context.Context) error {
	now := b.o.Now()
	accounts, err := b.o.Directory.Accounts(ctx)
	if err != nil {
		return err
	}
	since, err := selectHidden(b.o.DB.Read(ctx))
	if err != nil {
		return err
	}
	for _, a := range accounts {
		at, exists := since[a.ID]
		switch {
		case !exists:
		case a.Plan.Inbox && at != 0:
			err = b.setHidden(ctx, a.ID, at, 0)
		case !a.Plan.Inbox && at == 0:
			err = b.setHidden(ctx, a.ID, 0, db.Ms(now))
		case !a.Plan.Inbox && at <= db.Ms(now.Add(-HiddenTime)):
			err = b.emptyHidden(ctx, a.ID, at, now)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// EmptiedAt returns the time at which the account's hidden inbox is emptied. The zero time means that it is not
// hidden, or not recorded as hidden yet.
func (b *Inbox) EmptiedAt(ctx context.Context, c *account.Caller) (time.Time, error) {
	if err := account.MayReadInbox.Check(c, b.o.Now()); err != nil {
		return time.Time{}, err
	}
	since, err := findHidden(b.o.DB.Read(ctx), c.Account.ID)
	if err != nil || since == 0 {
		return time.Time{}, err
	}
	return db.At(since).Add(HiddenTime), nil
}

func (b *Inbox) setHidden(ctx context.Context, accountID string, from, to int64) error {
	return b.o.DB.Write(ctx, func(tx *db.Tx) error { return updateHidden(tx, accountID, from, to) })
}

// emptyHidden deletes the existing conversations, in several transactions, while the inbox stays hidden.
func (b *Inbox) emptyHidden(ctx context.Context, accountID string, since int64, now time.Time) error {
	for {
		ids, err := selectConversationIDs(b.o.DB.Read(ctx), accountID, id.Conversation+id.First(now), hiddenBatch)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return b.setHidden(ctx, accountID, since, db.Ms(now))
		}
		for _, conversation := range ids {
			if visible, err := b.visible(ctx, accountID); err != nil || visible {
				return err
			}
			for more := true; more; {
				if err := b.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
					more, err = purgeConversation(tx, accountID, since, conversation)
					return err
				}); err != nil {
					return err
				}
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(purgePause):
		}
	}
}

// visible reports whether the account's plan now includes the inbox.
func (b *Inbox) visible(ctx context.Context, accountID string) (bool, error) {
	b.o.Directory.Forget(accountID)
	a, err := b.o.Directory.Account(ctx, accountID)
	return a != nil && a.Plan.Inbox, err
}
