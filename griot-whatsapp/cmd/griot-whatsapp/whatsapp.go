//go:build !fakewhatsapp

package main

import "net/http"

// whatsAppClient returns nil, so that whatsmeow connects to WhatsApp itself. Only a program built with the tag
// fakewhatsapp, which the tests use, can connect to another server.
func whatsAppClient() *http.Client { return nil }

// lease is 0, so that the gateway uses its default.
const lease = 0
