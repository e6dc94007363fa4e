package main

import (
	"example.com/griot/gateway"
	"example.com/griot/gateway/cloudapi"
	"example.com/griot/gateway/httpmail"
	"example.com/griot/gateway/httpsms"
	"example.com/griot/gateway/remote"
	"example.com/griot/gateway/resend"
	"example.com/griot/gateway/smpp"
	"example.com/griot/gateway/smsgate"
	"example.com/griot/gateway/smtp"
	"example.com/griot/gateway/twilio"
)

// drivers returns the gateways that a configuration can name. It doesn't include
// virtual phones, which are only for dev.
func drivers() gateway.Registry {
	return gateway.Registry{
		"cloudapi": cloudapi.Open,
		"httpmail": httpmail.Open,
		"httpsms":  httpsms.Open,
		"remote":   remote.Open,
		"resend":   resend.Open,
		"smpp":     smpp.Open,
		"smsgate":  smsgate.Open,
		"smtp":     smtp.Open,
		"twilio":   twilio.Open,
	}
}
