package main

import (
	"griot/gateway"
	"griot/gateway/httpsms"
	"griot/gateway/remote"
	"griot/gateway/smsgate"
	"griot/gateway/smtp"
)

// drivers are the gateways that a configuration can name. Virtual phones are not
// among them: they are for dev.
func drivers() gateway.Registry {
	return gateway.Registry{
		"httpsms": httpsms.Open,
		"remote":  remote.Open,
		"smsgate": smsgate.Open,
		"smtp":    smtp.Open,
	}
}
