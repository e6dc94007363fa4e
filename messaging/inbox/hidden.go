package inbox

import (
	"context"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
)

const (
	hiddenEvery = 10 * time.Minute
	hiddenBatch = 50  // conversations that are listed at once
	hiddenPurge = 500 // messages that one transaction takes away
)

// HiddenTime is how long an inbox is hidden, because the account's plan does not have it, until it is emptied.
const HiddenTime = 30 * 24 * time.Hour // M138

// PurgeHidden writes down which inboxes are hidden from now on, and which no longer, and empties those that have been
// hidden for [HiddenTime]. What comes into a hidden inbox after that has another such time.
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

// EmptiedAt returns when an account's hidden inbox is emptied; zero: it is not hidden, or has not been noticed yet.
func (b *Inbox) EmptiedAt(ctx context.Context, accountID string) (time.Time, error) {
	since, err := findHidden(b.o.DB.Read(ctx), accountID)
	if err != nil || since == 0 {
		return time.Time{}, err
	}
	return db.At(since).Add(HiddenTime), nil
}

func (b *Inbox) setHidden(ctx context.Context, accountID string, from, to int64) error {
	return b.o.DB.Write(ctx, func(tx *db.Tx) error { return updateHidden(tx, accountID, from, to) })
}

// emptyHidden deletes the conversations that there are, in several transactions, while the inbox stays hidden.
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

// visible reports whether the account's plan has the inbox by now.
func (b *Inbox) visible(ctx context.Context, accountID string) (bool, error) {
	b.o.Directory.Forget(accountID)
	a, err := b.o.Directory.Account(ctx, accountID)
	return a != nil && a.Plan.Inbox, err
}
