package otp

import (
	"database/sql"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/person"
)

// A challenge is a row of otp_challenges.
type challenge struct {
	id, accountID, address, prefix, messageID string
	sandbox                                   bool
	seq                                       int64
	codeMAC, requestMAC                       string
	createdAt, expiresAt                      time.Time
}

func insertChallenge(tx *db.Tx, c *challenge) error {
	who, err := person.Find(&tx.Query, c.accountID, c.address)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO otp_challenges (id, account_id, address, prefix, message_id, sandbox, turn, code_mac, request_mac, attempts, created_at, expires_at)
 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11)`,
		c.id, c.accountID, who, c.prefix, c.messageID, db.Flag(c.sandbox), c.seq, c.codeMAC, c.requestMAC, db.Ms(c.createdAt), db.Ms(c.expiresAt))
	return err
}

// challengeOfMessage returns the challenge for the code in a message, or nil.
func challengeOfMessage(q *db.Query, messageID string) (*challenge, error) {
	c := &challenge{messageID: messageID}
	var expires int64
	found, err := q.Row(`SELECT id, sandbox, request_mac, expires_at FROM otp_challenges WHERE message_id = $1`, messageID).Scan(&c.id, &c.sandbox, &c.requestMAC, &expires)
	if err != nil || !found {
		return nil, err
	}
	c.expiresAt = db.At(expires)
	return c, nil
}

// void is the condition that the message of challenge c was never submitted, so that no one knows its code.
const void = `EXISTS (SELECT 1 FROM messages m WHERE m.id = c.message_id AND ` + outbox.NeverHandedOver + `)`

// usable is the condition that a requester can use challenge c. $1 is the account, and $2 is 1 for simulated challenges.
const usable = `c.account_id = $1 AND c.sandbox = $2 AND NOT ` + void

// latestChallenge returns the id of the latest live challenge for an address of a form, or "".
func latestChallenge(q *db.Query, who requester, form string, now time.Time) (challengeID string, err error) {
	_, err = q.Row(`SELECT c.id FROM otp_challenges c WHERE `+usable+` AND c.address IN ($3, `+person.Resolved("$1", "$3")+`) AND c.expires_at > $4
 ORDER BY c.turn DESC, c.created_at DESC LIMIT 1`, who.accountID, db.Flag(who.sandbox), form, db.Ms(now)).Scan(&challengeID)
	return challengeID, err
}

// readState reads a challenge's state if the requester can use it.
func readState(q *db.Query, who requester, challengeID string) (*challengeState, error) {
	var s challengeState
	var used sql.NullInt64
	var expires int64
	found, err := q.Row(`SELECT c.attempts, c.used_at, c.expires_at FROM otp_challenges c WHERE `+usable+` AND c.id = $3`,
		who.accountID, db.Flag(who.sandbox), challengeID).Scan(&s.attempts, &used, &expires)
	s.found, s.used, s.expires = found, used.Valid, db.At(expires)
	return &s, err
}

// countGuess counts a guess for a challenge that can still be verified, and marks the challenge as used if the guess
// is correct. The database compares HMACs, so its response time reveals nothing about the code.
func countGuess(tx *db.Tx, who requester, challengeID string, macs [2]string, now time.Time) (right, counted bool, err error) {
	var theirs string
	counted, err = tx.Row(`UPDATE otp_challenges AS c SET attempts = attempts + 1, used_at = CASE WHEN code_mac IN ($6, $7) THEN CAST($5 AS BIGINT) END
 WHERE `+usable+` AND c.id = $3 AND c.used_at IS NULL AND c.attempts < $4 AND c.expires_at > $5 RETURNING code_mac`,
		who.accountID, db.Flag(who.sandbox), challengeID, maxAttempts, db.Ms(now), macs[0], macs[1]).Scan(&theirs)
	return seal.Equal(theirs, macs[0]) || seal.Equal(theirs, macs[1]), counted, err
}
