package billing

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
)

// Options configure a [Service].
type Options struct {
	DB        *db.DB
	Directory *account.Directory
	Provider  Provider // nil: [Manual]
	Contact   string   // contact for questions about plans; can be empty
	Now       clock.Now
	Log       *slog.Logger
	URL       string // the API's base URL
}

// A Service sells plans. It is safe for concurrent use, including by several processes.
type Service struct {
	o Options

	mu          sync.Mutex
	prices      []Price
	pricesUntil time.Time
}

// New returns a service.
func New(o Options) *Service {
	if o.Provider == nil {
		o.Provider = Manual{}
	}
	return &Service{o: o}
}

const (
	eventRetention = 60 * 24 * time.Hour // longer than the provider repeats an event
	maxReads       = 5                   // of a customer's state, if other processes store theirs in the meantime
	retryAfter     = 30 * time.Second    // if the provider cannot be reached
)

// Provider returns the provider's name.
func (s *Service) Provider() string { return s.o.Provider.Name() }

// Mode returns the provider's mode. It is empty for [Manual].
func (s *Service) Mode() Mode { return s.o.Provider.Mode() }

// Contact returns the contact for questions about plans. It can be empty.
func (s *Service) Contact() string { return s.o.Contact }

// PageOrigins returns the origins of the provider's pages, which are the targets of forms.
func (s *Service) PageOrigins() []string { return s.o.Provider.PageOrigins() }

// Receive handles an event of the provider. It checks its signature and stores the current state of its customer. It
// returns nil for an event that was already received, and for one that does not concern a known customer.
//
// Errors: [apierror.NotFound] with [Manual], [apierror.InvalidSignature], [apierror.InvalidEvent], [apierror.ModeMismatch],
// [apierror.BillingUnavailable].
func (s *Service) Receive(ctx context.Context, body []byte, signature string) error {
	e, err := s.o.Provider.Event(body, signature, s.o.Now())
	switch {
	case errors.Is(err, ErrManual):
		return apierror.NotFound.Err()
	case errors.Is(err, ErrSignature):
		return apierror.InvalidSignature.Err()
	case err != nil:
		return apierror.InvalidEvent.Because(err)
	case e.Mode != s.Mode():
		s.o.Log.Warn("a payment event of the other mode was refused", "mode", e.Mode, "configured", s.Mode())
		return apierror.ModeMismatch.Err()
	case e.Customer == "":
		return nil
	}
	c, err := customerWithID(s.o.DB.Read(ctx), s.Provider(), e.Customer)
	if err != nil || c == nil || c.mode != e.Mode {
		return err
	}
	_, err = s.sync(ctx, c, e)
	return err
}

// sync reads a customer's state from the provider and stores it, together with the event that caused this, if there
// is one. It returns the updated customer.
func (s *Service) sync(ctx context.Context, c *customer, e *Event) (*customer, error) {
	order, err := s.order(ctx)
	if err != nil {
		return nil, err
	}
	for range maxReads {
		if e != nil {
			if taken, err := hasEvent(s.o.DB.Read(ctx), s.Provider(), e.ID); err != nil || taken {
				return c, err
			}
		}
		done, err := s.read(ctx, c, e, order)
		if err != nil {
			return nil, err
		}
		if c, err = customerOf(s.o.DB.Read(ctx), s.Provider(), s.Mode(), c.accountID); err != nil || done {
			return c, err
		}
		if c == nil {
			return nil, apierror.BillingUnavailable.After(retryAfter)
		}
	}
	return nil, apierror.BillingUnavailable.After(retryAfter)
}

// read requests the state once and stores it, unless another state was stored in the meantime. An event is stored
// even if nothing has changed, and increments the revision, so that a response that is older than the event is not
// stored afterward.
func (s *Service) read(ctx context.Context, c *customer, e *Event, order []string) (done bool, err error) {
	all, err := s.o.Provider.Subscriptions(ctx, c.id)
	if err != nil && !errors.Is(err, ErrNoCustomer) {
		return false, unavailable(err)
	}
	sub := current(all, order)
	if sub != nil && sub.Plan == "" {
		s.o.Log.Warn("a subscription's price is not among billing.stripe.prices: it gives no plan", "account", c.accountID, "subscription", sub.ID)
	}
	if e == nil && sub.equal(c.sub) {
		return true, nil
	}
	now := s.o.Now()
	system := actor.With(ctx, actor.Actor{Type: actor.System}) // regardless of the caller, the data comes from the provider
	ch := &change{customer: c, sub: sub, event: e, now: now, audit: audit.New(system, now, c.accountID, audit.AccountChanged, c.accountID, s.details(sub)...)}
	err = s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		done, err = ch.store(tx, s.Provider())
		return err
	})
	s.o.Directory.Forget(c.accountID) // even after an error, because the commit might have happened
	return done, err
}

// details describes a subscription for the audit log.
func (s *Service) details(sub *Subscription) []string {
	t := sub.terms()
	out := []string{"plan", t.Plan, "provider", s.Provider()}
	for _, at := range []struct {
		name string
		at   time.Time
	}{{"planExpiresAt", t.ExpiresAt}, {"trialEndsAt", t.TrialEndsAt}} {
		if !at.at.IsZero() {
			out = append(out, at.name, at.at.UTC().Format(time.RFC3339))
		}
	}
	if sub != nil {
		out = append(out, "subscription", sub.ID, "status", sub.Status)
	}
	return out
}

// order lists the plans' names, smallest plan first.
func (s *Service) order(ctx context.Context) ([]string, error) {
	plans, err := s.o.Directory.Plans(ctx)
	names := make([]string, 0, len(plans))
	for _, p := range plans {
		names = append(names, p.Name)
	}
	return names, err
}

// unavailable returns the error for a failed provider. The provider's own error is for the log.
func unavailable(err error) error {
	f := apierror.BillingUnavailable.Because(err)
	f.RetryAfter = retryAfter
	return f
}
