package account

import (
	"strings"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
)

func selectMembers(q *db.Query, accountID string) ([]Member, error) {
	return db.Select(q, func(scan db.Scan, m *Member) error {
		return scan(&m.ID, &m.AccountID, &m.Email, db.Time(&m.JoinedAt), &m.Role)
	},
		`SELECT id, account_id, email, joined_at, role FROM members WHERE account_id = $1 AND removed_at IS NULL ORDER BY id`, accountID)
}

// insertMember stores the person who accepted an invitation as a member. fresh is false if they are already a member.
func insertMember(tx *db.Tx, id string, i *Invitation, now time.Time) (fresh bool, err error) {
	n, err := tx.Exec(`INSERT INTO members (id, account_id, email, role, joined_at) VALUES ($1, $2, $3, $4, $5)
 ON CONFLICT (account_id, email) WHERE removed_at IS NULL DO NOTHING`, id, i.AccountID, i.Email, string(i.Role), db.Ms(now))
	return n == 1, err
}

// lockDeveloper prevents a developer from being changed or removed until the transaction ends. found is false if there is none.
func lockDeveloper(tx *db.Tx, accountID, memberID string) (found bool, err error) {
	n, err := tx.Exec(`UPDATE members SET role = role WHERE id = $1 AND account_id = $2 AND role = 'developer' AND removed_at IS NULL`, memberID, accountID)
	return n == 1, err
}

// updateRole changes a member's role, unless role is empty, and returns the member.
func updateRole(tx *db.Tx, accountID, memberID string, role Role) (m Member, found bool, err error) {
	m.ID, m.AccountID = memberID, accountID
	found, err = tx.Row(`UPDATE members SET role = CASE WHEN CAST($3 AS TEXT) = '' THEN role ELSE CAST($3 AS TEXT) END WHERE id = $1 AND account_id = $2 AND removed_at IS NULL RETURNING email, role`,
		memberID, accountID, string(role)).Scan(&m.Email, db.OrZero(&m.Role))
	return m, found, err
}

// countKey counts a key that a developer creates. found is false if the developer has been removed.
func countKey(tx *db.Tx, accountID, memberID string) (found bool, err error) {
	n, err := tx.Exec(`UPDATE members SET keys_made = keys_made + 1 WHERE id = $1 AND account_id = $2 AND role = 'developer' AND removed_at IS NULL`, memberID, accountID)
	return n == 1, err
}

func removeMember(tx *db.Tx, accountID, memberID string, now time.Time) (email string, found bool, err error) {
	found, err = tx.Row(`UPDATE members SET removed_at = $3 WHERE id = $1 AND account_id = $2 AND removed_at IS NULL RETURNING email`,
		memberID, accountID, db.Ms(now)).Scan(&email)
	return email, found, err
}

