package tenant

import (
	"encoding/json"
	"fmt"

	"example.com/griot/auth/oauth"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
)

// RedirectRefusal returns the reason that a browser can't be redirected to a client's
// address now; nil if it can. It reads the client's row, because the result of
// [Store.Client] can be older than a change by another node.
func RedirectRefusal(q *db.Query, clientID, redirectURI string) (*apierror.Error, error) {
	var c Client
	var uris string
	found, err := q.Row(`SELECT type, mode, redirect_uris, active, any_loopback_port FROM oauth_clients WHERE client_id = $1`, clientID).
		Scan(db.OrZero(&c.Type), db.OrZero(&c.Mode), &uris, &c.Active, &c.Connect.AnyLoopbackPort)
	if err != nil {
		return nil, err
	}
	var registered []string
	if found {
		if err := json.Unmarshal([]byte(uris), &registered); err != nil {
			return nil, fmt.Errorf("tenant: client %s: redirect_uris: %w", clientID, err)
		}
	}
	switch {
	case !c.Active:
		return apierror.AuthClientInactiveToken.Err(), nil
	case !oauth.MatchRedirect(registered, redirectURI, c.Ports()):
		return apierror.AuthRedirectMismatch.Err(), nil
	}
	return nil, nil
}
