// Package history checks the externally observed events of a deployment against Griot's guarantees. A [History] is a
// list of events: requests of clients with their start and end, calls of gateways, receipts, webhooks, and faults. It
// is stored as JSON, one event per line. [Check] is a pure function of it.
package history
