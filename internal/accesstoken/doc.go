// Package accesstoken verifies the login service's access tokens as an application does: by the keys that the service
// publishes. The demo application of `griot dev` and the dashboard's sign-in by WhatsApp use it; the login service itself
// verifies by its own keys.
package accesstoken
