package api

import (
	"net/http"
	"time"

	"griot/auth/login"
	"griot/auth/tenant"
	"griot/internal/clock"
	"griot/internal/fault"
	"griot/internal/httpx"
	"griot/internal/limit"
)

// limits are the rate limits that document 1 leaves open (docs/config.md has the table). What nobody has proved yet is
// counted by address, so that a client's id or a tenant's, which anybody may know, is not enough to keep its owner out.
type limits struct {
	start, startClient           *limit.Limiter
	live                         *limit.Window
	poll, open, play             *limit.Limiter
	refused, public              *limit.Limiter
	exchange, revocations, asked *limit.Limiter
	proofs, guesses, dashboard   *limit.Limiter
}

// newLimits holds settings; nil holds nothing.
func newLimits(now clock.Now, s *limit.Settings) *limits {
	if s == nil {
		s = &limit.Settings{}
	}
	return &limits{
		start: s.StartAddress.Limiter(now), startClient: s.StartClientAddress.Limiter(now), live: limit.NewWindow(now, s.LiveLogins, login.ProveTime),
		poll: s.PollLogin.Limiter(now), open: s.ActivateLogin.Limiter(now), play: s.SandboxLogin.Limiter(now),
		refused: s.RefusedAddress.Limiter(now), public: s.PublicClientAddress.Limiter(now),
		exchange: s.TokenClient.Limiter(now), revocations: s.RevokeClient.Limiter(now), asked: s.IntrospectClient.Limiter(now),
		proofs: s.ProofPhone.Limiter(now), guesses: s.GuessPhone.Limiter(now), dashboard: s.ManageAddress.Limiter(now),
	}
}

func answer(ok bool, retryAfter time.Duration) error {
	if !ok {
		return fault.AuthRateLimited.After(retryAfter)
	}
	return nil
}

func address(r *http.Request) string { return limit.Address(httpx.ClientIP(r)) }

func (l *limits) authorize(r *http.Request) error { return answer(l.start.Allow(address(r))) }

// authorizeClient limits the logins of a client: those from one address first, so that one address can't fill the client's.
func (l *limits) authorizeClient(clientID string, r *http.Request) error {
	if err := answer(l.startClient.Allow(clientID + " " + address(r))); err != nil {
		return err
	}
	return answer(l.live.Allow(clientID))
}

func (l *limits) status(sessionID string) error { return answer(l.poll.Allow(sessionID)) }

func (l *limits) activate(sessionID string) error { return answer(l.open.Allow(sessionID)) }

func (l *limits) sandbox(sessionID string) error { return answer(l.play.Allow(sessionID)) }

func (l *limits) manageLogin(r *http.Request) error { return answer(l.dashboard.Allow(address(r))) }

// turnedAway counts a request with wrong credentials. All clients that don't exist are one: their ids are a stranger's invention.
func (l *limits) turnedAway(client *tenant.Client, r *http.Request) error {
	key := address(r)
	if client != nil {
		key = client.ClientID + " " + key
	}
	return answer(l.refused.Allow(key))
}

// asks charges a client's budget, which its secret must have proved to be its own. A PUBLIC client has none: it is counted
// by address, and its budget by [limits.proved].
func (l *limits) asks(budget *limit.Limiter, client *tenant.Client, r *http.Request) error {
	if client.Type == tenant.Confidential {
		return answer(budget.Allow(client.ClientID))
	}
	if err := answer(l.public.Allow(client.ClientID + " " + address(r))); err != nil {
		return err
	}
	return answer(budget.Check(client.ClientID))
}

// proved charges a PUBLIC client's budget: a code or a token has shown that it was the client.
func (l *limits) proved(budget *limit.Limiter, client *tenant.Client) {
	if client.Type == tenant.Public {
		budget.Allow(client.ClientID)
	}
}

// mayVerify limits the logins of one phone. Only proofs that are accepted count: what a gateway asks in vain is not the phone's doing.
func (l *limits) mayVerify(number string) error { return answer(l.proofs.Check(number)) }

// mayProve reports whether a phone's messages are looked at: not after many logins, nor after many words that were no session's.
func (l *limits) mayProve(number string) bool {
	proofs, _ := l.proofs.Check(number)
	guesses, _ := l.guesses.Check(number)
	return proofs && guesses
}

// message counts what a phone's message was.
func (l *limits) message(number string, taken, guess bool) {
	switch {
	case taken:
		l.proofs.Allow(number)
	case guess:
		l.guesses.Allow(number)
	}
}
