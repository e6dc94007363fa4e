package login

import (
	"sync/atomic"
	"time"

	"griot/auth/tenant"
	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/id"
	"griot/internal/seal"
)

// Receiver is a number that people send their words to.
type Receiver struct {
	PhoneID string // receiverPhoneId on the wire
	Number  string // E.164 digits
	Gateway string // on which the number lives; empty: nobody speaks for it but who signs /internal/verify
	Secret  string // under which /internal/verify is signed; empty: nobody may
}

// Options are what a Service needs.
type Options struct {
	DB        *db.DB
	Key       *seal.Key
	Now       clock.Now
	Issuer    string // the service's public address, for the hand-back (RFC 9207)
	Receivers []Receiver
	Told      func() // called after the commit of what a tenant is told; nil: nobody waits for it
}

// Service runs logins. It is safe for concurrent use.
type Service struct {
	db        *db.DB
	now       clock.Now
	issuer    string
	codeKey   []byte
	receivers []Receiver
	told      func()
	next      atomic.Uint64 // receivers take turns
	words     *wordLists
	watchers  watchers
	waiting   waitingRoom
	refreshed atomic.Int64 // Unix milliseconds: other nodes' changes up to then are known
}

// New returns a service.
func New(o Options) *Service {
	told := o.Told
	if told == nil {
		told = func() {}
	}
	return &Service{
		told: told, db: o.DB, now: o.Now, issuer: o.Issuer, codeKey: o.Key.Derive("login-code"),
		receivers: o.Receivers, words: newWordLists(),
	}
}

// pick returns the receiver for a new session; the zero one when there is none.
func (s *Service) pick() Receiver {
	if len(s.receivers) == 0 {
		return Receiver{}
	}
	return s.receivers[(s.next.Add(1)-1)%uint64(len(s.receivers))]
}

// number returns the number of a receiver that is connected; "" for another.
func (s *Service) number(phoneID string) string {
	for _, r := range s.receivers {
		if r.PhoneID == phoneID {
			return r.Number
		}
	}
	return ""
}

// code derives a session's authorization code: each hand-back can tell it again,
// and the database, which holds neither the key nor the code, can't tell it at all.
func (s *Service) code(sessionID, nonce string) string {
	return id.Encode(seal.MAC(s.codeKey, sessionID, nonce))
}

// event begins an audit event about a session. It is made outside of transactions, for its id.
func event(session *Session, typ, actor string, at time.Time, caller tenant.Caller) *tenant.Event {
	return &tenant.Event{
		ID: id.New(at), Type: typ, At: at, Actor: actor, Caller: caller,
		TenantID: session.TenantID, ClientID: session.ClientID, LoginID: session.ID, Mode: session.Mode,
	}
}
