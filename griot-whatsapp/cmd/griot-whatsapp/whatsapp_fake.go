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

// whatsAppClient sends everything to the tests' server, which GRIOT_WHATSAPP_FAKE names with the key of its certificates.
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

// lease is short, because the tests kill the program and do not want to wait; GRIOT_WHATSAPP_LEASE says otherwise.
var lease = func() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("GRIOT_WHATSAPP_LEASE")); err == nil {
		return d
	}
	return 3 * time.Second
}()
