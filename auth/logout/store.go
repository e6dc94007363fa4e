package logout

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
)

// SID returns the name of a login that applications can see and store (sid of OpenID Connect). It does not reveal the
// login's id.
func SID(loginID string) string {
	sum := sha256.Sum256([]byte("sid " + loginID))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// Ended stores that the sign-in of a login has ended. stored is false if no client needs a logout token: the login is
// not an OpenID Connect login, its code was not exchanged, its client has no address for logout tokens, or the end was
// stored before.
func Ended(tx *db.Tx, loginID string, at time.Time) (stored bool, err error) {
	n, err := tx.Exec(`INSERT INTO client_logout_events (client, id, type, subject, body, due_at, claimed, version, tries, created_at)
		SELECT c.id, CAST($2 AS TEXT), 'logout', p.id, CAST($3 AS TEXT), CAST($4 AS BIGINT), 0, 0, 0, CAST($4 AS BIGINT)
		FROM login_sessions AS s JOIN oauth_clients AS c ON c.client_id = s.client_id AND c.backchannel_logout_uri IS NOT NULL
		JOIN profiles AS p ON p.tenant_id = s.tenant_id AND p.phone = s.phone AND p.mode = s.mode
		WHERE s.id = $1 AND s.scope IS NOT NULL AND s.token_id IS NOT NULL
		ON CONFLICT (subject, client, body) DO NOTHING`, loginID, id.Event+id.New(at), SID(loginID), db.Ms(at))
	return n == 1, err
}

// Erased stores that the sign-ins of a person have ended whose logins are about to be deleted. It also deletes their
// stored data except the person's id. phone, tenantID, and mode identify the logins.
func Erased(tx *db.Tx, subject, phone, tenantID, mode string, at time.Time) error {
	var clients []string
	err := tx.Each(func(rows *sql.Rows) error {
		var client string
		err := rows.Scan(&client)
		clients = append(clients, client)
		return err
	}, `SELECT c.id FROM login_sessions AS s JOIN oauth_clients AS c ON c.client_id = s.client_id AND c.backchannel_logout_uri IS NOT NULL
		WHERE s.phone = $2 AND s.tenant_id = $3 AND s.mode = $4 AND s.scope IS NOT NULL AND s.token_id IS NOT NULL
		UNION SELECT client FROM client_logout_events WHERE subject = $1 AND due_at IS NOT NULL`, subject, phone, tenantID, mode)
	if err != nil {
		return err
	}
	for _, text := range []string{
		`DELETE FROM client_logout_attempts WHERE (client, event_id) IN (SELECT client, id FROM client_logout_events WHERE subject = $1 AND body <> '')`,
		`DELETE FROM client_logout_events WHERE subject = $1 AND body <> ''`,
	} {
		if _, err := tx.Exec(text, subject); err != nil {
			return err
		}
	}
	for _, client := range clients {
		_, err := tx.Exec(`INSERT INTO client_logout_events (client, id, type, subject, body, due_at, claimed, version, tries, created_at)
			VALUES ($1, $2, 'logout', $3, '', $4, 0, 0, 0, $4) ON CONFLICT (subject, client, body) DO NOTHING`, client, id.Event+id.New(at), subject, db.Ms(at))
		if err != nil {
			return err
		}
	}
	return nil
}

// stored is the content of a logout token about an ended sign-in.
type stored struct {
	audience string // the client's public identifier
	subject  string
	sid      string // empty: every login of the person
}

// selectStored returns an ended sign-in; nil if its event was deleted.
func selectStored(ctx context.Context, d *db.DB, client, eventID string) (*stored, error) {
	s := &stored{}
	found, err := d.Read(ctx).Row(`SELECT c.client_id, e.subject, e.body FROM client_logout_events AS e JOIN oauth_clients AS c ON c.id = e.client
		WHERE e.client = $1 AND e.id = $2`, client, eventID).Scan(&s.audience, &s.subject, &s.sid)
	if err != nil || !found {
		return nil, err
	}
	return s, nil
}
