package account

import (
	"context"
	"database/sql"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/audit"
)

// PauseSender pauses an account's own sender or, without an account, one of the platform's. It sends nothing until
// [Directory.ResumeSender] is called. The pause applies to every node and survives restarts. found is false if the
// account has no such sender. A sender that is already paused keeps its start time.
func (d *Directory) PauseSender(ctx context.Context, accountID, senderID string) (found bool, err error) {
	return d.setPaused(ctx, accountID, senderID, audit.SenderPaused, d.now())
}

// ResumeSender resumes a paused sender. found is the same as in [Directory.PauseSender].
func (d *Directory) ResumeSender(ctx context.Context, accountID, senderID string) (found bool, err error) {
	return d.setPaused(ctx, accountID, senderID, audit.SenderResumed, time.Time{})
}

// setPaused stores the start time of a sender's pause. The zero time ends the pause.
func (d *Directory) setPaused(ctx context.Context, accountID, senderID, action string, since time.Time) (found bool, err error) {
	event := audit.New(ctx, d.now(), accountID, action, senderID)
	err = d.db.Write(ctx, func(tx *db.Tx) (err error) {
		was, address := sql.NullInt64{}, ""
		if found, err = tx.Row(`SELECT paused_at, address FROM senders WHERE id = $1 AND COALESCE(account_id, '') = $2`, senderID, accountID).Scan(&was, &address); err != nil || !found || was.Valid == !since.IsZero() {
			return err
		}
		// With the condition, two concurrent requests result in one change.
		n, err := tx.Exec(`UPDATE senders SET paused_at = $1 WHERE id = $2 AND COALESCE(account_id, '') = $3 AND COALESCE(paused_at, 0) = $4`, db.NullMs(since), senderID, accountID, was.Int64)
		if err != nil || n == 0 {
			return err
		}
		return recordChange(tx, event.With("address", address))
	})
	d.ForgetAll()
	return found && err == nil, err
}

// PausedSenders returns the IDs of all paused senders, and of the senders of suspended accounts. It is cached like accounts.
func (d *Directory) PausedSenders(ctx context.Context) (map[string]struct{}, error) {
	now := d.now()
	paused, epoch, ok := d.paused.get("", now)
	if ok {
		return paused, nil
	}
	paused = map[string]struct{}{}
	err := d.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var senderID string
		err := rows.Scan(&senderID)
		paused[senderID] = struct{}{}
		return err
	}, `SELECT id FROM senders WHERE paused_at IS NOT NULL OR account_id IN (SELECT id FROM accounts WHERE suspended_at IS NOT NULL)`)
	if err != nil {
		return nil, err
	}
	d.paused.put("", paused, epoch, now.Add(cacheLifetime))
	return paused, nil
}
