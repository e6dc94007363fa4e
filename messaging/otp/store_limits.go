package otp

import (
	"time"

	"griot/internal/db"
)

// claim notes that a request under a key is under way. It reports false when another one is.
func claim(tx *db.Tx, accountID, key string, now time.Time) (bool, error) {
	n, err := tx.Exec(`INSERT INTO otp_claims (account_id, key, at) VALUES ($1, $2, $3)
 ON CONFLICT (account_id, key) DO UPDATE SET at = $3 WHERE otp_claims.at <= $4`, accountID, key, db.Ms(now), db.Ms(now.Add(-claimTime)))
	return n == 1, err
}

// release undoes claim.
func release(tx *db.Tx, accountID, key string) error {
	_, err := tx.Exec(`DELETE FROM otp_claims WHERE account_id = $1 AND key = $2`, accountID, key)
	return err
}

// addRequest shifts the last requests of an account for a number by one, unless the
// oldest of three is within the period: one statement, so that a stampede takes
// exactly what there is.
func addRequest(tx *db.Tx, accountID, address string, now time.Time) (turn int64, ok bool, err error) {
	ok, err = tx.Row(`INSERT INTO otp_rates (account_id, address, turn, at1, at2, at3) VALUES ($1, $2, 1, $3, 0, 0)
 ON CONFLICT (account_id, address) DO UPDATE SET turn = otp_rates.turn + 1, at1 = $3, at2 = otp_rates.at1, at3 = otp_rates.at2
 WHERE otp_rates.at3 <= $4 RETURNING turn`, accountID, address, db.Ms(now), db.Ms(now.Add(-ratePeriod))).Scan(&turn)
	return turn, ok, err
}

// oldestRequest returns when the oldest of the last three was.
func oldestRequest(q *db.Query, accountID, address string) (time.Time, error) {
	var at int64
	_, err := q.Row(`SELECT at3 FROM otp_rates WHERE account_id = $1 AND address = $2`, accountID, address).Scan(&at)
	return db.At(at), err
}

// lastTurn returns how many requests for a number there have been.
func lastTurn(q *db.Query, accountID, address string) (turn int64, err error) {
	_, err = q.Row(`SELECT turn FROM otp_rates WHERE account_id = $1 AND address = $2`, accountID, address).Scan(&turn)
	return turn, err
}

// addToCap counts one code to an area in an hour; false, and not counted, when there were most.
func addToCap(tx *db.Tx, area string, hour, most int64) (ok bool, err error) {
	if most <= 0 {
		return false, nil
	}
	var sent int64
	return tx.Row(`INSERT INTO otp_caps (area, hour, sent) VALUES ($1, $2, 1)
 ON CONFLICT (area, hour) DO UPDATE SET sent = otp_caps.sent + 1 WHERE otp_caps.sent < $3 RETURNING sent`, area, hour, most).Scan(&sent)
}

func giveBackToCap(tx *db.Tx, area string, hour int64) error {
	_, err := tx.Exec(`UPDATE otp_caps SET sent = sent - 1 WHERE area = $1 AND hour = $2 AND sent > 0`, area, hour)
	return err
}

// block opens the breaker of an account's prefix, unless it is open.
func block(tx *db.Tx, accountID, prefix string, now, until time.Time) error {
	_, err := tx.Exec(`INSERT INTO otp_blocks (account_id, prefix, since, until) VALUES ($1, $2, $3, $4)
 ON CONFLICT (account_id, prefix) DO UPDATE SET since = $3, until = $4 WHERE otp_blocks.until <= $3`, accountID, prefix, db.Ms(now), db.Ms(until))
	return err
}

// blockOf returns since when, and until when, an account's prefix is blocked or was; zero times for never.
func blockOf(q *db.Query, accountID, prefix string) (since, until time.Time, err error) {
	var from, to int64
	found, err := q.Row(`SELECT since, until FROM otp_blocks WHERE account_id = $1 AND prefix = $2`, accountID, prefix).Scan(&from, &to)
	if err != nil || !found {
		return time.Time{}, time.Time{}, err
	}
	return db.At(from), db.At(to), nil
}

// outcomes counts the latest codes to an account's prefix, at most n, that were
// verified or can no longer be, and those that were. Codes that were never handed over don't count.
func outcomes(q *db.Query, accountID, prefix string, since, now time.Time, n int) (known, verified int, err error) {
	_, err = q.Row(`SELECT count(*), count(used_at) FROM (
 SELECT c.used_at FROM otp_challenges c WHERE c.account_id = $1 AND c.prefix = $2 AND c.created_at > $3 AND c.sandbox = 0
 AND (c.used_at IS NOT NULL OR c.expires_at <= $4 OR c.attempts >= $5) AND NOT `+void+` ORDER BY c.created_at DESC LIMIT $6) x`,
		accountID, prefix, db.Ms(since), db.Ms(now), maxAttempts, n).Scan(&known, &verified)
	return known, verified, err
}
