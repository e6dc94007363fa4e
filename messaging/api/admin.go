package api

import (
	"example.com/griot/gateway/gatewaystore"
	messagingadmin "example.com/griot/messaging/admin"
)

// Admin returns the options of the operator's verbs, with this node's own directory, so that its cache reflects their changes.
func (a *API) Admin(gateways *gatewaystore.Store) messagingadmin.Options {
	return messagingadmin.Options{Directory: a.o.Directory, Mail: a.o.Mail, Gateways: gateways, Engine: a.o.Engine, Pairing: a.o.Pairing, URL: a.o.URL}
}
