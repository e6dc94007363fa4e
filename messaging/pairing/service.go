package pairing

import (
	"context"
	"log/slog"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/actor"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/quota"
)

const (
	callTime     = 15 * time.Second // time limit of a call of a gateway
	offeredTime  = 2 * time.Second  // time limit while a page waits for it
	followIn     = 5 * time.Second  // time until the progress of a pairing is checked
	rememberTime = 10 * time.Minute // time for which the result of a pairing is returned
)

// Options are the dependencies of a Service.
type Options struct {
	DB        *db.DB
	Directory *account.Directory
	Delivery  *delivery.Service
	Now       clock.Now
	Log       *slog.Logger
	URL       string // the API's base URL, for links in mails
}

// A Service starts, shows, and cancels pairings. It is safe for concurrent use. [Service.Run] does its background work.
type Service struct{ o Options }

// New returns a service.
func New(o Options) *Service { return &Service{o} }

// OfferedFor reports whether a sender belongs to an account itself and its gateway supports pairing.
func (s *Service) OfferedFor(ctx context.Context, from account.Sender) bool {
	return from.AccountID != "" && s.Offered(ctx, from)
}

// StartFor starts to pair one of the own senders of the caller's account.
//
// Errors: those of [account.Account.OwnSender] and [Service.Start], and [apierror.InvalidRequest] for the method.
func (s *Service) StartFor(ctx context.Context, c *account.Caller, senderID string, method gateway.PairingMethod) (gateway.PairingProgress, error) {
	if err := account.MayPairSenders.Check(c, s.o.Now()); err != nil {
		return gateway.PairingProgress{}, err
	}
	from, err := c.Account.OwnSender(senderID)
	if err != nil {
		return gateway.PairingProgress{}, err
	}
	if method != gateway.PairByQR && method != gateway.PairByCode {
		return gateway.PairingProgress{}, apierror.InvalidRequest.On("method").Detailf("method must be qr or code.")
	}
	return s.Start(ctx, from, method)
}

// ProgressFor returns the progress of pairing one of the own senders of the caller's account.
//
// Errors: those of [account.Account.OwnSender] and [Service.Progress].
func (s *Service) ProgressFor(ctx context.Context, c *account.Caller, senderID string) (gateway.PairingProgress, error) {
	if err := account.MayPairSenders.Check(c, s.o.Now()); err != nil {
		return gateway.PairingProgress{}, err
	}
	from, err := c.Account.OwnSender(senderID)
	if err != nil {
		return gateway.PairingProgress{}, err
	}
	return s.Progress(ctx, from)
}

// CancelFor cancels the pairing of one of the own senders of the caller's account.
//
// Errors: those of [account.Account.OwnSender] and [Service.Cancel].
func (s *Service) CancelFor(ctx context.Context, c *account.Caller, senderID string) (gateway.PairingProgress, error) {
	if err := account.MayPairSenders.Check(c, s.o.Now()); err != nil {
		return gateway.PairingProgress{}, err
	}
	from, err := c.Account.OwnSender(senderID)
	if err != nil {
		return gateway.PairingProgress{}, err
	}
	return s.Cancel(ctx, from)
}

// Offered reports whether a sender's gateway supports pairing, as far as this can be determined within two seconds.
func (s *Service) Offered(ctx context.Context, from account.Sender) bool {
	gw, done := s.o.Delivery.Pairer(from)
	defer done()
	if gw == nil {
		return false
	}
	if g, ok := gw.(gateway.Sender); ok && g.Info().Pairs {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, offeredTime) // the gateway's abilities might not be known yet
	defer cancel()
	_, err := status(ctx, gw, from)
	return err == nil
}

// Start starts a pairing of a sender's number, or continues one with the same method that is in progress. It cancels
// one with the other method.
//
// Errors: pairing_unsupported, gateway_unavailable, rate_limited.
func (s *Service) Start(ctx context.Context, from account.Sender, method gateway.PairingMethod) (gateway.PairingProgress, error) {
	gw, done, err := s.open(from)
	if err != nil {
		return gateway.PairingProgress{}, err
	}
	defer done()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*callTime) // a caller that disconnects must not leave an incomplete row
	defer cancel()
	now, r, err := s.look(ctx, gw, from)
	if err != nil {
		return now, err
	}
	if r != nil && now.State.UnderWay() {
		if r.method == method {
			return now, nil
		}
		if _, err := s.cancel(ctx, gw, from, r); err != nil {
			return now, err
		}
	}
	if r, err = s.insert(ctx, from, method); err != nil {
		return now, err
	}
	if r == nil { // another request was faster
		now, _, err = s.look(ctx, gw, from)
		return now, err
	}
	now, failure := call(ctx, func(ctx context.Context) (gateway.PairingProgress, error) {
		return gw.StartPairing(ctx, from.Channel, from.Address, method)
	})
	if failure != nil {
		if e := gateway.AsError(failure); e.Class != gateway.Temporary { // otherwise, the pairing might have started, so the row is followed
			if err := s.end(ctx, r, stateFailed, e.Code); err != nil {
				return now, err
			}
		}
		return now, refused(failure)
	}
	if err := s.opened(ctx, r); err != nil {
		return now, err
	}
	return now, s.note(ctx, r, now)
}

