// Package delivery is the only way out. [Service.Submit] accepts a message in one
// commit (idempotency key, quota, row) before anything else happens; a worker for
// each sender hands messages to gateways, in the order that was promised; and what
// comes of that is decided in one place and written by one ([griot/messaging/outbox]).
//
// An event (a gateway's answer, a receipt, a time that has come) and a message make
// a transition: decide is pure, and settle applies what it decided until that is
// written down. An event that meets a message which has changed meanwhile is decided
// about again.
//
// A message is marked as being handed over just before its gateway is called. A
// process may die between the mark and the answer: then a gateway that deduplicates
// our reference is called again, and with any other the message waits for a receipt
// and ends as outcome_unknown. It is never sent again on a guess. What only waited
// for its turn is QUEUED, and simply goes later.
package delivery
