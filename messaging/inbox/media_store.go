package inbox

import (
	"database/sql"
	"strconv"

	"example.com/griot/internal/db"
)

// chunkName returns the associated data for encrypting a chunk, so that a chunk cannot be decrypted in another's place.
func chunkName(mediaID string, n int) string { return mediaID + "/" + strconv.Itoa(n) }

func insertMedia(tx *db.Tx, a *attachment, now int64) error {
	_, err := tx.Exec(`INSERT INTO inbox_media (id, message_id, account_id, gateway, state, reason, source, event, tries, claim, due_at, size, mime_type, shown)
 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, '', $9, $10, $11, $12)`,
		a.id, a.messageID, a.accountID, a.gateway, a.state, a.reason, a.source, a.event, now, a.size, a.kind, db.Flag(a.shown))
	return err
}

func insertChunk(tx *db.Tx, mediaID string, n int, sealed string) error {
	_, err := tx.Exec(`INSERT INTO inbox_media_chunks (media_id, n, sealed) VALUES ($1, $2, $3)`, mediaID, n, sealed)
	return err
}

func deleteChunks(tx *db.Tx, mediaID string) error {
	_, err := tx.Exec(`DELETE FROM inbox_media_chunks WHERE media_id = $1`, mediaID)
	return err
}

// lockState counts a visible change of an account with an inbox, which also locks it.
func lockState(tx *db.Tx, accountID string) error {
	_, err := tx.Exec(`UPDATE inbox_states SET revision = revision + 1 WHERE account_id = $1`, accountID)
	return err
}

// mediaSize returns the number of bytes that an account has stored.
func mediaSize(q *db.Query, accountID string) (n int64, err error) {
	_, err = q.Row(`SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM inbox_media WHERE account_id = $1`, accountID).Scan(&n)
	return n, err
}

const isDue = ` state = 'pending' AND message_id IS NOT NULL AND due_at <= `

// dueGateways lists the gateways with attachments that are due.
func dueGateways(q *db.Query, now int64) (names []string, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		names = append(names, name)
		return err
	}, `SELECT DISTINCT gateway FROM inbox_media WHERE`+isDue+`$1`, now)
	return names, err
}

