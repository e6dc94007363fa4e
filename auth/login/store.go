package login

import (
	"cmp"
	"database/sql"
	"errors"
	"time"

	"example.com/griot/auth/oauth"
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/phone"
)

const sessionColumns = `id, tenant_id, tenant_name, client_id, mode, cookie_hash, redirect_uri, state, code_challenge, scope, nonce, form_post, subject, receiver, words, words_key,
	status, expires_at, live_until, phone, code_nonce, COALESCE(code_hash, ''), code_expires_at, token_revoked, told, ended_by, short_code, lang, held_portfolio, held_id, asked_at, requested_at`

func selectSession(q *db.Query, sessionID string) (*Session, error) {
	return scanSession(q.Row(`SELECT `+sessionColumns+` FROM login_sessions WHERE id = $1`, sessionID))
}

// selectByShortCode finds a login whose words are awaited.
func selectByShortCode(q *db.Query, code string, now time.Time) (*Session, error) {
	return scanSession(q.Row(`SELECT `+sessionColumns+` FROM login_sessions WHERE short_code = $1 AND `+allows(prove)+` AND expires_at > $2`, code, db.Ms(now)))
}

func selectByCode(tx *db.Tx, codeHash string) (*Session, error) {
	return scanSession(tx.Row(`SELECT `+sessionColumns+` FROM login_sessions WHERE code_hash = $1`, codeHash))
}

// scanSession reads a session; nil if there is none.
func scanSession(row db.Row) (*Session, error) {
	s := &Session{}
	var expires, live, revoked, webhook, formPost int64
	var number, codeNonce, ended, short, scope, nonce, subject sql.NullString
	var codeExpires sql.NullInt64
	found, err := row.Scan(&s.ID, &s.TenantID, &s.TenantName, &s.ClientID, &s.Mode, &s.cookieHash, &s.RedirectURI, &s.State, &s.challenge, &scope, &nonce, &formPost, &subject,
		&s.Receiver, &s.Words, &s.wordsKey, &s.Status, &expires, &live, &number, &codeNonce, &s.codeHash, &codeExpires, &revoked, &webhook, &ended, &short,
		&s.Lang, db.OrZero(&s.held.portfolio), db.OrZero(&s.held.id), db.Time(&s.askedAt), db.Time(&s.requestedAt))
	if err != nil || !found {
		return nil, err
	}
	s.ExpiresAt, s.LiveUntil, s.codeExpires = db.At(expires), db.At(live), db.AtNull(codeExpires)
	s.Phone, s.codeNonce, s.tokenRevoked, s.hasWebhook = phoneNumber(number), codeNonce.String, revoked != 0, webhook != 0
	s.EndedBy, s.ShortCode, s.Subject = EndReason(ended.String), short.String, subject.String
	s.OpenID = oauth.OpenID{Scope: scope.String, Nonce: nonce.String, FormPost: formPost != 0}
	return s, nil
}

// reserveWords reserves the session's words at its receiver, if no other session has them.
func reserveWords(tx *db.Tx, s *Session, now, until time.Time) (free bool, err error) {
	n, err := tx.Exec(`INSERT INTO login_words (receiver, words_key, session_id, expires_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (receiver, words_key) DO UPDATE SET session_id = excluded.session_id, expires_at = excluded.expires_at
		WHERE login_words.expires_at <= $5`, s.Receiver, s.wordsKey, s.ID, db.Ms(until), db.Ms(now))
	return n == 1, err
}

// selectByWords returns the sessions that own one of at most 16 keys at a receiver.
func selectByWords(q *db.Query, receiver string, keys []string, now time.Time) (sessions []string, err error) {
	args := []any{receiver, db.Ms(now)}
	for i := range maxWindows {
		args = append(args, keys[min(i, len(keys)-1)])
	}
	err = q.Each(func(rows *sql.Rows) error {
		var sessionID string
		err := rows.Scan(&sessionID)
		sessions = append(sessions, sessionID)
		return err
	}, `SELECT session_id FROM login_words WHERE receiver = $1 AND expires_at > $2
		AND words_key IN ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`, args...)
	return sessions, err
}

