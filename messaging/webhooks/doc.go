// Package webhooks writes the events of accounts. An event is stored in the transaction of its change, with the body
// that will be delivered. A change that is rolled back has no event.
//
// internal/webhook delivers events to the accounts' endpoints. [Endpoints] lets accounts and operators see and change
// endpoints and events, and a [Stream] contains the events for `griot listen`.
package webhooks
