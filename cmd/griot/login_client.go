package main

import (
	"example.com/griot/internal/clock"
	"example.com/griot/internal/loginclient"
	"example.com/griot/messaging/dashboard"
)

// newLoginClient returns the client of the login service by which people sign in to the dashboard. It reaches the service
// at its public address, as any application does.
func newLoginClient(authURL, apiURL string, credentials func() (clientID, secret string)) *loginclient.Client {
	return loginclient.New(loginclient.Options{Service: authURL, RedirectURI: apiURL + dashboard.WhatsAppCallback, Credentials: credentials, Now: clock.System})
}
