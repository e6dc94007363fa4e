package account

import (
	"context"
	"encoding/base64"
	"slices"
	"sync/atomic"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/id"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/visible"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/person"
)

// Limits of sign-in codes.
const (
	CodeTime   = 10 * time.Minute
	codeTries  = 5
	codeDigits = 6
	liveCodes  = 10   // valid codes of an address in one browser at the same time
	manyMails  = 1000 // used as the limit if there is none
)

// A SignIn signs in people who enter a code that was sent to their email address.
type SignIn struct {
	d        *Directory
	codes    *seal.Secret
	sessions *seal.Secret
	browsers *seal.Secret
	emails   *seal.Box
	mails    limit.Rate

	signUps      *limit.Limiter // codes to addresses without an account, by the client's address
	dailySignUps int            // for all clients, per UTC day; 0: no limit
	fullDay      atomic.Int64   // the latest day on which the limit was reached
}

// NewSignIn returns a SignIn. key signs the codes and the browsers' cookies. mails limits the codes that can be sent
// to an address in any period. It applies once to all browsers that have not signed in before, and separately to each
// one that has.
func NewSignIn(d *Directory, key *seal.Key, mails limit.Rate) *SignIn {
	if mails.Times == 0 {
		mails = limit.Rate{Times: manyMails, Period: time.Hour}
	}
	return &SignIn{d: d, codes: key.Secret("sign-in-code"), sessions: key.Secret("sign-in-session"), browsers: key.Secret("sign-in-browser"), emails: key.Box("sign-in-email"), mails: mails}
}

// Code is a requested sign-in code.
type Code struct {
	id, email, mac  string
	browser, budget string // budget is equal to browser if the address has signed in there before; otherwise, it is empty
	place           int
	client          string // the client's address
	now             time.Time
}

// NormalEmail returns the form in which accounts, members, and invitations store an email address, so that every
// spelling of it is found.
func NormalEmail(email string) string { return person.Form(visible.Trim(email)) }

// RequestCode counts one of the mails that can be sent to an address, whether or not the address is known. If the
// limit is reached, wait is the time until it ends.
func (s *SignIn) RequestCode(ctx context.Context, email string, b *Browser) (c *Code, wait time.Duration, err error) {
	now := s.d.now()
	c = &Code{id: id.New(now), email: NormalEmail(email), browser: b.hash(), client: b.Client, now: now}
	if s.knows(b, c.email) {
		c.budget = c.browser
	}
	err = s.d.db.Write(ctx, func(tx *db.Tx) (err error) {
		wait, err = countMail(tx, c, s.mails)
		return err
	})
	if err != nil || wait > 0 {
		return nil, wait, err
	}
	return c, 0, nil
}

// NewDigits returns the digits of a code if the address can sign in: an owner's, a member's, or an invited address,
// or, with open sign-up, any other address within the limits. Otherwise, it returns "".
//
// Errors: [ErrSignupsUsedUp], once per day.
func (s *SignIn) NewDigits(ctx context.Context, c *Code) (digits string, err error) {
	known, err := mayHaveCode(s.d.db.Read(ctx), c.email, c.now)
	if err == nil && !known {
		known, err = s.mayBeNew(ctx, c)
	}
	if err != nil || !known {
		return "", err
	}
	digits = id.Code(codeDigits)
	c.mac = s.mac(c.id, c.email, digits)
	return digits, nil
}

// Store stores a code in the transaction of the message that contains it. The browser's earlier codes for the address
// stay valid, up to a total of ten.
func (c *Code) Store(tx *db.Tx) error { return storeCode(tx, c) }

func (s *SignIn) mac(codeID, email, digits string) string {
	return encodeMAC(s.codes.MAC(codeID, email, digits))
}

func encodeMAC(mac []byte) string { return base64.RawURLEncoding.EncodeToString(mac) }

// Redeem exchanges an address's code for a session, once, in the browser that requested it, and returns the token for
// the session's cookie. From then on, the browser is known for the address. opened is false if the code is wrong,
// used, or expired, was tried too often, or was requested in another browser. Callers cannot distinguish these cases.
// A try counts for each code of the address that is valid in the browser, so that having several codes does not allow
// more guesses than having one.
//
// During [forms.RepeatTime], a used code returns its session again if it is still open.
//
// current is the token of a session that the new one replaces if it belongs to the address, so that a person who
// enters another code stays in the current account.
func (s *SignIn) Redeem(ctx context.Context, email string, b *Browser, digits, current string) (token string, session *Session, opened bool, err error) {
	now, email := s.d.now(), NormalEmail(email)
	made := Session{ID: id.New(now), Email: email, ExpiresAt: now.Add(SessionTime), CodeAt: now, NewBrowser: !s.knows(b, email)}
	err = s.d.db.Write(ctx, func(tx *db.Tx) (err error) {
		token, session = "", nil
		tried, err := tryCodes(tx, email, b.hash(), now)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(tried, func(c storedCode) bool { return s.codes.Made(c.mac, encodeMAC, c.id, email, digits) })
		if i < 0 {
			return nil
		}
		used := &tried[i]
		if err := useCode(tx, email, used, tried, now); err != nil {
			return err
		}
		seeds := s.seeds(used.id, b)
		if used.used {
			token, session, err = findOpened(&tx.Query, seeds, now)
			return err
		}
		token, session, made.accountID = forms.Token(seeds.First()), &made, ""
		of, err := selectAffiliations(&tx.Query, email)
		if err != nil {
			return err
		}
		before := ""
		if current != "" {
			if before, err = endSessionOf(tx, seal.Hash(current), email); err != nil {
				return err
			}
		}
		if len(of) == 0 { // an invited or new person
			return insertSession(tx, &made, seal.Hash(token), now)
		}
		in := of[0]
		for _, a := range of {
			if a.AccountID == before {
				in = a
			}
		}
		made.accountID = in.AccountID
		if err := insertSession(tx, &made, seal.Hash(token), now); err != nil {
			return err
		}
		return audit.Record(tx, s.d.sessionEvent(ctx, audit.SessionOpened, made.ID, in.AccountID, in.MemberID, email))
	})
	if err != nil || session == nil {
		return "", nil, false, err
	}
	s.addKnown(b, email)
	return token, session, true, nil
}

// seeds returns the seeds of the session token for a code or an invitation that is used in a browser.
func (s *SignIn) seeds(codeID string, b *Browser) forms.Seeds {
	return s.sessions.MACs(codeID, b.token)
}

// findOpened returns the session that was opened with one of the seeds, and its token, if the session is open.
func findOpened(q *db.Query, seeds forms.Seeds, now time.Time) (token string, session *Session, err error) {
	for _, seed := range seeds {
		token = forms.Token(seed)
		if session, err = findSession(q, seal.Hash(token), now); err != nil || session != nil {
			return token, session, err
		}
	}
	return "", nil, nil
}

// SweepMails deletes counts of mails that are outside all periods and have no valid code.
func (s *SignIn) SweepMails(ctx context.Context) error {
	until := s.d.now().Add(-max(s.mails.Period, CodeTime+forms.RepeatTime))
	for deleted := int64(sweepMails); deleted == sweepMails; {
		err := s.d.db.Write(ctx, func(tx *db.Tx) (err error) {
			deleted, err = deleteMails(tx, until)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
