// Package smpp is the driver that submits SMS to a message center over SMPP 3.4.
//
// Run maintains one connection bound as transceiver. It dials, binds, sends enquire_link regularly, and reconnects
// with growing pauses. A Send composes its units before it contacts the center. Each segment is one submit_sm,
// written by the sending goroutine, which takes a place in the window and waits for the response. If the write fails,
// the center cannot have the whole unit, so nothing was submitted. After the write, without a response, the outcome
// is unknown. Segments are sent one after another, so that a refusal of the first refuses the message.
//
// A few workers with short queues process the requests of the center. One person's messages always have the same
// worker. A deliver_sm is acknowledged after the sink has stored it. If that fails or the queue is full, it is
// refused with a temporary error, so that the center keeps it. SMPP has no field for our reference, so messageIDs
// maps the center's IDs to references. A receipt with an ID that messageIDs no longer contains has only the ID.
package smpp