// Progress returns the progress of pairing a sender's number, or, for ten minutes, its result. It returns none if the
// number was unlinked since.
//
// Errors: pairing_unsupported, gateway_unavailable, rate_limited.
func (s *Service) Progress(ctx context.Context, from account.Sender) (gateway.PairingProgress, error) {
	gw, done, err := s.open(from)
	if err != nil {
		return gateway.PairingProgress{}, err
	}
	defer done()
	now, _, err := s.look(ctx, gw, from)
	return now, err
}

// Cancel cancels the pairing of a sender's number, if one is in progress, and returns the new progress.
//
// Errors: pairing_unsupported, gateway_unavailable, rate_limited.
func (s *Service) Cancel(ctx context.Context, from account.Sender) (gateway.PairingProgress, error) {
	gw, done, err := s.open(from)
	if err != nil {
		return gateway.PairingProgress{}, err
	}
	defer done()
	now, r, err := s.look(ctx, gw, from)
	if err != nil || !now.State.UnderWay() {
		return now, err
	}
	return s.cancel(ctx, gw, from, r)
}

// cancel cancels a pairing at the gateway. If a phone was faster, the number is linked.
func (s *Service) cancel(ctx context.Context, gw gateway.Pairer, from account.Sender, r *row) (gateway.PairingProgress, error) {
	if err := cancelAt(ctx, gw, from); err != nil {
		return gateway.PairingProgress{}, refused(err)
	}
	now, open, err := s.look(ctx, gw, from)
	if err != nil || r == nil {
		return now, err
	}
	if open != nil && open.id == r.id && !now.State.UnderWay() { // the gateway does not know it anymore
		err = s.end(ctx, r, stateFailed, gateway.PairingCancelled)
		now = gateway.PairingProgress{State: gateway.PairingFailed, Reason: gateway.PairingCancelled}
	}
	return now, err
}

// open returns the sender's gateway if it supports pairing.
func (s *Service) open(from account.Sender) (gateway.Pairer, func(), error) {
	gw, done := s.o.Delivery.Pairer(from)
	if gw == nil {
		done()
		return nil, func() {}, apierror.PairingUnsupported.Err()
	}
	return gw, done, nil
}

// look requests the progress of a pairing from the gateway, and ends the row of a pairing that has ended. It returns
// the row of a pairing in progress, or nil if there is none.
func (s *Service) look(ctx context.Context, gw gateway.Pairer, from account.Sender) (gateway.PairingProgress, *row, error) {
	r, err := latest(s.o.DB.Read(ctx), from.ID)
	if err != nil {
		return gateway.PairingProgress{}, nil, err
	}
	now, err := status(ctx, gw, from)
	switch {
	case err != nil:
		return now, nil, refused(err)
	case r == nil:
		return now, nil, nil
	case !r.endedAt.IsZero():
		if now.State == gateway.PairingNone && s.o.Now().Sub(r.endedAt) < rememberTime && !s.unlinked(r) {
			now = r.progress() // the gateway was restarted
		}
		return now, nil, nil
	case r.state == stateStarting: // the caller that started it is waiting for the gateway's response
		return now, r, nil
	case now.State == gateway.PairingNone && s.linkedMeanwhile(r):
		now.State = gateway.PairingDone
	}
	if err := s.note(ctx, r, now); err != nil {
		return now, nil, err
	}
	if !now.State.UnderWay() && now.State != gateway.PairingNone {
		r = nil
	}
	return now, r, nil
}

// linkedMeanwhile reports whether a number whose pairing its gateway does not know anymore is now connected, and was
// not connected before.
func (s *Service) linkedMeanwhile(r *row) bool {
	return !r.connected && s.o.Delivery.State(r.sender()) == gateway.Connected
}

// unlinked reports whether a number was linked and is no longer linked.
func (s *Service) unlinked(r *row) bool {
	switch s.o.Delivery.State(r.sender()) {
	case gateway.LoggedOut, gateway.Banned, gateway.Pairing:
		return r.state == statePaired
	case gateway.Disconnected, gateway.Connecting, gateway.Connected, gateway.Restricted, gateway.Outdated:
	}
	return false
}

