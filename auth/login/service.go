package login

import (
	"sync"
	"sync/atomic"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/gateway"
	"example.com/griot/gateway/identity"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/metrics"
	"example.com/griot/internal/seal"
)

// Receiver is a number to which people send their words.
type Receiver struct {
	PhoneID string // receiverPhoneId in the API
	Number  string // E.164 digits
	Gateway string // the gateway of the number's messages; empty: proofs come only through /internal/verify
	Secret  string // for the signatures of /internal/verify; empty: the endpoint refuses the number
}

// Options are the dependencies and settings of a Service.
type Options struct {
	DB        *db.DB
	Key       *seal.Key
	Now       clock.Now
	Issuer    string // the service's public address, for the hand-back (RFC 9207)
	Receivers []Receiver
	KeepAudit time.Duration   // how long audit events are kept; 0: permanently
	Notify    func()          // called after the commit of a webhook event; can be nil
	Metrics   *metrics.Logins // counts steps; nil: steps are not counted
	Tenants   *tenant.Store   // records the starts of logins; nil: not recorded
	Identity  *identity.Store // the numbers of people whose number WhatsApp hides
	Gateways  *gateway.Set    // of the receivers
	Ask       func() bool     // reports whether people whose number WhatsApp hides are asked for it ([Service.RunMessages]); nil: never
	Reply     func() bool     // reports whether a message that proves a login gets a reply ([Service.RunMessages]); nil: never
	Limits    *limit.Settings // of a person's messages and proofs; nil: nothing is limited
}

// Service runs logins. It is safe for concurrent use.
type Service struct {
	db          *db.DB
	now         clock.Now
	issuer      string
	codes       *seal.Secret
	receivers   []Receiver
	notify      func()
	metrics     *metrics.Logins
	tenants     *tenant.Store
	keepAudit   time.Duration
	identity    *identity.Store
	gateways    *gateway.Set
	asks        func() bool
	asking      chan string // logins whose sender is to be asked for the number
	replies     func() bool
	replying    chan reply
	warned      atomic.Int64  // Unix milliseconds of the latest warning that a reply was not sent
	starts      atomic.Uint64 // for the rotation of receivers
	limits      *limits
	words       func() *wordLists
	subscribers subscribers
	waiting     waitingCache
	unreadable  unreadable
	sweeping    sync.Mutex   // of the logins that nobody has proved
	swept       string       // the id up to which they were swept; empty at the start
	refreshed   atomic.Int64 // Unix milliseconds; changes of other nodes are known up to this time
}

// New returns a service.
func New(o Options) *Service {
	never := func() bool { return false }
	if o.Ask == nil {
		o.Ask = never
	}
	if o.Reply == nil {
		o.Reply = never
	}
	notify := o.Notify
	if notify == nil {
		notify = func() {}
	}
	return &Service{
		notify: notify, keepAudit: o.KeepAudit, tenants: o.Tenants, metrics: o.Metrics, db: o.DB, now: o.Now, issuer: o.Issuer, codes: o.Key.Secret("login-code"),
		receivers: o.Receivers, limits: newLimits(o.Now, o.Limits), words: sync.OnceValue(newWordLists),
		identity: o.Identity, gateways: o.Gateways, asks: o.Ask, asking: make(chan string, maxAsking),
		replies: o.Reply, replying: make(chan reply, maxReplies),
	}
}

// nextReceiver returns the receiver for a new session; the zero Receiver if there is none.
func (s *Service) nextReceiver() Receiver {
	if len(s.receivers) == 0 {
		return Receiver{}
	}
	return s.receivers[(s.starts.Add(1)-1)%uint64(len(s.receivers))]
}

// NoLoginNumber returns the refusal of LIVE logins without a receiver. Only a restart with one changes the result.
func NoLoginNumber() error { return apierror.AuthNoLoginNumber.After(time.Minute) }

// Configured reports whether the service has a receiver, without which no LIVE login starts.
func (s *Service) Configured() bool { return len(s.receivers) > 0 }

// Unreachable reports whether a login waits for words to a number that is no longer configured, so that no one can
// prove it.
func (s *Service) Unreachable(session *Session) bool {
	return session.waits(s.now()) && s.unreachable(session.Mode, session.Receiver)
}

func (s *Service) unreachable(mode tenant.Mode, receiver string) bool {
	return mode == tenant.Live && s.receiverNumber(receiver) == ""
}

// receiverNumber returns the number of a receiver; "" if it is not configured.
func (s *Service) receiverNumber(phoneID string) string {
	for _, r := range s.receivers {
		if r.PhoneID == phoneID {
			return r.Number
		}
	}
	return ""
}

// code derives a session's authorization code, so that each hand-back returns the same
// one, although the database contains neither the key nor the code.
func (s *Service) code(sessionID, nonce string) string {
	return id.Encode(s.codes.MAC(sessionID, nonce))
}

// codeOf returns the code of a proved session, which can have been proved under the previous master key.
func (s *Service) codeOf(session *Session) (code string) {
	for _, mac := range s.codes.MACs(session.ID, session.codeNonce) {
		if code = id.Encode(mac); seal.Hash(code) == session.codeHash {
			break
		}
	}
	return code
}

// event returns an audit event about a session. It is called outside of transactions, so that a repeated one writes the same id.
func event(session *Session, typ, actor string, at time.Time, caller tenant.Caller) *tenant.Event {
	return &tenant.Event{
		ID: id.New(at), Type: typ, At: at, Actor: actor, Caller: caller,
		TenantID: session.TenantID, ClientID: session.ClientID, LoginID: session.ID, Mode: session.Mode,
	}
}
