package main

import (
	"griot/gateway"
	"griot/gateway/cloudapi"
	"griot/gateway/httpmail"
	"griot/gateway/httpsms"
	"griot/gateway/remote"
	"griot/gateway/resend"
	"griot/gateway/smpp"
	"griot/gateway/smsgate"
	"griot/gateway/smtp"
	"griot/gateway/twilio"
)

// drivers are the gateways that a configuration can name. Virtual phones are not
// among them: they are for dev.
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
