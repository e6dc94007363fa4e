package account

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"griot/internal/db"
	"griot/internal/id"
	"griot/internal/seal"
)

// Bounds of a code by which somebody signs in.
const (
	CodeTime   = 10 * time.Minute
	codeTries  = 5
	codeWindow = 10 * time.Minute
	codeIssues = 5 // codes of an address in a window
	codeDigits = 6
)

// ErrTooManyCodes is returned when an address has been sent enough codes for now.
var ErrTooManyCodes = errors.New("account: the address has had enough codes for now")

// SignIn lets people in who prove an e-mail address by a code that was sent to it.
type SignIn struct {
	d   *Directory
	key []byte
}

// NewSignIn returns what lets people in; key signs the codes.
func NewSignIn(d *Directory, key *seal.Key) *SignIn {
	return &SignIn{d: d, key: key.Derive("sign-in-code")}
}

// Code is a code that is to be sent.
type Code struct {
	id, email, mac string
	now            time.Time
}

// NormalEmail writes an address as addresses are compared here: in small letters.
func NormalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// Code makes a code of six digits for an address that may sign in: an owner's, a
// member's, or one that is invited; nil for any other.
//
// Errors: [ErrTooManyCodes].
func (s *SignIn) Code(ctx context.Context, email string) (c *Code, digits string, err error) {
	now := s.d.now()
	email = NormalEmail(email)
	known, full, err := mayHaveCode(s.d.db.Read(ctx), email, now)
	switch {
	case err != nil || !known:
		return nil, "", err
	case full:
		return nil, "", ErrTooManyCodes
	}
	digits = id.Code(codeDigits)
	c = &Code{id: id.New(now), email: email, now: now}
	c.mac = s.mac(c.id, email, digits)
	return c, digits, nil
}

// Keep stores a code beside the message that carries it; the address's last code
// is void from then on. Its error is [ErrTooManyCodes] when others were faster.
func (c *Code) Keep(tx *db.Tx) error {
	kept, err := storeCode(tx, c)
	if err == nil && !kept {
		err = ErrTooManyCodes
	}
	return err
}

func (s *SignIn) mac(codeID, email, digits string) string {
	return base64.RawURLEncoding.EncodeToString(seal.MAC(s.key, codeID, email, digits))
}

// Open exchanges an address's code for a session, once, and returns the token for
// the browser's cookie. opened is false when the code is wrong, used or expired,
// when it was tried too often, and when there is none: these look alike.
func (s *SignIn) Open(ctx context.Context, email, digits string) (token string, session *Session, opened bool, err error) {
	now := s.d.now()
	token, email = id.Token(tokenBytes), NormalEmail(email)
	made := Session{ID: id.New(now), Email: email, ExpiresAt: now.Add(SessionTime)}
	err = s.d.db.Write(ctx, func(tx *db.Tx) (err error) {
		opened = false
		codeID, mac, found, err := tryCode(tx, email, now)
		if err != nil || !found || !seal.Equal(mac, s.mac(codeID, email, digits)) {
			return err
		}
		if err := spendCode(tx, email); err != nil {
			return err
		}
		of, err := selectBelongings(&tx.Query, email)
		if err != nil {
			return err
		}
		if made.accountID = ""; len(of) > 0 {
			made.accountID = of[0].AccountID
		}
		opened = true
		return insertSession(tx, &made, seal.Hash(token), now)
	})
	if err != nil || !opened {
		return "", nil, false, err
	}
	return token, &made, true, nil
}
