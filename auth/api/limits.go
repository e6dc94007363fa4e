package api

import (
	"net/http"
	"time"

	"griot/internal/clock"
	"griot/internal/fault"
	"griot/internal/httpx"
	"griot/internal/limit"
)

// limits are the rate limits that document 1 leaves open (docs/login.md has the
// table). A nil *limits allows everything.
type limits struct {
	startIP, startClient, poll, open, play, exchange, failure, proofs, guesses, revocations, questions *limit.Limiter

	dashboardIP, dashboardFailure *limit.Limiter // manage_limits.go
}

func newLimits(now clock.Now) *limits {
	return &limits{
		startIP:     limit.New(now, 30, time.Minute, 30),
		startClient: limit.New(now, 300, time.Minute, 300),
		poll:        limit.New(now, 1, time.Second, 5),
		open:        limit.New(now, 10, time.Minute, 10),
		play:        limit.New(now, 10, time.Minute, 10),
		exchange:    limit.New(now, 120, time.Minute, 120),
		failure:     limit.New(now, 10, time.Minute, 10),
		proofs:      limit.New(now, 10, time.Hour, 10),
		guesses:     limit.New(now, 5, 10*time.Minute, 5),
		revocations: limit.New(now, 120, time.Minute, 120),
		questions:   limit.New(now, 1200, time.Minute, 1200),

		dashboardIP:      limit.New(now, 5, time.Minute, 5),
		dashboardFailure: limit.New(now, 20, time.Hour, 20),
	}
}

func answer(ok bool, retryAfter time.Duration) error {
	if !ok {
		return fault.AuthRateLimited.After(retryAfter)
	}
	return nil
}

func (l *limits) authorize(ip string) error {
	if l == nil {
		return nil
	}
	return answer(l.startIP.Allow(ip))
}

func (l *limits) authorizeClient(clientID string) error {
	if l == nil {
		return nil
	}
	return answer(l.startClient.Allow(clientID))
}

func (l *limits) status(sessionID string) error {
	if l == nil {
		return nil
	}
	return answer(l.poll.Allow(sessionID))
}

func (l *limits) activate(sessionID string) error {
	if l == nil {
		return nil
	}
	return answer(l.open.Allow(sessionID))
}

func (l *limits) sandbox(sessionID string) error {
	if l == nil {
		return nil
	}
	return answer(l.play.Allow(sessionID))
}

// limitFunc limits what a client asks for.
type limitFunc func(clientID string, r *http.Request) error

// token limits a client's exchanges, and those of one address that keep failing.
func (l *limits) token(clientID string, r *http.Request) error {
	if l == nil {
		return nil
	}
	return l.client(l.exchange, clientID, r)
}

func (l *limits) revoke(clientID string, r *http.Request) error {
	if l == nil {
		return nil
	}
	return l.client(l.revocations, clientID, r)
}

func (l *limits) introspect(clientID string, r *http.Request) error {
	if l == nil {
		return nil
	}
	return l.client(l.questions, clientID, r)
}

func (l *limits) client(asked *limit.Limiter, clientID string, r *http.Request) error {
	if err := answer(l.failure.Check(failureKey(clientID, r))); err != nil {
		return err
	}
	return answer(asked.Allow(clientID))
}

func (l *limits) tokenFailed(clientID string, r *http.Request) {
	if l != nil {
		l.failure.Allow(failureKey(clientID, r))
	}
}

func failureKey(clientID string, r *http.Request) string {
	return clientID + " " + httpx.ClientIP(r).String()
}

// proof limits the logins of one phone.
func (l *limits) proof(number string) error {
	if l == nil {
		return nil
	}
	return answer(l.proofs.Allow(number))
}

// mayProve reports whether a phone's messages are looked at: not after many logins, nor after many words that were no session's.
func (l *limits) mayProve(number string) bool {
	if l == nil {
		return true
	}
	proofs, _ := l.proofs.Check(number)
	guesses, _ := l.guesses.Check(number)
	return proofs && guesses
}

// message counts what a phone's message was.
func (l *limits) message(number string, taken, guess bool) {
	switch {
	case l == nil:
	case taken:
		l.proofs.Allow(number)
	case guess:
		l.guesses.Allow(number)
	}
}
