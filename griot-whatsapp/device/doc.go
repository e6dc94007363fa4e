// Package device controls one paired number. It wraps whatsmeow's client and adds connection states with reasons,
// reconnects at random intervals, sending with IDs that the gateway chooses, and receiving with acknowledgments that
// wait until the handler has stored the event. It depends neither on Griot's protocol nor on the store.
package device