// dueMedia lists the next due attachments of a gateway.
func dueMedia(q *db.Query, gatewayName string, now int64) (ids []string, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM inbox_media WHERE gateway = $1 AND`+isDue+`$2 ORDER BY due_at LIMIT 8`, gatewayName, now)
	return ids, err
}

// A fetched is an attachment that this process has claimed.
type fetched struct {
	id, claim, accountID, gateway, source, event, fileName, declared string
	tries, announced                                                 int64
	at                                                               int64 // of the message
}

// claimMedia assigns an attachment to a claim until a time. It returns false if another claim was faster. It deletes
// data that an earlier try has stored.
func claimMedia(tx *db.Tx, mediaID, claim string, now, until int64) (f fetched, ok bool, err error) {
	f = fetched{id: mediaID, claim: claim}
	ok, err = tx.Row(`UPDATE inbox_media SET claim = $1, tries = tries + 1, due_at = $2 WHERE id = $3 AND`+isDue+`$4 RETURNING account_id, gateway, source, event, tries, announced`,
		claim, until, mediaID, now).Scan(&f.accountID, &f.gateway, &f.source, &f.event, &f.tries, &f.announced)
	if err != nil || !ok {
		return f, false, err
	}
	if _, err := tx.Row(`SELECT COALESCE(i.file_name, ''), COALESCE(i.mime_type, ''), i.at FROM inbox_messages i JOIN inbox_media a ON a.message_id = i.id WHERE a.id = $1`, mediaID).
		Scan(&f.fileName, &f.declared, &f.at); err != nil {
		return f, false, err
	}
	return f, true, deleteChunks(tx, mediaID)
}

const ofClaim = ` WHERE id = $1 AND claim = $2 AND state = 'pending' AND message_id IS NOT NULL`

// renewClaim locks a claimed attachment, and sets the end of the claim, or the time at which the attachment is due
// again. It returns false if the claim is lost.
func renewClaim(tx *db.Tx, f *fetched, until int64) (bool, error) {
	n, err := tx.Exec(`UPDATE inbox_media SET due_at = $3`+ofClaim, f.id, f.claim, until)
	return n == 1, err
}

// releaseMedia releases a claimed attachment. counts is false for an interrupted try.
func releaseMedia(tx *db.Tx, f *fetched, due int64, counts bool) error {
	_, err := tx.Exec(`UPDATE inbox_media SET due_at = $3, tries = tries - $4, claim = ''`+ofClaim, f.id, f.claim, due, 1-db.Flag(counts))
	return err
}

// postponeMedia releases a claimed attachment without counting the try. It returns false if the claim is lost. announced means that
// the event of its message is sent in the same transaction.
func postponeMedia(tx *db.Tx, f *fetched, due int64, announced bool) (bool, error) {
	n, err := tx.Exec(`UPDATE inbox_media SET due_at = $3, tries = tries - 1, claim = '', announced = $4`+ofClaim, f.id, f.claim, due, max(f.announced, db.Flag(announced)))
	return n == 1, err
}

// releaseAll makes all claimed attachments due.
func releaseAll(tx *db.Tx, now int64) error {
	_, err := tx.Exec(`UPDATE inbox_media SET due_at = $1, claim = '' WHERE state = 'pending' AND claim <> ''`, now)
	return err
}

// settleMedia stores the result for a claimed attachment. It returns false if the claim is lost.
func settleMedia(tx *db.Tx, f *fetched, o *outcome) (bool, error) {
	n, err := tx.Exec(`UPDATE inbox_media SET state = $3, reason = $4, size = $5, mime_type = $6, shown = $7, source = '', event = '', claim = ''`+ofClaim,
		f.id, f.claim, o.state(), o.reason, o.size, o.kind, db.Flag(o.shown))
	return n == 1, err
}

// The columns by which [findMedia] finds an attachment.
const (
	byMedia   = "a.id"
	byMessage = "a.message_id"
)

// findMedia returns a stored attachment of an account, or nil.
func findMedia(q *db.Query, accountID, column, value string) (*Media, error) {
	var m Media
	var shown int64
	found, err := q.Row(`SELECT a.id, a.size, a.mime_type, a.shown, COALESCE(i.file_name, ''), i.at FROM inbox_media a JOIN inbox_messages i ON i.id = a.message_id
 WHERE `+column+` = $1 AND a.account_id = $2 AND a.state = 'stored'`, value, accountID).Scan(&m.id, &m.Size, &m.MIMEType, &shown, &m.FileName, &m.at)
	if err != nil || !found {
		return nil, err
	}
	m.Shown = shown == 1
	return &m, nil
}

func findChunk(q *db.Query, mediaID string, n int) (sealed string, err error) {
	_, err = q.Row(`SELECT sealed FROM inbox_media_chunks WHERE media_id = $1 AND n = $2`, mediaID, n).Scan(&sealed)
	return sealed, err
}

// deletedMedia lists attachments of deleted messages, with their sizes.
func deletedMedia(q *db.Query) (ids []string, sizes []int64, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		var id string
		var size int64
		err := rows.Scan(&id, &size)
		ids, sizes = append(ids, id), append(sizes, size)
		return err
	}, `SELECT id, size FROM inbox_media WHERE message_id IS NULL ORDER BY id LIMIT 64`)
	return ids, sizes, err
}

// deleteMedia deletes an attachment whose message is deleted. It locks the attachment first, because another process
// might be storing a chunk.
func deleteMedia(tx *db.Tx, mediaID string) error {
	n, err := tx.Exec(`UPDATE inbox_media SET claim = '' WHERE id = $1 AND message_id IS NULL`, mediaID)
	if err != nil || n == 0 {
		return err
	}
	if err := deleteChunks(tx, mediaID); err != nil {
		return err
	}
	_, err = tx.Exec(`DELETE FROM inbox_media WHERE id = $1`, mediaID)
	return err
}
