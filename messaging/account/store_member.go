package account

import (
	"database/sql"
	"time"

	"griot/internal/db"
)

func selectMembers(q *db.Query, accountID string) ([]Member, error) {
	var out []Member
	err := q.Each(func(rows *sql.Rows) error {
		m := Member{AccountID: accountID}
		var joined int64
		err := rows.Scan(&m.ID, &m.Email, &joined)
		m.JoinedAt = db.At(joined)
		out = append(out, m)
		return err
	}, `SELECT id, email, joined_at FROM members WHERE account_id = $1 AND removed_at IS NULL ORDER BY id`, accountID)
	return out, err
}

// insertMember makes who accepted an invitation a member, unless they are one.
func insertMember(tx *db.Tx, id string, i *Invitation, now time.Time) error {
	_, err := tx.Exec(`INSERT INTO members (id, account_id, email, joined_at) VALUES ($1, $2, $3, $4)
 ON CONFLICT (account_id, email) WHERE removed_at IS NULL DO NOTHING`, id, i.AccountID, i.Email, db.Ms(now))
	return err
}

// countKey counts a key that a member makes; found is false when they have been removed.
func countKey(tx *db.Tx, accountID, memberID string) (found bool, err error) {
	n, err := tx.Exec(`UPDATE members SET keys_made = keys_made + 1 WHERE id = $1 AND account_id = $2 AND removed_at IS NULL`, memberID, accountID)
	return n == 1, err
}

func removeMember(tx *db.Tx, accountID, memberID string, now time.Time) (email string, found bool, err error) {
	found, err = tx.Row(`UPDATE members SET removed_at = $3 WHERE id = $1 AND account_id = $2 AND removed_at IS NULL RETURNING email`,
		memberID, accountID, db.Ms(now)).Scan(&email)
	return email, found, err
}

func insertInvitation(tx *db.Tx, i *Invitation) error {
	_, err := tx.Exec(`INSERT INTO member_invitations (id, account_id, email, token_hash, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		i.ID, i.AccountID, i.Email, i.hash, db.Ms(i.CreatedAt), db.Ms(i.ExpiresAt))
	return err
}

// selectInvitations lists those that can still be accepted.
func selectInvitations(q *db.Query, accountID string, now time.Time) ([]Invitation, error) {
	var out []Invitation
	err := q.Each(func(rows *sql.Rows) error {
		i := Invitation{AccountID: accountID}
		var created, expires int64
		err := rows.Scan(&i.ID, &i.Email, &created, &expires)
		i.CreatedAt, i.ExpiresAt = db.At(created), db.At(expires)
		out = append(out, i)
		return err
	}, `SELECT id, email, created_at, expires_at FROM member_invitations
 WHERE account_id = $1 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > $2 ORDER BY id`, accountID, db.Ms(now))
	return out, err
}

// findInvitation returns the invitation of a token, or nil.
func findInvitation(q *db.Query, hash string) (*Invitation, error) {
	i := &Invitation{hash: hash}
	var created, expires int64
	var accepted sql.NullInt64
	found, err := q.Row(`SELECT id, account_id, email, created_at, expires_at, accepted_at FROM member_invitations WHERE token_hash = $1`, hash).
		Scan(&i.ID, &i.AccountID, &i.Email, &created, &expires, &accepted)
	if err != nil || !found {
		return nil, err
	}
	i.CreatedAt, i.ExpiresAt, i.AcceptedAt = db.At(created), db.At(expires), db.AtNull(accepted)
	return i, nil
}

// acceptInvitation lets one through, once.
func acceptInvitation(tx *db.Tx, hash, email string, now time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE member_invitations SET accepted_at = $3
 WHERE token_hash = $1 AND email = $2 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > $3`, hash, email, db.Ms(now))
	return n == 1, err
}

func revokeInvitation(tx *db.Tx, accountID, invitationID string, now time.Time) (email string, found bool, err error) {
	found, err = tx.Row(`UPDATE member_invitations SET revoked_at = $3 WHERE id = $1 AND account_id = $2 AND accepted_at IS NULL AND revoked_at IS NULL RETURNING email`,
		invitationID, accountID, db.Ms(now)).Scan(&email)
	return email, found, err
}

func revokeInvitations(tx *db.Tx, accountID, email string, now time.Time) error {
	_, err := tx.Exec(`UPDATE member_invitations SET revoked_at = $3 WHERE account_id = $1 AND email = $2 AND accepted_at IS NULL AND revoked_at IS NULL`,
		accountID, email, db.Ms(now))
	return err
}
