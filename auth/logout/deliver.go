package logout

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/auth/token"
	"example.com/griot/internal/db"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/webhook"
)

// keep is the retention of ended sign-ins. The delivery attempts of a logout token take three days.
const keep = 7 * 24 * time.Hour

// Queue returns the ended sign-ins and the clients' addresses.
func Queue() *webhook.Queue {
	return webhook.NewQueue(webhook.Tables{
		Owners: "oauth_clients", URL: "backchannel_logout_uri",
		Owner: "client", Events: "client_logout_events", Attempts: "client_logout_attempts", Endpoints: "client_logout_endpoints",
		Choice: "0", Log: "client",
	})
}

// NewDispatcher returns the dispatcher of logout tokens, which signer signs for issuer. A 400 response is final,
// because the client could not use the token (§2.8).
func NewDispatcher(o webhook.Options, signer *token.Signer, issuer string) *webhook.Dispatcher {
	o.Queue, o.Keep, o.Type, o.FinalStatus = Queue(), keep, httpx.TypeForm, http.StatusBadRequest
	o.Prepare = func(ctx context.Context, c *webhook.Claimed) ([]byte, error) {
		s, err := selectStored(ctx, o.DB, c.OwnerID, c.ID)
		if err != nil || s == nil {
			return nil, err
		}
		now := o.Now()
		signed, err := signer.SignLogout(ctx, &token.LogoutClaims{
			Issuer: issuer, Subject: s.subject, Audience: s.audience, IssuedAt: now.Unix(), Expires: now.Add(token.LogoutLifetime).Unix(),
			ID: c.ID, Events: map[string]struct{}{token.BackchannelLogout: {}}, LoginID: s.sid,
		})
		return []byte(url.Values{"logout_token": {signed}}.Encode()), err
	}
	return webhook.NewDispatcher(o)
}

// Clients reads and changes the clients' settings for sign-out.
type Clients struct {
	webhook.Endpoints // [webhook.Endpoints.State] returns the state of a client's address

	Tenants *tenant.Store
}

// NewClients returns the clients' settings.
func NewClients(e webhook.Endpoints, tenants *tenant.Store) *Clients {
	e.Queue = Queue()
	return &Clients{e, tenants}
}

// Set replaces the [tenant.Connect] settings of a tenant's client, as changed in a form that showed a version of them
// ([tenant.Connect.Version]). An empty shown is not checked. The address for logout tokens must be accepted by
// [webhook.Endpoints.CheckURL], or empty. A disabled address gets logout tokens again. Set returns nil if the tenant
// has no client with that ID. It has the errors of [tenant.Store.ConnectClient].
func (c *Clients) Set(ctx context.Context, tenantID, clientID, shown string, connect tenant.Connect, replaced tenant.Replaced) (*tenant.Client, error) {
	now := c.Now()
	changed, err := c.Tenants.ConnectClient(ctx, tenantID, clientID, shown, connect, replaced, func(tx *db.Tx) error { return c.Queue.Reset(tx, clientID, now) })
	c.NotifyChanged()
	return changed, err
}
