package outbox

import (
	"example.com/griot/internal/db"
	"example.com/griot/messaging/message"
)

// deleteKey deletes an idempotency key that the same transaction has inserted for a message.
const deleteKey = `DELETE FROM idempotency_keys WHERE account_id = $1 AND key = $2 AND message_id = $3`

// readKeys inserts the idempotency keys of a batch. After [acceptBatch.settleKeys], it is known which of them were already in use.
//
// Keys of deleted messages are looked up after the insertion, which waits for a sweep that is moving the key. Before
// it, the sweep's row would not be visible yet.
func (b *acceptBatch) readKeys(keyed []*Acceptance) error {
	if len(keyed) == 0 {
		return nil
	}
	if err := b.rows.insertKeys(b, keyed); err != nil {
		return err
	}
	return b.rows.sweptKeys(b, keyed)
}

// settleKeys deletes the keys that were inserted although deleted messages have used them, and records the messages
// for the keys that the batch has.
func (b *acceptBatch) settleKeys(keyed []*Acceptance) error {
	for _, a := range keyed {
		free := b.keyFree[a.Message.ID]
		if free && b.swept[a.Message.ID] {
			delete(b.keyFree, a.Message.ID)
			if _, err := b.tx.Exec(deleteKey, a.Message.AccountID, a.Key, a.Message.ID); err != nil {
				return err
			}
			continue
		}
		if free {
			b.keyHolders[a.accountKey()] = a
		}
	}
	return nil
}

// deleteKeys deletes the keys of the refused messages.
func (b *acceptBatch) deleteKeys() error {
	for _, a := range b.items { // one by one, because refusals are rare
		if a.Key == "" || a.Refusal == Stored || !b.keyFree[a.Message.ID] {
			continue
		}
		if _, err := b.tx.Exec(deleteKey, a.Message.AccountID, a.Key, a.Message.ID); err != nil {
			return err
		}
	}
	return nil
}

// resolveTakenKey sets the refusal of an acceptance whose idempotency key is already stored.
func (a *Acceptance) resolveTakenKey(tx *db.Tx, swept *message.SweptKeys) error {
	a.Refusal = KeyTaken
	holder, err := message.FindKeyHolder(&tx.Query, swept, a.Message.AccountID, a.Key)
	if err == nil && holder != nil && !holder.Replays(a.Message.ProjectID, a.Message.Status == message.Sandbox) {
		a.Refusal = KeyUsedByOther
	}
	return err
}

// keptFingerprint is the number of characters that remain of a fingerprint. [message.SameRequest] can compare a
// beginning. With the mark of a later master key, they contain 60 bits of it.
const keptFingerprint = 24

// keepKey replaces a message's idempotency key with its hash.
func keepKey(tx *db.Tx, swept *message.SweptKeys, m *message.Message) error {
	key := m.Options.Key
	if key == "" {
		return nil
	}
	err := tx.Queue(nil, `INSERT INTO swept_keys (account_id, key_hash, message_id, fingerprint, status, channel, project_id, simulated)
 SELECT account_id, $1, message_id, substr(fingerprint, 1, $2), $3, $4, $5, $6 FROM idempotency_keys WHERE account_id = $7 AND key = $8 AND message_id = $9 ON CONFLICT DO NOTHING`,
		swept.Hash(m.AccountID, key), keptFingerprint, string(m.Status), string(m.Channel), db.Null(m.ProjectID), db.Flag(m.Status == message.Sandbox), m.AccountID, key, m.ID)
	if err != nil {
		return err
	}
	return tx.Queue(nil, deleteKey, m.AccountID, key, m.ID)
}
