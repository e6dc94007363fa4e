package api

import (
	"net/http"

	"griot/internal/fault"
	"griot/messaging/account"
)

// accountCaller is the caller of what concerns the account as a whole: a project's
// key has no access to it (document 2 §5).
func (a *API) accountCaller(w http.ResponseWriter, r *http.Request) (*account.Caller, error) {
	c, err := a.caller(w, r)
	if err != nil {
		return nil, err
	}
	if c.ProjectID != "" || c.Kind == account.ProjectKey {
		return nil, fault.Forbidden.Err()
	}
	return c, nil
}
