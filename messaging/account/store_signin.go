package account

import (
	"database/sql"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/limit"
)

// countMail counts a mail toward its limit. If the limit is reached, wait is the time until it ends. It is a single
// statement, so that concurrent requests never exceed the limit.
func countMail(tx *db.Tx, c *Code, mails limit.Rate) (wait time.Duration, err error) {
	old := c.now.Add(-mails.Period)
	taken, oldest := map[int]bool{}, c.now
	err = tx.Each(func(rows *sql.Rows) error {
		var place int
		var asked int64
		err := rows.Scan(&place, &asked)
		taken[place] = true
		if at := db.At(asked); at.Before(oldest) {
			oldest = at
		}
		return err
	}, `SELECT place, asked_at FROM sign_in_mails WHERE email = $1 AND budget = $2 AND place < $3 AND asked_at > $4`, c.email, c.budget, mails.Times, db.Ms(old))
	if err != nil {
		return 0, err
	}
	for c.place = range mails.Times {
		if taken[c.place] {
			continue
		}
		n, err := tx.Exec(`INSERT INTO sign_in_mails (email, budget, place, browser, id, mac, tries, asked_at, expires_at) VALUES ($1, $2, $3, $4, $5, '', 0, $6, $7)
 ON CONFLICT (email, budget, place) DO UPDATE SET browser = excluded.browser, id = excluded.id, mac = '', tries = 0, asked_at = excluded.asked_at, expires_at = excluded.expires_at, used_at = NULL
 WHERE sign_in_mails.asked_at <= $8`,
			c.email, c.budget, c.place, c.browser, c.id, db.Ms(c.now), db.Ms(c.now.Add(CodeTime)), db.Ms(old))
		if err != nil || n == 1 {
			return 0, err
		}
	}
	return oldest.Sub(old), nil
}

// mayHaveCode reports whether an address can sign in.
func mayHaveCode(q *db.Query, email string, now time.Time) (known bool, err error) {
	var n int64
	_, err = q.Row(`SELECT (SELECT count(*) FROM accounts WHERE email = $1 AND closed_at IS NULL)
 + (SELECT count(*) FROM members m JOIN accounts a ON a.id = m.account_id WHERE m.email = $1 AND m.removed_at IS NULL AND a.closed_at IS NULL)
 + (SELECT count(*) FROM member_invitations WHERE email = $1 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > $2)`, email, db.Ms(now)).Scan(&n)
	return n > 0, err
}

// storeCode stores a code. If one address has more than [liveCodes] in one browser, the oldest end.
func storeCode(tx *db.Tx, c *Code) error {
	live, err := selectCodes(tx, c.email, c.browser, c.now, c.now)
	if err != nil {
		return err
	}
	for _, old := range live[:max(0, len(live)+1-liveCodes)] {
		if _, err := tx.Exec(`UPDATE sign_in_mails SET mac = '' WHERE `+thatCode, c.email, old.budget, old.place, old.id); err != nil {
			return err
		}
	}
	_, err = tx.Exec(`UPDATE sign_in_mails SET mac = $5 WHERE `+thatCode, c.email, c.budget, c.place, c.id, c.mac)
	return err
}

// A storedCode is a stored code, with the values that a try must match.
type storedCode struct {
	budget  string
	place   int
	id, mac string
	used    bool
}

const thatCode = `email = $1 AND budget = $2 AND place = $3 AND id = $4`

// selectCodes returns an address's codes in a browser that are valid, or were used after a time, oldest first. All
// transactions lock them in this order.
func selectCodes(tx *db.Tx, email, browser string, now, usedSince time.Time) ([]storedCode, error) {
	return db.Select(&tx.Query, func(scan db.Scan, c *storedCode) error { return scan(&c.budget, &c.place, &c.id, &c.mac) },
		`SELECT budget, place, id, mac FROM sign_in_mails WHERE email = $1 AND browser = $2 AND mac <> '' AND (used_at IS NULL AND expires_at > $3 OR used_at > $4) ORDER BY id`,
		email, browser, db.Ms(now), db.Ms(usedSince))
}

// tryCodes counts a try for each code of an address in a browser that is valid or was used a moment ago, and has
// tries left. It returns those codes.
func tryCodes(tx *db.Tx, email, browser string, now time.Time) (tried []storedCode, err error) {
	usedSince := forms.RepeatsSince(now)
	codes, err := selectCodes(tx, email, browser, now, usedSince)
	for _, c := range codes {
		var used sql.NullInt64
		found, err := tx.Row(`UPDATE sign_in_mails SET tries = tries + 1 WHERE `+thatCode+` AND mac <> '' AND tries < $5 AND (used_at IS NULL OR used_at > $6) RETURNING used_at`,
			email, c.budget, c.place, c.id, codeTries, db.Ms(usedSince)).Scan(&used)
		if err != nil {
			return nil, err
		}
		if found {
			c.used = used.Valid
			tried = append(tried, c)
		}
	}
	return tried, err
}

// useCode marks a code as used, unless it is already. It removes the try of the correct code from all codes for which it was counted.
func useCode(tx *db.Tx, email string, used *storedCode, tried []storedCode, now time.Time) error {
	for _, c := range tried {
		if _, err := tx.Exec(`UPDATE sign_in_mails SET tries = tries - 1, used_at = CASE WHEN id = $5 THEN COALESCE(used_at, $6) ELSE used_at END WHERE `+thatCode,
			email, c.budget, c.place, c.id, used.id, db.Ms(now)); err != nil {
			return err
		}
	}
	return nil
}

const sweepMails = 500 // rows per transaction

// deleteMails repeats its condition, because a row might be used again between the selection and the deletion.
func deleteMails(tx *db.Tx, until time.Time) (int64, error) {
	return tx.Exec(`WITH locked AS (SELECT email, budget, place FROM sign_in_mails WHERE asked_at <= $1 ORDER BY asked_at LIMIT CAST($2 AS BIGINT) /*lock*/)
 DELETE FROM sign_in_mails WHERE asked_at <= $1 AND (email, budget, place) IN (SELECT email, budget, place FROM locked)`, db.Ms(until), sweepMails)
}

const signUpDays = 7 // number of days that are kept

// countSignUp counts a code to an address without an account, unless the daily limit is reached.
func countSignUp(tx *db.Tx, day, most int64) (ok bool, err error) {
	if _, err := tx.Exec(`DELETE FROM sign_up_days WHERE day <= $1`, day-signUpDays); err != nil {
		return false, err
	}
	var codes int64
	return tx.Row(`INSERT INTO sign_up_days (day, codes) VALUES ($1, 1) ON CONFLICT (day) DO UPDATE SET codes = sign_up_days.codes + 1 WHERE sign_up_days.codes < $2 RETURNING codes`, day, most).Scan(&codes)
}
