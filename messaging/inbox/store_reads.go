package inbox

import (
	"database/sql"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
)

// insertReads records which messages of a conversation are being marked as read, before they are marked. It adds to
// the messages that still have to be reported.
func insertReads(tx *db.Tx, accountID, conversation string, revision, now int64) error {
	_, err := tx.Exec(`INSERT INTO inbox_reads (conversation_id, sender_id, account_id, from_revision, to_revision, at, tries, claim, due_at)
 SELECT id, sender_id, account_id, read_to, CAST($3 AS BIGINT), CAST($4 AS BIGINT), 0, '', CAST($4 AS BIGINT) FROM conversations WHERE id = $1 AND account_id = $2
 ON CONFLICT (conversation_id) DO UPDATE SET sender_id = excluded.sender_id, to_revision = excluded.to_revision, at = excluded.at, tries = 0, claim = '', due_at = excluded.due_at`,
		conversation, accountID, revision, now)
	return err
}

// dueReaders lists the senders whose gateways must be notified.
func dueReaders(q *db.Query, now int64) (senders []string, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		senders = append(senders, id)
		return err
	}, `SELECT DISTINCT sender_id FROM inbox_reads WHERE due_at <= $1 LIMIT CAST($2 AS BIGINT)`, now, readsSenders)
	return senders, err
}

// claimReads assigns the next messages for a sender's gateway to a claim, until a time. It returns false if nothing is due.
func claimReads(tx *db.Tx, r *reads, now, until int64) (bool, error) {
	return tx.Row(`UPDATE inbox_reads SET claim = $1, tries = tries + 1, due_at = $2 WHERE sender_id = $3 AND due_at <= $4
 AND conversation_id = (SELECT conversation_id FROM inbox_reads WHERE sender_id = $3 AND due_at <= $4 ORDER BY due_at, conversation_id LIMIT 1)
 RETURNING conversation_id, account_id, from_revision, to_revision, at, tries, (SELECT phone FROM conversations c WHERE c.id = inbox_reads.conversation_id),
 (SELECT COALESCE(contact_id, '') FROM conversations c WHERE c.id = inbox_reads.conversation_id)`, r.claim, until, r.senderID, now).
		Scan(&r.conversation, &r.accountID, &r.from, &r.to, &r.at, &r.tries, &r.phone, &r.contactID)
}

const ofReads = ` WHERE conversation_id = $1 AND claim = $2`

// releaseReads releases a claim. counts is false for an interrupted try.
func releaseReads(tx *db.Tx, r *reads, due int64, counts bool) error {
	_, err := tx.Exec(`UPDATE inbox_reads SET due_at = $3, tries = tries - $4, claim = ''`+ofReads, r.conversation, r.claim, due, 1-db.Flag(counts))
	return err
}

// deleteReads deletes reported messages, unless more were marked in the meantime.
func deleteReads(tx *db.Tx, r *reads) error {
	_, err := tx.Exec(`DELETE FROM inbox_reads`+ofReads, r.conversation, r.claim)
	return err
}

// readIDs lists the gateways' IDs of the read messages, by the sender that received them: the newest that can be
// reported in one call, oldest first.
func readIDs(q *db.Query, r *reads) (bySender map[string][]string, err error) {
	bySender = map[string][]string{}
	err = q.Each(func(rows *sql.Rows) error {
		var sender, id string
		err := rows.Scan(&sender, &id)
		bySender[sender] = append([]string{id}, bySender[sender]...)
		return err
	}, `SELECT sender_id, provider_id FROM inbox_messages WHERE conversation_id = $1 AND direction = 'in' AND provider_id IS NOT NULL AND revision > $2 AND revision <= $3
 ORDER BY at DESC, id DESC LIMIT CAST($4 AS BIGINT)`, r.conversation, r.from, r.to, gateway.MaxRead)
	return bySender, err
}
