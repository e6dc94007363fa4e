package api

import (
	authadmin "griot/auth/admin"
	"griot/internal/admin"
)

// Admin is what an operator may ask of the service, done with this node's own
// store and signer, so that what they remember does not go stale.
func (a *API) Admin() admin.Verbs { return authadmin.Verbs(a.tenants, a.signer, a.hooks) }
