package otp

import (
	"database/sql"
	"time"

	"example.com/griot/internal/db"
)

// selectTraffic lists the prefixes that are blocked at now, and those with the most unverified codes since a time.
func selectTraffic(q *db.Query, since, now time.Time, n int) (out []Traffic, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		var t Traffic
		var until sql.NullInt64
		err := rows.Scan(&t.AccountID, &t.Prefix, &t.Sent, &t.Verified, &until)
		t.BlockedUntil = db.AtNull(until)
		out = append(out, t)
		return err
	}, `SELECT COALESCE(c.account_id, b.account_id), COALESCE(c.prefix, b.prefix), COALESCE(c.sent, 0), COALESCE(c.verified, 0), b.until
 FROM (SELECT account_id, prefix, count(*) AS sent, count(used_at) AS verified FROM otp_challenges WHERE created_at > $1 AND sandbox = 0 GROUP BY account_id, prefix) c
 FULL JOIN (SELECT account_id, prefix, until FROM otp_blocks WHERE until > $2) b ON b.account_id = c.account_id AND b.prefix = c.prefix
 ORDER BY COALESCE(b.until, 0) DESC, COALESCE(c.sent - c.verified, 0) DESC, 1, 2 LIMIT CAST($3 AS BIGINT)`, db.Ms(since), db.Ms(now), n)
	return out, err
}

// selectCaps lists the counts of an hour.
func selectCaps(q *db.Query, hour int64, n int) (out []Cap, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		var area string
		var sent int64
		err := rows.Scan(&area, &sent)
		c := readArea(area)
		c.Sent = sent
		out = append(out, c)
		return err
	}, `SELECT area, sent FROM otp_caps WHERE hour = $1 ORDER BY sent DESC, area LIMIT CAST($2 AS BIGINT)`, hour, n)
	return out, err
}

// endBlock ends a block that is in effect.
func endBlock(tx *db.Tx, accountID, prefix string, now time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE otp_blocks SET since = $1, until = $1 WHERE account_id = $2 AND prefix = $3 AND until > $1`, db.Ms(now), accountID, prefix)
	return n > 0, err
}

// resetCap deletes an hour's count of an area, for all accounts or for one.
func resetCap(tx *db.Tx, accountID, area string, hour int64) (bool, error) {
	country, prefix := countryArea(area), prefixArea(area)
	if accountID != "" {
		country, prefix = accountArea(accountID, country), accountArea(accountID, prefix)
	}
	n, err := tx.Exec(`DELETE FROM otp_caps WHERE area IN ($1, $2) AND hour = $3`, country, prefix, hour)
	return n > 0, err
}
