//go:build fakewhatsapp

package main

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"go.mau.fi/whatsmeow"

	"example.com/griot/griot-whatsapp/fakewhatsapp"
)

// whatsAppClient returns a client that sends all requests to the test server. GRIOT_WHATSAPP_FAKE contains its
// address and the key of its certificates.
func whatsAppClient() *http.Client {
	address, root, _ := strings.Cut(os.Getenv("GRIOT_WHATSAPP_FAKE"), ",")
	key, err := hex.DecodeString(root)
	if err != nil || len(key) != 32 {
		fmt.Fprintln(os.Stderr, "griot-whatsapp: GRIOT_WHATSAPP_FAKE names no server")
		os.Exit(1)
	}
	whatsmeow.WACertPubKey = [32]byte(key)
	return fakewhatsapp.HTTPClient(address)
}

// lease is short, so that tests that kill the program do not wait long. GRIOT_WHATSAPP_LEASE overrides it.
var lease = func() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("GRIOT_WHATSAPP_LEASE")); err == nil {
		return d
	}
	return 3 * time.Second
}()
