package main

import (
	"griot/gateway"
	"griot/gateway/smpp"
	"griot/gateway/smtp"
)

// drivers are the gateways that a configuration can name. Virtual phones are not
// among them: they are for dev.
func drivers() gateway.Registry {
	return gateway.Registry{
		"smpp": smpp.Open,
		"smtp": smtp.Open,
	}
}
