package login

import (
	"context"
	"database/sql"
	"time"

	"example.com/griot/auth/logout"
	"example.com/griot/internal/db"
	"example.com/griot/internal/phone"
)

const personColumns = `id, phone, mode, display_name, metadata, first_seen_at, COALESCE(last_seen_at, first_seen_at), detached_at, changed_to, changed_at, COALESCE(username, '')`

func readPerson(scan db.Scan, p *Person) error {
	err := scan(&p.ID, db.OrZero(&p.Phone), db.OrZero(&p.Mode), db.OrZero(&p.DisplayName), &p.Metadata, db.Time(&p.FirstSeenAt), db.Time(&p.LastSeenAt), db.Time(&p.DetachedAt), db.OrZero(&p.NewPhone), db.Time(&p.ChangedAt), &p.Username)
	if !p.DetachedAt.IsZero() { // then the column contains the id
		p.Phone = ""
	}
	if p.NewPhone == "" { // the person has the profile's number again, or the profile has the person's
		p.ChangedAt = time.Time{}
	}
	return err
}

// selectPeople returns the people before an id. An empty id sorts after all.
func (s *Service) selectPeople(ctx context.Context, tenantID, before string, limit int) ([]Person, error) {
	if before == "" {
		return s.people(ctx, limit, `SELECT `+personColumns+` FROM profiles WHERE tenant_id = $1 ORDER BY id DESC`, tenantID)
	}
	return s.people(ctx, limit, `SELECT `+personColumns+` FROM profiles WHERE tenant_id = $1 AND id < $2 ORDER BY id DESC`, tenantID, before)
}

func (s *Service) selectPeopleByPhone(ctx context.Context, tenantID string, number phone.Number) ([]Person, error) {
	return s.people(ctx, modes, `SELECT `+personColumns+` FROM profiles WHERE tenant_id = $1 AND phone = $2 ORDER BY id DESC`, tenantID, string(number))
}

func (s *Service) selectPeopleByNewPhone(ctx context.Context, tenantID string, number phone.Number) ([]Person, error) {
	return db.Select(s.db.Read(ctx), readPerson, `SELECT `+personColumns+` FROM profiles WHERE changed_to = $1 AND tenant_id = $2`, string(number), tenantID)
}

const modes = 2 // a number has a profile in each

func (s *Service) people(ctx context.Context, limit int, query string, args ...any) (out []Person, err error) {
	err = s.db.Read(ctx).Page(limit, func(rows *sql.Rows) error {
		var p Person
		err := readPerson(rows.Scan, &p)
		out = append(out, p)
		return err
	}, query, args...)
	return out, err
}

// selectPerson returns nil for another tenant's person and for an unknown one.
func selectPerson(q *db.Query, tenantID, profileID string) (*Person, error) {
	return db.First(q, readPerson, `SELECT `+personColumns+` FROM profiles WHERE id = $1 AND tenant_id = $2`, profileID, tenantID)
}

// selectTokenPerson returns nil for a token that is no longer valid.
func selectTokenPerson(q *db.Query, tokenID string) (*Person, error) {
	return db.First(q, readPerson, `SELECT p.id, p.phone, p.mode, p.display_name, p.metadata, p.first_seen_at, COALESCE(p.last_seen_at, p.first_seen_at), p.detached_at, p.changed_to, p.changed_at, COALESCE(p.username, '')
		FROM login_sessions AS s JOIN oauth_clients AS c ON c.client_id = s.client_id AND c.active = 1
		JOIN profiles AS p ON p.tenant_id = s.tenant_id AND p.phone = s.phone AND p.mode = s.mode
		WHERE s.token_id = $1 AND s.token_revoked = 0`, tokenID)
}

// selectTokenOf returns the id of the access token of a person's login by a client; empty if the login is no longer
// stored, or has none. A person has few logins within the day that they are stored.
func (s *Service) selectTokenOf(ctx context.Context, clientID, subject, sid string) (tokenID string, err error) {
	err = s.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var loginID, of string
		err := rows.Scan(&loginID, &of)
		if logout.SID(loginID) == sid {
			tokenID = of
		}
		return err
	}, `SELECT s.id, s.token_id FROM profiles AS p JOIN login_sessions AS s ON s.phone = p.phone AND s.tenant_id = p.tenant_id AND s.mode = p.mode
		WHERE p.id = $1 AND s.client_id = $2 AND s.token_id IS NOT NULL`, subject, clientID)
	return tokenID, err
}

