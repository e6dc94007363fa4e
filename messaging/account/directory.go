package account

import (
	"context"
	"sync"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
)

// A Directory finds accounts and callers, and changes them. It caches them for 30 seconds. Its own changes take
// effect immediately. While [Directory.Follow] runs, changes of other processes take effect within two seconds.
type Directory struct {
	// PlansOff disables all limits and includes the inbox for everyone, for operators who run Griot only for
	// themselves. Set it before the directory is used.
	PlansOff bool
	// Signup determines who can create an account without an operator. Empty means [SignupClosed]. Set it before the
	// directory is used.
	Signup Signup

	db       *db.DB
	now      clock.Now
	callers  cache[*Caller]  // by the key's hash
	accounts cache[*Account] // by id
	plans    cache[plans]
	paused   cache[map[string]struct{}] // the paused senders, by id; the key is empty
	uses     keyUsage
	flushing sync.Mutex // held while uses are stored

	lookEvery time.Duration            // see Follow
	onForget  []func(accountID string) // of OnForget
}

// NewDirectory returns the directory of a database.
func NewDirectory(d *db.DB, now clock.Now) *Directory {
	return &Directory{db: d, now: now, lookEvery: lookEvery}
}

// Authenticate returns the caller for a key, or nil.
func (d *Directory) Authenticate(ctx context.Context, key string) (*Caller, error) {
	if !wellFormed(key) {
		return nil, nil //nolint:nilnil // an unknown key is not an error
	}
	hash, now := seal.Hash(key), d.now()
	c, epoch, ok := d.callers.get(hash, now)
	if !ok {
		var accountID string
		var err error
		var expires time.Time
		if c, accountID, expires, err = findKey(d.db.Read(ctx), hash, now); err != nil || c == nil {
			return nil, err
		}
		if c.Account, err = d.Account(ctx, accountID); err != nil || c.Account == nil || c.Account.Closed() {
			return nil, err
		}
		c.noted = &minuteMark{}
		until := c.Account.stableUntil(now)
		if !expires.IsZero() && expires.Before(until) {
			until = expires
		}
		d.callers.put(hash, c, epoch, until)
	}
	d.uses.record(c, now)
	return c, nil
}

// Account returns the account with an ID, or nil. [PlatformID] is also an account.
func (d *Directory) Account(ctx context.Context, id string) (_ *Account, err error) {
	now := d.now()
	a, epoch, ok := d.accounts.get(id, now)
	if ok {
		return a, nil
	}
	if a, err = d.StoredAccount(ctx, id); err != nil || a == nil {
		return nil, err
	}
	d.accounts.put(id, a, epoch, a.stableUntil(now))
	return a, nil
}

// StoredAccount is like [Directory.Account], but reads the database, for forms that must not show cached values.
func (d *Directory) StoredAccount(ctx context.Context, id string) (a *Account, err error) {
	plans, err := d.allPlans(ctx)
	if err != nil {
		return nil, err
	}
	if id == PlatformID {
		a, err = platform(d.db.Read(ctx))
	} else {
		a, err = findAccount(d.db.Read(ctx), id)
	}
	if err != nil || a == nil {
		return nil, err
	}
	d.applySubscription(a, plans, d.now())
	return a, nil
}

// applySubscription sets an account's effective plan and recipient cap.
func (d *Directory) applySubscription(a *Account, plans plans, now time.Time) {
	switch {
	case d.PlansOff, a.ID == PlatformID:
		a.Plan = unlimitedPlan()
	default:
		a.Plan = a.Subscription.effectivePlan(plans, now)
	}
	if a.RecipientCap = a.OwnCap; a.RecipientCap == 0 {
		a.RecipientCap = a.Plan.RecipientCap
	}
}

// stableUntil returns the time until which an account that was read now can be cached.
func (a *Account) stableUntil(now time.Time) time.Time {
	return a.Subscription.nextChange(now, now.Add(cacheLifetime))
}

// ByEmail returns the ID of the account whose owner has an address, or "" if there is none.
func (d *Directory) ByEmail(ctx context.Context, email string) (id string, err error) {
	a, err := ByEmail(d.db.Read(ctx), email)
	if err != nil || a == nil {
		return "", err
	}
	return a.ID, nil
}

// SenderAt returns the sender with an address on a channel, or nil.
func (d *Directory) SenderAt(ctx context.Context, channel, address string) (*Sender, error) {
	return findSender(d.db.Read(ctx), channel, address)
}

// OnForget registers fn to be called when an account is removed from the cache, because it has changed, or with an
// empty ID when all are. Call it before the directory is used concurrently.
func (d *Directory) OnForget(fn func(accountID string)) { d.onForget = append(d.onForget, fn) }

// Forget removes an account from the cache.
func (d *Directory) Forget(accountID string) {
	d.accounts.remove(accountID) // in this order, because callers contain accounts
	d.callers.removeIf(func(c *Caller) bool { return c.Account.ID == accountID })
	d.tellForgotten(accountID)
}

func (d *Directory) tellForgotten(accountID string) {
	for _, fn := range d.onForget {
		fn(accountID)
	}
}

// ForgetAll empties the cache.
func (d *Directory) ForgetAll() {
	d.plans.clear() // in this order, because accounts contain plans, and callers contain accounts
	d.accounts.clear()
	d.callers.clear()
	d.paused.clear()
	d.tellForgotten("")
}