func insertSession(tx *db.Tx, s *Session, now time.Time) error {
	_, err := tx.Exec(`INSERT INTO login_sessions (id, tenant_id, tenant_name, client_id, mode, cookie_hash, redirect_uri, state, code_challenge,
			receiver, words, words_key, status, created_at, expires_at, live_until, wrong_tries, token_revoked, told, short_code, scope, nonce, form_post, subject, lang)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 0, 0, $17, $18, $19, $20, $21, $22, $23)`,
		s.ID, s.TenantID, s.TenantName, s.ClientID, s.Mode, s.cookieHash, s.RedirectURI, s.State, s.challenge,
		s.Receiver, s.Words, s.wordsKey, s.Status, db.Ms(now), db.Ms(s.ExpiresAt), db.Ms(s.LiveUntil), db.Flag(s.hasWebhook), db.Null(s.ShortCode), db.Null(s.OpenID.Scope), db.Null(s.OpenID.Nonce), db.Flag(s.OpenID.FormPost), db.Null(s.Subject), string(s.Lang))
	return err
}

func markActivated(tx *db.Tx, sessionID string, now time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE login_sessions SET `+becomes(activate)+` WHERE id = $1 AND `+allows(activate)+` AND expires_at > $2`,
		sessionID, db.Ms(now))
	return n == 1, err
}

// markVerified marks a session as verified, unless it is held for someone else than when it was read. It refuses a
// message that has done something to a session before.
func markVerified(tx *db.Tx, p *preparedProof, held sender) (bool, error) {
	n, err := tx.Exec(`UPDATE login_sessions SET `+becomes(prove)+`, verified_at = $2, phone = $3, provider = $4, code_nonce = $5, code_hash = $6,
			live_until = $7
		WHERE id = $1 AND `+allows(prove)+` AND expires_at > $2 AND NOT EXISTS (SELECT 1 FROM login_proofs WHERE message_id = $8)
			AND COALESCE(held_id, '') = $9 AND COALESCE(held_portfolio, '') = $10`,
		p.SessionID, db.Ms(p.now), string(p.Phone), string(p.Provider), p.nonce, p.codeHash, db.Ms(p.now.Add(handBackTime)), p.MessageID, held.id, held.portfolio)
	return n == 1, err
}

// markSenderRefused ends a login that waits for a person other than the sender of its words.
func markSenderRefused(tx *db.Tx, sessionID string, by EndReason, now time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE login_sessions SET `+endedBy(cancel, by, "$2")+` WHERE id = $1 AND `+allows(prove)+` AND expires_at > $2`, sessionID, db.Ms(now))
	return n == 1, err
}

// holdPerson reports whether a phone belongs to the login's person. It writes the profile's row, so that a concurrent
// detachment or erasure either waits for this transaction or has removed the phone before it.
func holdPerson(tx *db.Tx, s *Session, p *preparedProof) (bool, error) {
	n, err := tx.Exec(`UPDATE profiles SET last_seen_at = last_seen_at WHERE id = $1 AND tenant_id = $2 AND phone = $3 AND mode = $4`, s.Subject, s.TenantID, string(p.Phone), s.Mode)
	return n == 1, err
}

func insertProof(tx *db.Tx, p *preparedProof) (first bool, err error) {
	n, err := tx.Exec(`INSERT INTO login_proofs (message_id, session_id, at, source) VALUES ($1, $2, $3, $4) ON CONFLICT (message_id) DO NOTHING`,
		p.MessageID, p.SessionID, db.Ms(p.now), string(cmp.Or(p.Source, gateway.NumberShown)))
	return n == 1, err
}

// upsertProfile stores the newest known name. For a sandbox number, it also stores that there is no name.
func upsertProfile(tx *db.Tx, s *Session, p *preparedProof) error {
	_, err := tx.Exec(`INSERT INTO profiles (id, tenant_id, phone, mode, display_name, metadata, first_seen_at, last_seen_at) VALUES ($1, $2, $3, $4, $5, '{}', $6, $6)
		ON CONFLICT (tenant_id, phone, mode) DO UPDATE SET
			display_name = CASE WHEN excluded.display_name IS NOT NULL OR $7 = 'sandbox' THEN excluded.display_name ELSE profiles.display_name END,
			last_seen_at = CASE WHEN profiles.last_seen_at > excluded.last_seen_at THEN profiles.last_seen_at ELSE excluded.last_seen_at END`,
		p.profileID, s.TenantID, string(p.Phone), s.Mode, db.Null(p.name()), db.Ms(p.now), string(p.Provider))
	return err
}

