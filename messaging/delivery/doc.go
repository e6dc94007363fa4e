// Package delivery accepts messages and submits them to gateways. Every message passes through it. [Service.Submit]
// stores a message in one commit (idempotency key, quota, row) before any other step. One worker for each sender
// submits messages, in order for each recipient. Only decide chooses the next status of a message, and only
// [example.com/griot/messaging/outbox] writes it.
//
// An event is a gateway's response, a receipt, or a due time. The pure function decide converts a message and an
// event to a transition, and settle writes it, with retries after errors. If the message has changed in the meantime,
// settle decides again.
//
// A message is marked as SENDING just before its gateway is called. If the process dies before the response is
// stored, a gateway that deduplicates our reference is called again. With any other gateway, the message waits for a
// receipt, and then fails with outcome_unknown. It is not sent twice. Messages that were only waiting are QUEUED and
// are sent later.
package delivery
