package api

import (
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/admin"
	messagingadmin "example.com/griot/messaging/admin"
)

// Admin is what an operator may ask of the service, done with this node's own
// directory, so that what it remembers does not go stale.
func (a *API) Admin(gateways *gatewaystore.Store) admin.Verbs {
	return messagingadmin.Verbs(messagingadmin.Options{
		Directory: a.o.Directory, Mail: a.o.Mail, Gateways: gateways, Engine: a.o.Engine, Pairing: a.o.Pairing, URL: a.o.URL,
	})
}
