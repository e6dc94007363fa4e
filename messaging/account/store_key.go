package account

import (
	"strconv"
	"strings"
	"time"

	"example.com/griot/internal/db"
)

// findKey returns the caller for a valid key, and the time at which the key expires.
func findKey(q *db.Query, hash string, now time.Time) (c *Caller, accountID string, expires time.Time, err error) {
	c = &Caller{}
	var tools string
	found, err := q.Row(`SELECT id, account_id, project_id, kind, expires_at, assistant_tools FROM api_keys WHERE key_hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
		hash, db.Ms(now)).Scan(&c.KeyID, &accountID, db.OrZero(&c.ProjectID), db.OrZero(&c.Kind), db.Time(&expires), &tools)
	if err != nil || !found {
		return nil, "", time.Time{}, err
	}
	c.Tools = toolsOf(c.Kind, tools)
	return c, accountID, expires, nil
}

func selectStreamState(q *db.Query, keyID string, now time.Time) (works bool, turn int64, err error) {
	works, err = q.Row(`SELECT a.listen_turn FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.id = $1 AND a.suspended_at IS NULL AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)`,
		keyID, db.Ms(now)).Scan(&turn)
	return works, turn, err
}

// insertKey stores a new key, unless its ID exists.
func insertKey(tx *db.Tx, k *Key, hash string) (inserted bool, err error) {
	n, err := tx.Exec(`INSERT INTO api_keys (id, account_id, project_id, kind, name, key_hash, prefix, member_id, created_at, assistant_tools) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO NOTHING`,
		k.ID, k.AccountID, db.Null(k.ProjectID), string(k.Kind), k.Name, hash, k.Prefix, db.Null(k.MemberID), db.Ms(k.CreatedAt), k.Tools.String())
	return n == 1, err
}

// countKeys counts an account's valid keys.
func countKeys(q *db.Query, accountID string, now time.Time) (n int64, err error) {
	_, err = q.Row(`SELECT count(*) FROM api_keys WHERE account_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`, accountID, db.Ms(now)).Scan(&n)
	return n, err
}

const keyColumns = `SELECT id, account_id, project_id, kind, name, prefix, member_id, created_at, last_used_at, revoked_at, expires_at, key_hash, assistant_tools FROM api_keys `

func selectKeys(q *db.Query, accountID, memberID string) ([]Key, error) {
	return db.Select(q, readKey, keyColumns+`WHERE account_id = $1 AND ($2 = '' OR member_id = $2) ORDER BY id`, accountID, memberID)
}

// selectKey returns a key of an account, or nil if there is none. With a memberID, it returns only a key that the member created.
func selectKey(q *db.Query, accountID, memberID, keyID string) (*Key, error) {
	return db.First(q, readKey, keyColumns+`WHERE id = $3 AND account_id = $1 AND ($2 = '' OR member_id = $2)`, accountID, memberID, keyID)
}

// readKey reads the columns of a key.
func readKey(scan db.Scan, k *Key) error {
	var tools string
	err := scan(&k.ID, &k.AccountID, db.OrZero(&k.ProjectID), db.OrZero(&k.Kind), &k.Name, &k.Prefix, db.OrZero(&k.MemberID),
		db.Time(&k.CreatedAt), db.Time(&k.LastUsedAt), db.Time(&k.RevokedAt), db.Time(&k.ExpiresAt), &k.hash, &tools)
	k.Tools = toolsOf(k.Kind, tools)
	return err
}

// lockKey locks a key of an account until the end of the transaction.
func lockKey(tx *db.Tx, accountID, keyID string) error {
	_, err := tx.Exec(`UPDATE api_keys SET assistant_tools = assistant_tools WHERE id = $1 AND account_id = $2`, keyID, accountID)
	return err
}

func updateTools(tx *db.Tx, keyID string, tools Tools) error {
	_, err := tx.Exec(`UPDATE api_keys SET assistant_tools = $2 WHERE id = $1`, keyID, tools.String())
	return err
}

// replaceKey makes a key end at a time, or immediately, unless it has ended or was already replaced. It returns the
// stored tools of the key, which can't change until the end of the transaction.
func replaceKey(tx *db.Tx, keyID string, now, ends time.Time) (tools string, replaced bool, err error) {
	column := "expires_at"
	if !ends.After(now) {
		column = "revoked_at"
	}
	replaced, err = tx.Row(`UPDATE api_keys SET `+column+` = $2 WHERE id = $1 AND revoked_at IS NULL AND expires_at IS NULL RETURNING assistant_tools`, keyID, db.Ms(ends)).Scan(&tools)
	return tools, replaced, err
}

// revokeKey revokes a key. revoked is nil if the key had already ended, and found is false if it does not exist.
func revokeKey(tx *db.Tx, accountID, memberID, keyID string, now time.Time) (revoked *Key, found bool, err error) {
	revoked = &Key{}
	found, err = tx.Row(`UPDATE api_keys SET revoked_at = $4 WHERE id = $1 AND account_id = $2 AND ($3 = '' OR member_id = $3) AND revoked_at IS NULL RETURNING kind, prefix`,
		keyID, accountID, memberID, db.Ms(now)).Scan(db.OrZero(&revoked.Kind), &revoked.Prefix)
	if err != nil || found {
		return revoked, found, err
	}
	found, err = tx.Row(`SELECT id FROM api_keys WHERE id = $1 AND account_id = $2 AND ($3 = '' OR member_id = $3)`, keyID, accountID, memberID).Scan(&keyID)
	return nil, found, err
}

func revokeKeysOf(tx *db.Tx, memberID string, now time.Time) (revoked int64, err error) {
	return tx.Exec(`UPDATE api_keys SET revoked_at = $2 WHERE member_id = $1 AND revoked_at IS NULL`, memberID, db.Ms(now))
}

// revokeKeysIn revokes the keys of a project.
func revokeKeysIn(tx *db.Tx, projectID string, now time.Time) (revoked int64, err error) {
	return tx.Exec(`UPDATE api_keys SET revoked_at = $2 WHERE project_id = $1 AND revoked_at IS NULL`, projectID, db.Ms(now))
}

// revokeForeignKeys revokes the keys that a member created in projects that they no longer have.
func revokeForeignKeys(tx *db.Tx, memberID string, now time.Time) (revoked int64, err error) {
	return tx.Exec(`UPDATE api_keys SET revoked_at = $2 WHERE member_id = $1 AND revoked_at IS NULL
 AND NOT EXISTS (SELECT 1 FROM project_members m WHERE m.member_id = $1 AND m.project_id = api_keys.project_id)`, memberID, db.Ms(now))
}

// markUsed takes at most useChunk keys. The last one is repeated to fill the list, so that the statement is always the same.
func markUsed(tx *db.Tx, ids []string, at time.Time) error {
	var in strings.Builder
	args := []any{db.Ms(at)}
	for i := range useChunk {
		if i > 0 {
			in.WriteString(", ")
		}
		in.WriteString("$" + strconv.Itoa(i+2))
		args = append(args, ids[min(i, len(ids)-1)])
	}
	_, err := tx.Exec(`UPDATE api_keys SET last_used_at = $1 WHERE (last_used_at IS NULL OR last_used_at < $1) AND id IN (`+in.String()+`)`, args...)
	return err
}
