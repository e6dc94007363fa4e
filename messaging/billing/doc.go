// Package billing lets an account's owner pay for a plan through a payment provider, and gives the account what was
// paid for.
//
// A [Provider] is stripe (the package below), or [Manual]: an operator sets plans, and answers name whom to ask.
//
// What an account gets is never taken from an event. An event of the provider is a reason to read the state of its
// customer from the provider again, so that the order of events does not matter, and neither do repeated ones. The
// customer that an event names is looked up among those that [Service.Checkout] has stored; a plan follows from an
// allow-list of prices; and what is LIVE and what is TEST never mix.
//
// The state, the event's id, the account's plan, and the audit event are stored in one transaction, if nothing was
// stored for the customer since the provider was asked. Otherwise it is asked again: of two nodes that read at the
// same time, the one that read last is believed.
package billing
