// Package delivery accepts messages and hands them to gateways. Every message goes
// through it. [Service.Submit] stores a message in one commit (idempotency key, quota,
// row) before anything else happens; one worker for each sender hands messages over,
// in order for each recipient; decide alone chooses the next status of a message, and
// [example.com/griot/messaging/outbox] alone writes it.
//
// An event is a gateway's answer, a receipt, or a time that has come. decide, a pure
// function, makes a transition of a message and an event, and settle writes it, again
// after an error. If the message has changed meanwhile, settle decides again.
//
// A message is marked as SENDING just before its gateway is called. If the process
// dies before the answer is stored, a gateway that deduplicates our reference is
// called again; with any other gateway the message waits for a receipt, and then
// fails with outcome_unknown. It is not sent twice. Messages that were only waiting
// are QUEUED, and are delivered later.
package delivery
