//go:build !fakewhatsapp

package main

import "net/http"

// whatsAppClient returns nil: WhatsApp is reached as whatsmeow does it. Only a program built with the tag fakewhatsapp,
// which the tests build, can be sent elsewhere.
func whatsAppClient() *http.Client { return nil }

// lease is 0: the gateway chooses.
const lease = 0
