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

// Past is a one-time code of the past, and what became of it.
type Past struct {
	Caller     *account.Caller
	Request    *Request
	At         time.Time
	Events     []delivery.PastEvent // of its message
	WrongTries int
	VerifiedAt time.Time // when the right code came; zero: never
}

// Import returns the message of a code of the past, for [delivery.Service.Import]. The challenge is stored with it, unless it
// would have been swept by now.
//
// [Service.Issue] can't replace it, because it sends the code with [delivery.Service.Submit], which calls the gateway
// ([delivery.Service.Import] has the other reasons), and returns no code that [Service.Verify] could get.
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

// guess counts the guesses at a challenge: the wrong ones, then the right one.
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
