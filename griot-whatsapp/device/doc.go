// Package device is one paired number: whatsmeow's client with connection states and their reasons, reconnects that are
// spread in time, sending with ids of our own, and receiving with acknowledgments that wait until the handler has stored.
// It knows neither Griot's protocol nor the store.
package device
