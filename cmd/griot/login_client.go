package main

import (
	"sync"

	"example.com/griot/client/login"
	"example.com/griot/internal/clock"
	"example.com/griot/messaging/dashboard"
)

// newLoginClient returns what finds the client of the login service by which people sign in to the dashboard; without an id it
// finds none. The credentials are read once, by the first page: dev makes them after its database is open.
func newLoginClient(authURL, apiURL string, credentials func() (clientID, secret string)) func() *login.Client {
	return sync.OnceValue(func() *login.Client {
		clientID, secret := credentials()
		c, err := dashboard.NewWhatsApp(authURL, apiURL, clientID, secret, clock.System)
		if err != nil { // only without an id: the addresses are checked with the configuration
			return nil
		}
		return c
	})
}
