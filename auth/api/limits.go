package api

import (
	"net/http"
	"time"

	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/actor"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/limit"
)

// limits are the rate limits of requests (docs/config.md has the table). Unauthenticated requests are counted by address,
// so that someone who only knows a client's or a tenant's id can't lock its owner out.
type limits struct {
	starts, clientStarts                   *limit.Limiter
	liveLogins                             *limit.Window
	polls, activations, sandboxes          *limit.Limiter
	refused, publicRequests                *limit.Limiter
	exchanges, revocations, introspections *limit.Limiter
	dashboardLogins                        *limit.Limiter
}

// newLimits returns the limits of the settings; without settings nothing is limited.
func newLimits(now clock.Now, s *limit.Settings) *limits {
	if s == nil {
		s = &limit.Settings{}
	}
	return &limits{
		starts: s.StartAddress.Limiter(now), clientStarts: s.StartClientAddress.Limiter(now), liveLogins: limit.NewWindow(now, s.LiveLogins, login.ProveTime),
		polls: s.PollLogin.Limiter(now), activations: s.ActivateLogin.Limiter(now), sandboxes: s.SandboxLogin.Limiter(now),
		refused: s.RefusedAddress.Limiter(now), publicRequests: s.PublicClientAddress.Limiter(now),
		exchanges: s.TokenClient.Limiter(now), revocations: s.RevokeClient.Limiter(now), introspections: s.IntrospectClient.Limiter(now),
		dashboardLogins: s.ManageAddress.Limiter(now),
	}
}

func rateLimited(ok bool, retryAfter time.Duration) error {
	if !ok {
		return apierror.AuthRateLimited.After(retryAfter)
	}
	return nil
}

func address(r *http.Request) string { return limit.Address(actor.From(r.Context()).Address) }

func (l *limits) authorize(r *http.Request) error { return rateLimited(l.starts.Allow(address(r))) }

// authorizeClient limits the logins of a client. It checks the logins from one address first, so that one address can't
// use up the client's budget. For an address, a login counts once per started KiB that the request lets Griot store:
// what a stranger can fill is bounded in bytes. [limits.authorize] has counted the first of them.
func (l *limits) authorizeClient(clientID string, r *http.Request, stored int) error {
	units := max(1, (stored+startUnit-1)/startUnit)
	if err := rateLimited(l.starts.AllowN(address(r), units-1)); err != nil {
		return err
	}
	if err := rateLimited(l.clientStarts.AllowN(clientID+" "+address(r), units)); err != nil {
		return err
	}
	return rateLimited(l.liveLogins.Allow(clientID))
}

// startUnit is the part of state and nonce that counts as one start of a login, in bytes.
const startUnit = 1 << 10

func (l *limits) status(sessionID string) error { return rateLimited(l.polls.Allow(sessionID)) }

// userinfo limits the requests with one access token in the same way as the polls of its login.
func (l *limits) userinfo(tokenID string) error { return rateLimited(l.polls.Allow(tokenID)) }

func (l *limits) activate(sessionID string) error { return rateLimited(l.activations.Allow(sessionID)) }

func (l *limits) sandbox(sessionID string) error { return rateLimited(l.sandboxes.Allow(sessionID)) }

func (l *limits) manageLogin(r *http.Request) error {
	return rateLimited(l.dashboardLogins.Allow(address(r)))
}

// countRefused counts a request with wrong credentials. Those of clients that don't exist are counted together, because
// anyone can make up ids.
func (l *limits) countRefused(client *tenant.Client, r *http.Request) error {
	key := address(r)
	if client != nil {
		key = client.ClientID + " " + key
	}
	return rateLimited(l.refused.Allow(key))
}

// charge charges the budget of a client that its secret has authenticated. A PUBLIC client has no secret: it is counted
// by address, and [limits.chargePublic] charges its budget.
func (l *limits) charge(budget *limit.Limiter, client *tenant.Client, r *http.Request) error {
	if client.Type == tenant.Confidential {
		return rateLimited(budget.Allow(client.ClientID))
	}
	if err := rateLimited(l.publicRequests.Allow(client.ClientID + " " + address(r))); err != nil {
		return err
	}
	return rateLimited(budget.Check(client.ClientID))
}

// chargePublic charges a PUBLIC client's budget, after a code or a token has identified the client.
func (l *limits) chargePublic(budget *limit.Limiter, client *tenant.Client) {
	if client.Type == tenant.Public {
		budget.Allow(client.ClientID)
	}
}