// note ends the row of a pairing that has ended.
func (s *Service) note(ctx context.Context, r *row, now gateway.PairingProgress) error {
	switch now.State {
	case gateway.PairingDone:
		return s.end(ctx, r, statePaired, "")
	case gateway.PairingFailed:
		return s.end(ctx, r, stateFailed, now.Reason)
	case gateway.PairingNone, gateway.PairingStarting, gateway.PairingWaiting:
	}
	return nil
}

// insert stores the row of a pairing that starts, or returns the row of another request that starts it with the same
// method. It returns nil if another pairing is in progress.
func (s *Service) insert(ctx context.Context, from account.Sender, method gateway.PairingMethod) (*row, error) {
	at := s.o.Now()
	r := &row{
		id: id.New(at), senderID: from.ID, accountID: from.AccountID, gateway: from.Gateway, channel: from.Channel, address: from.Address, method: method,
		startedBy: actor.From(ctx).Email, connected: s.o.Delivery.State(from) == gateway.Connected, state: stateStarting, startedAt: at, dueAt: at.Add(2 * callTime),
	}
	event := audit.New(ctx, at, r.accountID, audit.PairingStarted, r.senderID, "address", r.address, "method", string(method))
	fresh := false
	err := s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if fresh, err = insertRow(tx, r); err != nil || !fresh {
			return err
		}
		return audit.Record(tx, event)
	})
	if err == nil && !fresh {
		if r, err = latest(s.o.DB.Read(ctx), from.ID); r != nil && (!r.endedAt.IsZero() || r.method != method) {
			r = nil
		}
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// opened records that the gateway has started the pairing.
func (s *Service) opened(ctx context.Context, r *row) error {
	return s.o.DB.Write(ctx, func(tx *db.Tx) error { return openRow(tx, r.id, s.o.Now().Add(followIn)) })
}

// end ends a row, once, with its audit event.
func (s *Service) end(ctx context.Context, r *row, state, reason string) error {
	at, action, ended := s.o.Now(), audit.SenderPaired, false
	mail := time.Time{}
	switch {
	case state == stateFailed:
		action = audit.PairingFailed
	case r.accountID != "":
		mail = at
	}
	event := audit.New(ctx, at, r.accountID, action, r.senderID, "address", r.address, "method", string(r.method), "reason", reason)
	err := s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if ended, err = endRow(tx, r.id, state, reason, at, mail); err != nil || !ended {
			return err
		}
		if state == statePaired && !r.connected {
			before, err := linkedBefore(tx, r.senderID, r.id)
			if err == nil && !before {
				err = account.BeginLinkedWarmUp(tx, r.senderID, quota.Day(at))
			}
			if err != nil {
				return err
			}
		}
		return audit.Record(tx, event)
	})
	if err == nil && ended {
		s.o.Directory.ForgetAll()
		s.o.Log.Info("the pairing of a sender has ended", "senderId", r.senderID, "state", state, "reason", reason)
	}
	return err
}

// call calls a gateway with a time limit. A panic of its driver is an error.
func call(ctx context.Context, do func(context.Context) (gateway.PairingProgress, error)) (now gateway.PairingProgress, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = &gateway.Error{Class: gateway.Temporary, Code: "driver_panic"}
		}
	}()
	now, err = do(ctx)
	now.ExpiresAt = now.ExpiresAt.UTC() // so that equal times are equal values
	return now, err
}

func status(ctx context.Context, gw gateway.Pairer, from account.Sender) (gateway.PairingProgress, error) {
	return call(ctx, func(ctx context.Context) (gateway.PairingProgress, error) {
		return gw.PairingStatus(ctx, from.Channel, from.Address)
	})
}

func cancelAt(ctx context.Context, gw gateway.Pairer, from account.Sender) error {
	_, err := call(ctx, func(ctx context.Context) (gateway.PairingProgress, error) {
		return gateway.PairingProgress{}, gw.CancelPairing(ctx, from.Channel, from.Address)
	})
	return err
}

// retryIn is the pause before a gateway that cannot be reached is called again.
const retryIn = 10 * time.Second

// refused converts a gateway's error to an error for the caller.
func refused(err error) error {
	switch e := gateway.AsError(err); {
	case e.Code == "pairing_unsupported", e.Code == "channel_unsupported":
		return apierror.PairingUnsupported.Err()
	case e.Class == gateway.RateLimited:
		return apierror.RateLimited.After(max(e.RetryAfter, retryIn))
	}
	return apierror.GatewayUnavailable.After(retryIn)
}