func markTerminated(tx *db.Tx, sessionID string, by EndReason, now time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE login_sessions SET `+endedBy(terminate, by, "$2")+` WHERE id = $1 AND `+allows(terminate), sessionID, db.Ms(now))
	return n == 1, err
}

func markHandedBack(tx *db.Tx, sessionID string, now, codeExpires time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE login_sessions SET code_expires_at = $2 WHERE id = $1 AND `+allows(redeem)+` AND code_expires_at IS NULL AND live_until > $3`,
		sessionID, db.Ms(codeExpires), db.Ms(now))
	return n == 1, err
}

// markConsumed redeems a code if all conditions are met; otherwise it returns nil.
func markConsumed(tx *db.Tx, r *redemption) (*Grant, error) {
	g := &Grant{TokenID: r.tokenID, IssuedAt: r.now}
	p := &g.Profile
	var verified, webhook int64
	var scope, nonce sql.NullString
	found, err := tx.Row(`UPDATE login_sessions SET `+becomes(redeem)+`, consumed_at = $2, token_id = $3
		WHERE code_hash = $1 AND `+allows(redeem)+` AND code_expires_at > $2 AND client_id = $4 AND redirect_uri = $5 AND code_challenge = $6
		RETURNING id, tenant_id, mode, phone, provider, verified_at, told, scope, nonce`,
		r.codeHash, db.Ms(r.now), r.tokenID, r.Client.ClientID, r.RedirectURI, r.challenge).
		Scan(&g.SessionID, &p.TenantID, &p.Mode, &p.Phone, &p.Provider, &verified, &webhook, &scope, &nonce)
	if err != nil || !found {
		return nil, err
	}
	g.VerifiedAt, g.hasWebhook, g.OpenID = db.At(verified), webhook != 0, oauth.OpenID{Scope: scope.String, Nonce: nonce.String}
	return g, readProfile(tx, p)
}

func readProfile(tx *db.Tx, p *Profile) error {
	var name sql.NullString
	var seen int64
	found, err := tx.Row(`SELECT id, display_name, metadata, first_seen_at, COALESCE(username, '') FROM profiles WHERE tenant_id = $1 AND phone = $2 AND mode = $3`,
		p.TenantID, string(p.Phone), p.Mode).Scan(&p.ID, &name, &p.Metadata, &seen, &p.Username)
	p.DisplayName, p.FirstSeenAt = name.String, db.At(seen)
	if err == nil && !found { // unreachable, because an erasure deletes the profile with the logins; a token must never be without a subject
		err = errors.New("login: a verified login without its profile")
	}
	return err
}

// markRevoked revokes the token of a session and returns its id; empty if it was revoked before.
func markRevoked(tx *db.Tx, sessionID string) (tokenID string, err error) {
	_, err = tx.Row(`UPDATE login_sessions SET token_revoked = 1 WHERE id = $1 AND token_revoked = 0 RETURNING token_id`, sessionID).Scan(&tokenID)
	return tokenID, err
}

// revokeToken marks a token as revoked. It returns nil if the token was revoked before or isn't the client's.
func revokeToken(tx *db.Tx, tokenID, clientID string) (*Session, error) {
	s := &Session{ClientID: clientID}
	var webhook int64
	found, err := tx.Row(`UPDATE login_sessions SET token_revoked = 1 WHERE token_id = $1 AND client_id = $2 AND token_revoked = 0 RETURNING id, tenant_id, mode, told, phone`,
		tokenID, clientID).Scan(&s.ID, &s.TenantID, &s.Mode, &webhook, &s.Phone)
	if err != nil || !found {
		return nil, err
	}
	s.hasWebhook = webhook != 0
	return s, nil
}

// selectTokenLive reports whether a token was issued and is not revoked.
func selectTokenLive(q *db.Query, tokenID string) (bool, error) {
	var sessionID string
	return q.Row(`SELECT id FROM login_sessions WHERE token_id = $1 AND token_revoked = 0`, tokenID).Scan(&sessionID)
}

// countWrongTry counts an exchange that didn't match. The fifth ends the login.
func countWrongTry(tx *db.Tx, sessionID string, now time.Time) error {
	_, err := tx.Exec(`UPDATE login_sessions SET wrong_tries = wrong_tries + 1 WHERE id = $1 AND `+allows(redeem), sessionID)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`UPDATE login_sessions SET `+endedBy(terminate, ByWrongCodes, "$3")+` WHERE id = $1 AND `+allows(terminate)+` AND wrong_tries >= $2`,
		sessionID, maxWrongTries, db.Ms(now))
	return err
}

func phoneNumber(s sql.NullString) phone.Number { return phone.Number(s.String) }
