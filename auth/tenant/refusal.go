package tenant

import (
	"encoding/json"
	"fmt"

	"example.com/griot/auth/oauth"
	"example.com/griot/internal/db"
	"example.com/griot/internal/fault"
)

// RedirectRefusal returns the reason that a browser can't be redirected to a client's
// address now; nil if it can. It reads the client's row, because the result of
// [Store.Client] can be older than a change by another node.
func RedirectRefusal(q *db.Query, clientID, redirectURI string) (*fault.Error, error) {
	var mode Mode
	var uris string
	var active int64
	found, err := q.Row(`SELECT mode, redirect_uris, active FROM oauth_clients WHERE client_id = $1`, clientID).Scan(&mode, &uris, &active)
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
	case active == 0:
		return fault.AuthClientInactiveToken.Err(), nil
	case !oauth.MatchRedirect(registered, redirectURI, mode == Test):
		return fault.AuthRedirectMismatch.Err(), nil
	}
	return nil, nil
}
