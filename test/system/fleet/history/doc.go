// Package history checks what was seen of a deployment from outside against what Griot promises. A [History] is a list of
// events: requests of clients with their begin and end, calls of gateways, receipts, webhooks, and faults. It is stored as
// JSON, one event per line. [Check] is a pure function of it.
package history
