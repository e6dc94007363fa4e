package account

import (
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/audit"
)

// insertRequest stores a request, unless the same request or [MaxRequests] requests of the account are open.
func insertRequest(tx *db.Tx, r *Request) (fresh bool, err error) {
	n, err := tx.Exec(`INSERT INTO account_requests (id, account_id, kind, wanted, note, at)
 SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS BIGINT)
 WHERE (SELECT count(*) FROM account_requests WHERE account_id = $2 AND ended_at IS NULL) < $7
 ON CONFLICT (account_id, kind, wanted) WHERE ended_at IS NULL DO NOTHING`, r.ID, r.AccountID, r.Kind, r.Wanted, r.Note, db.Ms(r.At), MaxRequests)
	return n == 1, err
}

func selectRequests(q *db.Query, accountID string) ([]Request, error) {
	return db.Select(q, func(scan db.Scan, r *Request) error {
		return scan(&r.ID, &r.AccountID, &r.AccountName, &r.Kind, &r.Wanted, &r.Note, db.Time(&r.At))
	}, `SELECT r.id, r.account_id, a.name, r.kind, r.wanted, r.note, r.at FROM account_requests r JOIN accounts a ON a.id = r.account_id
 WHERE r.ended_at IS NULL AND (CAST($1 AS TEXT) = '' OR r.account_id = $1) ORDER BY r.id DESC LIMIT 1000`, accountID)
}

// endRequest ends an open request with an action of the audit log and returns it, or nil if it is not open.
func endRequest(tx *db.Tx, requestID string, by *audit.Event, at time.Time) (*Request, error) {
	return db.First(&tx.Query, func(scan db.Scan, r *Request) error { return scan(&r.ID, &r.AccountID, &r.Kind, &r.Wanted) },
		`UPDATE account_requests SET ended_at = $2, ended_as = $3, ended_by = $4 WHERE id = $1 AND ended_at IS NULL RETURNING id, account_id, kind, wanted`,
		requestID, db.Ms(at), by.Action, string(by.Actor.Type))
}
