package otp

import (
	"strings"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
)

// A Past is a past one-time code with its events.
type Past struct {
	Caller     *account.Caller
	Request    *Request
	At         time.Time
	Events     []delivery.PastEvent // events of its message
	WrongTries int
	VerifiedAt time.Time // time of the correct guess; zero: never
}

// Import returns the message for a past code, for [delivery.Service.Import]. The challenge is stored with it, unless
// it would already have been deleted.
//
// [Service.Issue] cannot replace it, because it sends the code with [delivery.Service.Submit], which calls the
// gateway ([delivery.Service.Import] explains the other reasons), and does not return the code that [Service.Verify]
// needs.
func (s *Service) Import(p *Past, now time.Time) (*delivery.Past, error) {
	r := p.Request
	if err := r.check(); err != nil {
		return nil, err
	}
	code := id.Code(r.Length)
	content, err := s.compose(r, code)
	if err != nil {
		return nil, err
	}
	ch := s.newChallenge(p.Caller, r, code, p.At)
	past := &delivery.Past{Caller: p.Caller, Request: r.message(content, ch.expiresAt), At: p.At, Events: p.Events}
	if ch.expiresAt.After(now.Add(-challengeRetention)) {
		past.AlsoStore = func(tx *db.Tx, m *message.Message) (err error) {
			ch.messageID, ch.sandbox = m.ID, m.Status == message.Sandbox
			if ch.seq, _, err = addRequest(tx, ch.accountID, ch.address, p.At); err != nil {
				return err
			}
			if err := insertChallenge(tx, ch); err != nil {
				return err
			}
			return p.guess(tx, ch, s.mac(ch.id, strings.Repeat("x", r.Length)))
		}
	}
	return past, nil
}

// guess counts the guesses for a challenge: the wrong ones, then the correct one.
func (p *Past) guess(tx *db.Tx, ch *challenge, wrong string) error {
	who := requester{accountID: ch.accountID, sandbox: ch.sandbox}
	for range p.WrongTries {
		if _, _, err := countGuess(tx, who, ch.id, [2]string{wrong, wrong}, p.At); err != nil {
			return err
		}
	}
	if p.VerifiedAt.IsZero() {
		return nil
	}
	_, _, err := countGuess(tx, who, ch.id, [2]string{ch.codeMAC, ch.codeMAC}, p.VerifiedAt)
	return err
}
