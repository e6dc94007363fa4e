package access

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/limit"
	"example.com/griot/messaging/account"
)

// rates limits requests to the plans' request rates. It has one limiter for each rate, so that plans can change while
// the service runs. A nil *rates limits nothing.
type rates struct {
	now      clock.Now
	mu       sync.RWMutex
	limiters map[int]*limit.Limiter // by requests a second
}

func newRates(now clock.Now) *rates { return &rates{now: now, limiters: map[int]*limit.Limiter{}} }

func (r *rates) limiter(rate int) *limit.Limiter {
	r.mu.RLock()
	l := r.limiters[rate]
	r.mu.RUnlock()
	if l != nil {
		return l
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.limiters[rate] == nil {
		r.limiters[rate] = limit.New(r.now, rate, time.Second, 2*rate)
	}
	return r.limiters[rate]
}

// sessionRate is the minimum number of requests per second for a session, because one page sends several requests.
const sessionRate = 20

// limitRate counts a request against the rate of its key or session.
func (s *Service) limitRate(w http.ResponseWriter, c *account.Caller) error {
	rate := c.Account.Plan.Rate
	if s.rates == nil || rate == 0 {
		return nil
	}
	if c.Kind == account.Dashboard {
		rate = max(rate, sessionRate)
	}
	b := s.rates.limiter(rate).Take(c.KeyID)
	h := w.Header()
	h.Set("RateLimit-Limit", strconv.Itoa(rate))
	h.Set("RateLimit-Remaining", strconv.Itoa(min(b.Remaining, rate))) // a burst of twice the rate is let through, and not promised
	h.Set("RateLimit-Reset", strconv.FormatInt(int64((b.Full+time.Second-1)/time.Second), 10))
	if b.RetryAfter > 0 {
		return apierror.RateLimited.After(b.RetryAfter)
	}
	return nil
}

// signInLimits limits sign-in attempts and invitations. The number of mailed codes is limited where they are mailed. A nil
// *signInLimits allows everything. from is the [address] of a request.
type signInLimits struct{ askIP, tryIP, inviteAccount, inviteEmail *limit.Limiter }

func newSignInLimits(now clock.Now, s *limit.Settings) *signInLimits {
	return &signInLimits{
		askIP: s.CodeAddress.Limiter(now), tryIP: s.TryAddress.Limiter(now),
		inviteAccount: s.InviteAccount.Limiter(now), inviteEmail: s.InviteEmail.Limiter(now),
	}
}

func (l *signInLimits) ask(from string) error {
	if l == nil {
		return nil
	}
	return checkLimit(l.askIP, from)
}

func (l *signInLimits) try(from string) error {
	if l == nil {
		return nil
	}
	return checkLimit(l.tryIP, from)
}

// invite counts an invitation from an account to an address.
func (l *signInLimits) invite(accountID, email string) error {
	if l == nil {
		return nil
	}
	if err := checkLimit(l.inviteAccount, accountID); err != nil {
		return err
	}
	return checkLimit(l.inviteEmail, email)
}

func checkLimit(l *limit.Limiter, key string) error {
	if ok, wait := l.Allow(key); !ok {
		return apierror.RateLimited.After(wait)
	}
	return nil
}