// markDetached marks a profile that has a number, and returns the number and the mode. found is false if the profile no
// longer has a number. The number stays for the events of the same transaction, which use it to find the profile; see
// [clearNumber].
func markDetached(tx *db.Tx, tenantID, profileID string, now time.Time) (p Person, found bool, err error) {
	found, err = tx.Row(`UPDATE profiles SET detached_at = $3 WHERE id = $1 AND tenant_id = $2 AND detached_at IS NULL RETURNING phone, mode`, profileID, tenantID, db.Ms(now)).
		Scan(&p.Phone, &p.Mode)
	return p, found, err
}

// clearNumber replaces the number with the person's id, and removes the number from the logins, so that no login is
// attributed to the next owner of the number.
func clearNumber(tx *db.Tx, tenantID, profileID string, p Person) error {
	if _, err := tx.Exec(`UPDATE login_sessions SET phone = NULL WHERE phone = $1 AND tenant_id = $2 AND mode = $3`, string(p.Phone), tenantID, string(p.Mode)); err != nil {
		return err
	}
	_, err := tx.Exec(`UPDATE profiles SET phone = id, changed_to = NULL, changed_at = NULL WHERE id = $1`, profileID)
	return err
}

// lockPerson returns a tenant's person, and makes other writers of the profile wait until the transaction ends. It
// returns nil if there is none.
func lockPerson(tx *db.Tx, tenantID, profileID string) (*Person, error) {
	return db.First(&tx.Query, readPerson, `UPDATE profiles SET changed_to = changed_to WHERE id = $1 AND tenant_id = $2 RETURNING `+personColumns, profileID, tenantID)
}

// reserveNumber stores a placeholder with a number in a person's tenant and mode, if no profile has the number. A first login with it
// that is proved at the same time waits until the transaction ends.
func reserveNumber(tx *db.Tx, placeholder, tenantID string, number phone.Number, p *Person) (free bool, err error) {
	n, err := tx.Exec(`INSERT INTO profiles (id, tenant_id, phone, mode, metadata, first_seen_at) VALUES ($1, $2, $3, $4, '{}', $5) ON CONFLICT DO NOTHING`,
		placeholder, tenantID, string(number), string(p.Mode), db.Ms(p.FirstSeenAt))
	return n == 1, err
}

// replaceNumber gives a profile its new number instead of the placeholder. The logins follow, so that none is attributed
// to the next owner of the old number.
func replaceNumber(tx *db.Tx, tenantID, placeholder string, p *Person) error {
	if _, err := tx.Exec(`DELETE FROM profiles WHERE id = $1`, placeholder); err != nil {
		return err
	}
	if _, err := tx.Exec(`UPDATE login_sessions SET phone = $4 WHERE phone = $1 AND tenant_id = $2 AND mode = $3`, string(p.Phone), tenantID, string(p.Mode), string(p.NewPhone)); err != nil {
		return err
	}
	_, err := tx.Exec(`UPDATE profiles SET phone = changed_to, changed_to = NULL WHERE id = $1`, p.ID)
	return err
}

// reported is the condition for the profiles that a report about a changed number marks: those of the old number, and
// those of which an earlier report has named it. Once a report has named another number, the profile's own number might
// belong to someone else, so its reports no longer count. Reports from before the profile's first login are about an
// earlier owner. $1 is the old number, and $2 is the time.
const reported = `mode = 'LIVE' AND detached_at IS NULL AND (changed_to IS NULL AND phone = $1 OR changed_to = $1) AND first_seen_at <= $2 AND COALESCE(changed_at, 0) < $2`

