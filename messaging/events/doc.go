// Package events writes the events of accounts. An event is stored in the transaction of the change that it is about, with
// the body that will be delivered; a change that is rolled back has no event.
//
// internal/webhook delivers events to the accounts' endpoints. [Endpoints] is what accounts and operators see and change
// of endpoints and events, and a [Stream] is the events for `griot listen`.
package events
