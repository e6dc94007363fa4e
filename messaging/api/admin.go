package api

import (
	"griot/gateway/gatewaystore"
	"griot/internal/admin"
	houseadmin "griot/messaging/admin"
)

// Admin is what an operator may ask of the service, done with this node's own
// directory, so that what it remembers does not go stale.
func (a *API) Admin(gateways *gatewaystore.Store) admin.Verbs {
	return houseadmin.Verbs(houseadmin.Options{
		Directory: a.o.Directory, Mail: a.o.Mail, Gateways: gateways, URL: a.o.URL,
	})
}