// selectOlder returns some of the profiles that a report marks.
func selectOlder(q *db.Query, r *numberReport, limit int) (profiles []string, err error) {
	err = q.Page(limit, func(rows *sql.Rows) error {
		var profileID string
		err := rows.Scan(&profileID)
		profiles = append(profiles, profileID)
		return err
	}, `SELECT id FROM profiles WHERE id IN (SELECT id FROM profiles WHERE phone = $1 UNION ALL SELECT id FROM profiles WHERE changed_to = $1) AND `+reported,
		string(r.from), db.Ms(r.at))
	return profiles, err
}

// markChanged stores a report in a profile, and returns the tenant and the profile's number. found is false if the profile
// has a newer report, or the same one.
func markChanged(tx *db.Tx, profileID string, r *numberReport) (tenantID string, number phone.Number, found bool, err error) {
	found, err = tx.Row(`UPDATE profiles SET changed_to = CASE WHEN phone <> $3 THEN CAST($3 AS TEXT) END, changed_at = $2 WHERE id = $4 AND `+reported+` RETURNING tenant_id, phone`,
		string(r.from), db.Ms(r.at), string(r.to), profileID).Scan(&tenantID, &number)
	return tenantID, number, found, err
}

// clearNewNumber removes a reported number from a tenant's profiles, and returns their ids.
func clearNewNumber(tx *db.Tx, tenantID string, number phone.Number) ([]string, error) {
	return db.Select(&tx.Query, func(scan db.Scan, profileID *string) error { return scan(profileID) },
		`UPDATE profiles SET changed_to = NULL WHERE changed_to = $1 AND tenant_id = $2 RETURNING id`, string(number), tenantID)
}

// deletePerson deletes a profile and returns it; nil if there is none.
func deletePerson(tx *db.Tx, tenantID, profileID string) (*Person, error) {
	return db.First(&tx.Query, readPerson, `DELETE FROM profiles WHERE id = $1 AND tenant_id = $2 RETURNING `+personColumns, profileID, tenantID)
}

// erasedSession is a deleted login, with the time of its proof.
type erasedSession struct {
	id         string
	verifiedAt time.Time
}

func deletePersonSessions(tx *db.Tx, tenantID string, p *Person, limit int) ([]erasedSession, error) {
	return db.Select(&tx.Query, func(scan db.Scan, e *erasedSession) error { return scan(&e.id, db.Time(&e.verifiedAt)) },
		`DELETE FROM login_sessions WHERE id IN (SELECT id FROM login_sessions WHERE phone = $1 AND tenant_id = $2 AND mode = $3 LIMIT CAST($4 AS BIGINT)) RETURNING id, verified_at`,
		string(p.Phone), tenantID, string(p.Mode), limit)
}

// proofsTime is the maximum time between a login's proof and its last message, which can cancel the login or its token.
const proofsTime = handBackTime + codeTime + tokenTime + time.Minute

// deleteSessionProofs deletes the ids of the messages that held, proved, or canceled a login, because a provider's id can
// contain the number.
func deleteSessionProofs(tx *db.Tx, sessionID string, verifiedAt time.Time) error {
	_, err := tx.Exec(`DELETE FROM login_proofs WHERE session_id = $1 AND at >= $2 AND at <= $3`, sessionID, db.Ms(verifiedAt.Add(-ProveTime)), db.Ms(verifiedAt.Add(proofsTime)))
	return err
}

// deleteWebhookEvent deletes an event for the tenant's endpoint, delivered or not, with its attempts.
func deleteWebhookEvent(tx *db.Tx, tenantID, eventID string) error {
	if _, err := tx.Exec(`DELETE FROM tenant_hook_attempts WHERE tenant_id = $1 AND event_id = $2`, tenantID, eventID); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM tenant_hook_events WHERE tenant_id = $1 AND id = $2`, tenantID, eventID)
	return err
}

// fixUsername stores a person's user name, unless they have one or another person has this one.
func fixUsername(tx *db.Tx, tenantID, profileID, username string) (fixed bool, err error) {
	n, err := tx.Exec(`UPDATE profiles SET username = $3 WHERE id = $1 AND tenant_id = $2 AND username IS NULL
		AND NOT EXISTS (SELECT 1 FROM profiles AS o WHERE o.tenant_id = $2 AND o.mode = profiles.mode AND o.username = $3)`, profileID, tenantID, username)
	return n == 1, err
}
