package api

import (
	authadmin "example.com/griot/auth/admin"
	"example.com/griot/internal/admin"
)

// Admin returns the commands of an operator. They use this node's store and signer,
// so that their caches see the changes.
func (a *API) Admin() admin.Verbs {
	return authadmin.Verbs(a.tenants, a.logins, a.signer, a.endpoints, a.clients)
}
