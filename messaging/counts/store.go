package counts

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"

	"example.com/griot/internal/db"
)

// Write stores the collected changes, if there are any, in the transaction of the changes.
func (l *Log) Write(tx *db.Tx) error {
	if l.text.Len() == 0 {
		return nil
	}
	return tx.Queue(nil, `INSERT INTO message_count_log (deltas) VALUES ($1)`, l.Text())
}

const (
	hasLog = `SELECT 1 FROM message_count_log LIMIT 1`

	takeLog = `WITH locked AS (SELECT seq FROM message_count_log ORDER BY seq LIMIT CAST($1 AS BIGINT) /*lock*/)
 DELETE FROM message_count_log WHERE seq IN (SELECT seq FROM locked) RETURNING deltas`

	addCount = `INSERT INTO message_counts (account_id, step, at, project_id, channel, simulated, kind, n)
 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
 ON CONFLICT (account_id, step, at, project_id, channel, simulated, kind) DO UPDATE SET n = message_counts.n + excluded.n`
)

// fold adds up to size rows of the log to the counters and deletes the rows, in one transaction. It returns the
// number of rows. On PostgreSQL, processes that fold at the same time take different rows, and lock counters in the
// same order.
func fold(ctx context.Context, d *db.DB, size int) (rows int, err error) {
	var one int
	if found, err := d.Read(ctx).Row(hasLog).Scan(&one); err != nil || !found {
		return 0, err
	}
	err = d.Write(ctx, func(tx *db.Tx) error {
		rows = 0
		hours := map[counter]int64{}
		err := tx.Each(func(r *sql.Rows) error {
			rows++
			var text string
			if err := r.Scan(&text); err != nil {
				return err
			}
			return eachLine(text, func(c counter, n int64) { hours[c] += n })
		}, takeLog, size)
		if err != nil {
			return err
		}
		if err := leaveOutErased(tx, hours); err != nil {
			return err
		}
		days := map[counter]int64{}
		for c, n := range hours {
			c.at = down(c.at)
			days[c] += n
		}
		if err := addAll(tx, 1, hours); err != nil {
			return err
		}
		return addAll(tx, day, days)
	})
	return rows, err
}

// leaveOutErased deletes the sums of accounts that were erased in the meantime. If one is erased after this, its
// foreign key makes the fold fail, and the fold is repeated.
func leaveOutErased(tx *db.Tx, sums map[counter]int64) error {
	exists := map[string]bool{}
	for c := range sums {
		if _, asked := exists[c.account]; asked {
			continue
		}
		exists[c.account] = false
		err := tx.Queue(func(scan db.Scan) error {
			var one int
			exists[c.account] = true
			return scan(&one)
		}, `SELECT 1 FROM accounts WHERE id = $1`, c.account)
		if err != nil {
			return err
		}
	}
	if err := tx.Flush(); err != nil {
		return err
	}
	maps.DeleteFunc(sums, func(c counter, _ int64) bool { return !exists[c.account] })
	return nil
}

// addAll adds sums to the counters of a step.
func addAll(tx *db.Tx, step int64, sums map[counter]int64) error {
	for _, c := range slices.SortedFunc(maps.Keys(sums), counter.compare) {
		if sums[c] == 0 {
			continue
		}
		if err := tx.Queue(nil, addCount, c.account, step, c.at, c.project, string(c.channel), db.Flag(c.simulated), c.kind, sums[c]); err != nil {
			return err
		}
	}
	return nil
}

func (c counter) compare(o counter) int {
	return cmp.Or(cmp.Compare(c.account, o.account), cmp.Compare(c.at, o.at), cmp.Compare(c.project, o.project), cmp.Compare(c.channel, o.channel),
		cmp.Compare(db.Flag(c.simulated), db.Flag(o.simulated)), cmp.Compare(c.kind, o.kind))
}

// readCounts reads an account's daily counters, its hourly counters in two ranges, and the rows of the log that name
// the account. Because it is a single statement, it sees each change once, either in the log or in the counters.
const readCounts = `SELECT at, kind, n, '' FROM message_counts WHERE account_id = $1 AND step = 24 AND at >= $2 AND at < $3` + onlyThese + `
 UNION ALL SELECT at, kind, n, '' FROM message_counts WHERE account_id = $1 AND step = 1 AND at >= $4 AND at < $5` + onlyThese + `
 UNION ALL SELECT at, kind, n, '' FROM message_counts WHERE account_id = $1 AND step = 1 AND at >= $6 AND at < $7` + onlyThese + `
 UNION ALL SELECT 0, '', 0, deltas FROM message_count_log WHERE deltas LIKE '%' || $1 || '%'`

const onlyThese = ` AND simulated = $8 AND ($9 = '' OR project_id = $9) AND ($10 = '' OR channel = $10)`

// read calls add for each counter of a query, and each change in the log.
func (in *Query) read(q *db.Query, p *plan, add func(c counter, n int64)) error {
	return q.Each(func(rows *sql.Rows) error {
		var c counter
		var n int64
		var log string
		if err := rows.Scan(&c.at, &c.kind, &n, &log); err != nil {
			return err
		}
		if log == "" {
			add(c, n)
			return nil
		}
		return eachLine(log, func(c counter, n int64) {
			if in.counts(c) && c.at >= p.from && c.at < p.to {
				add(c, n)
			}
		})
	}, readCounts, in.AccountID, p.days[0], p.days[1], p.hours[0][0], p.hours[0][1], p.hours[1][0], p.hours[1][1], db.Flag(in.Simulated), in.ProjectID, string(in.Channel))
}

// oldHours returns accounts, sorted by ID, that have hourly counters before a time.
func oldHours(q *db.Query, after string, before int64, n int) (ids []string, err error) {
	err = q.Page(n, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM accounts WHERE id > $1 AND EXISTS (SELECT 1 FROM message_counts c WHERE c.account_id = accounts.id AND c.step = 1 AND c.at < $2) ORDER BY id`, after, before)
	return ids, err
}

// deleteHours deletes an account's hourly counters before a time.
func deleteHours(tx *db.Tx, accountID string, before int64) error {
	_, err := tx.Exec(`DELETE FROM message_counts WHERE account_id = $1 AND step = 1 AND at < $2`, accountID, before)
	return err
}
