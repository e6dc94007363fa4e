// Package billing lets an account's owner pay for a plan through a payment provider, and gives the account the paid plan.
//
// A [Provider] is stripe (the package below) or [Manual]. With Manual, an operator sets plans, and responses contain
// the operator's contact.
//
// The account's plan is never taken from an event. An event is only a reason to read its customer's state from the
// provider again, so the order of events and repeated events do not matter. The customer of an event must be one that
// [Service.Checkout] has stored, the plan is determined by an allow-list of prices, and LIVE and TEST never mix.
//
// The state, the event's ID, the account's plan, and the audit event are stored in one transaction, if nothing was
// stored for the customer since the request to the provider. Otherwise, the request is repeated. If two nodes read at
// the same time, the later read is used.
package billing
