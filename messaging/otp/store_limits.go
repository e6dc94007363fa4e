package otp

import (
	"time"

	"example.com/griot/internal/db"
)

// insertClaim claims an idempotency key for a request. It returns false if another request holds it.
func insertClaim(tx *db.Tx, accountID, key string, now time.Time) (bool, error) {
	n, err := tx.Exec(`INSERT INTO otp_claims (account_id, key, at) VALUES ($1, $2, $3)
 ON CONFLICT (account_id, key) DO UPDATE SET at = $3 WHERE otp_claims.at <= $4`, accountID, key, db.Ms(now), db.Ms(now.Add(-claimLifetime)))
	return n == 1, err
}

// deleteClaim deletes the claim of insertClaim.
func deleteClaim(tx *db.Tx, accountID, key string) error {
	_, err := tx.Exec(`DELETE FROM otp_claims WHERE account_id = $1 AND key = $2`, accountID, key)
	return err
}

// addRequest adds a request to the last three of an account for a number, unless the oldest of them is within the
// period. It is a single statement, so that concurrent requests are all counted.
func addRequest(tx *db.Tx, accountID, address string, now time.Time) (seq int64, ok bool, err error) {
	ok, err = tx.Row(`INSERT INTO otp_rates (account_id, address, turn, at1, at2, at3) VALUES ($1, $2, 1, $3, 0, 0)
 ON CONFLICT (account_id, address) DO UPDATE SET turn = otp_rates.turn + 1, at1 = $3, at2 = otp_rates.at1, at3 = otp_rates.at2
 WHERE otp_rates.at3 <= $4 RETURNING turn`, accountID, address, db.Ms(now), db.Ms(now.Add(-ratePeriod))).Scan(&seq)
	return seq, ok, err
}

// oldestRequest returns the time of the oldest of the last three requests.
func oldestRequest(q *db.Query, accountID, address string) (time.Time, error) {
	var at int64
	_, err := q.Row(`SELECT at3 FROM otp_rates WHERE account_id = $1 AND address = $2`, accountID, address).Scan(&at)
	return db.At(at), err
}

// lastSeq returns the number of requests for a number.
func lastSeq(q *db.Query, accountID, address string) (seq int64, err error) {
	_, err = q.Row(`SELECT turn FROM otp_rates WHERE account_id = $1 AND address = $2`, accountID, address).Scan(&seq)
	return seq, err
}

// addToCap counts one code to an area in an hour. It returns false, without counting the code, if the maximum is reached.
func addToCap(tx *db.Tx, area string, hour, most int64) (ok bool, err error) {
	if most <= 0 {
		return false, nil
	}
	var sent int64
	return tx.Row(`INSERT INTO otp_caps (area, hour, sent) VALUES ($1, $2, 1)
 ON CONFLICT (area, hour) DO UPDATE SET sent = otp_caps.sent + 1 WHERE otp_caps.sent < $3 RETURNING sent`, area, hour, most).Scan(&sent)
}

func subtractFromCap(tx *db.Tx, area string, hour int64) error {
	_, err := tx.Exec(`UPDATE otp_caps SET sent = sent - 1 WHERE area = $1 AND hour = $2 AND sent > 0`, area, hour)
	return err
}

// insertBlock blocks an account's prefix, unless it is blocked.
func insertBlock(tx *db.Tx, accountID, prefix string, now, until time.Time) error {
	_, err := tx.Exec(`INSERT INTO otp_blocks (account_id, prefix, since, until) VALUES ($1, $2, $3, $4)
 ON CONFLICT (account_id, prefix) DO UPDATE SET since = $3, until = $4 WHERE otp_blocks.until <= $3`, accountID, prefix, db.Ms(now), db.Ms(until))
	return err
}

// selectBlock returns the start and the end of the last block of an account's prefix, or zero times if there was none.
func selectBlock(q *db.Query, accountID, prefix string) (since, until time.Time, err error) {
	var from, to int64
	found, err := q.Row(`SELECT since, until FROM otp_blocks WHERE account_id = $1 AND prefix = $2`, accountID, prefix).Scan(&from, &to)
	if err != nil || !found {
		return time.Time{}, time.Time{}, err
	}
	return db.At(from), db.At(to), nil
}

// countOutcomes counts the latest codes, at most n, of an account to a prefix whose outcome is known, and the
// verified ones among them. Codes that were never submitted are not counted.
func countOutcomes(q *db.Query, accountID, prefix string, since, now time.Time, n int) (known, verified int, err error) {
	_, err = q.Row(`SELECT count(*), count(used_at) FROM (
 SELECT c.used_at FROM otp_challenges c WHERE c.account_id = $1 AND c.prefix = $2 AND c.created_at > $3 AND c.sandbox = 0
 AND (c.used_at IS NOT NULL OR c.expires_at <= $4 OR c.attempts >= $5) AND NOT `+void+` ORDER BY c.created_at DESC LIMIT CAST($6 AS BIGINT)) x`,
		accountID, prefix, db.Ms(since), db.Ms(now), maxAttempts, n).Scan(&known, &verified)
	return known, verified, err
}