func insertInvitation(tx *db.Tx, i *Invitation) error {
	_, err := tx.Exec(`INSERT INTO member_invitations (id, account_id, email, token_hash, created_at, expires_at, role, projects, code_mac) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		i.ID, i.AccountID, i.Email, i.hash, db.Ms(i.CreatedAt), db.Ms(i.ExpiresAt), string(i.Role), joinProjects(i.Projects), i.codeMAC)
	return err
}

// allProjects represents all projects that exist when an invitation is accepted.
const allProjects = "*"

func joinProjects(ids []string) string {
	if ids == nil {
		return allProjects
	}
	return strings.Join(ids, ",")
}

func splitProjects(s string) []string {
	switch s {
	case allProjects:
		return nil
	case "":
		return []string{}
	}
	return strings.Split(s, ",")
}

const (
	invitations = `SELECT id, account_id, email, created_at, expires_at, accepted_at, COALESCE(accepted_in, ''), role, projects, token_hash FROM member_invitations `

	openInvitations = invitations + `WHERE account_id = $1 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > $2`
)

func readInvitation(scan db.Scan, i *Invitation) error {
	projects := ""
	err := scan(&i.ID, &i.AccountID, &i.Email, db.Time(&i.CreatedAt), db.Time(&i.ExpiresAt), db.Time(&i.AcceptedAt), &i.acceptedIn, db.OrZero(&i.Role), &projects, &i.hash)
	i.Projects = splitProjects(projects)
	return err
}

// findOpenInvitation returns an account's invitation that can still be accepted, or nil.
func findOpenInvitation(q *db.Query, accountID, invitationID string, now time.Time) (*Invitation, error) {
	return db.First(q, readInvitation, openInvitations+` AND id = $3`, accountID, db.Ms(now), invitationID)
}

// selectInvitations lists an account's invitations that can still be accepted.
func selectInvitations(q *db.Query, accountID string, now time.Time) ([]Invitation, error) {
	return db.Select(q, readInvitation, openInvitations+` ORDER BY id`, accountID, db.Ms(now))
}

// selectInvitationsTo lists an address's invitations that can still be accepted, with the names of their accounts.
func selectInvitationsTo(q *db.Query, email string, now time.Time) ([]Offer, error) {
	return db.Select(q, func(scan db.Scan, o *Offer) error { return scan(&o.ID, &o.Role, db.Time(&o.ExpiresAt), &o.AccountName) },
		`SELECT i.id, i.role, i.expires_at, a.name FROM member_invitations i JOIN accounts a ON a.id = i.account_id
 WHERE i.email = $1 AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > $2 ORDER BY i.id`, email, db.Ms(now))
}

// findInvitationTo returns the hash of the token of an address's invitation, in any state.
func findInvitationTo(q *db.Query, email, invitationID string) (hash string, found bool, err error) {
	found, err = q.Row(`SELECT token_hash FROM member_invitations WHERE id = $1 AND email = $2`, invitationID, email).Scan(&hash)
	return hash, found, err
}

// findInvitation returns the invitation with a token's hash, or nil.
func findInvitation(q *db.Query, hash string) (*Invitation, error) {
	return db.First(q, readInvitation, invitations+`WHERE token_hash = $1`, hash)
}

// tryInvitationCode counts a try of an invitation's code, if any are left, and returns the invitation. An invitation
// that was accepted a moment ago still has its code.
func tryInvitationCode(tx *db.Tx, hash string, now time.Time) (i Invitation, found bool, err error) {
	found, err = tx.Row(`UPDATE member_invitations SET code_tries = code_tries + 1
 WHERE token_hash = $1 AND (accepted_at IS NULL AND created_at > $2 OR accepted_at > $4) AND revoked_at IS NULL AND code_mac <> '' AND code_tries < $3
 RETURNING id, email, code_mac, COALESCE(accepted_in, '')`,
		hash, db.Ms(now.Add(-InvitationCodeTime)), codeTries, db.Ms(forms.RepeatsSince(now))).Scan(&i.ID, &i.Email, &i.codeMAC, &i.acceptedIn)
	return i, found, err
}

// untryInvitationCode removes the try that was counted for the correct code.
func untryInvitationCode(tx *db.Tx, hash string) error {
	_, err := tx.Exec(`UPDATE member_invitations SET code_tries = code_tries - 1 WHERE token_hash = $1`, hash)
	return err
}

// acceptInvitation marks an invitation as accepted, for only one session.
func acceptInvitation(tx *db.Tx, hash, email, sessionID string, now time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE member_invitations SET accepted_at = $3, accepted_in = $4
 WHERE token_hash = $1 AND email = $2 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > $3`, hash, email, db.Ms(now), sessionID)
	return n == 1, err
}

// countInvitations counts the invitations that an account has stored since a time, in any state.
func countInvitations(q *db.Query, accountID string, since time.Time) (n int, err error) {
	_, err = q.Row(`SELECT count(*) FROM member_invitations WHERE account_id = $1 AND created_at >= $2`, accountID, db.Ms(since)).Scan(&n)
	return n, err
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
