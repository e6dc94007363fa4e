package api

import (
	houseadmin "griot/auth/admin"
	"griot/internal/admin"
)

// Admin is what an operator may ask of the house, done with this node's own
// store, so that its cache does not go stale.
func (a *API) Admin() admin.Verbs { return houseadmin.Verbs(a.tenants) }
