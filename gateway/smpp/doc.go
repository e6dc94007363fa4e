// Package smpp is the driver that hands SMS to a message center over SMPP 3.4.
//
// Run keeps one connection bound as transceiver: it dials, binds, sends enquire_link
// regularly, and reconnects with growing pauses. A Send composes its units before it
// contacts anything. Each segment is one submit_sm, written by the sending goroutine,
// which takes a place in the window and waits for the response. If the write fails, the
// unit can't be whole at the center and nothing was handed over; after it, without a
// response, the outcome is unknown. Segments are sent one after another, so that a
// refusal of the first refuses the message.
//
// What the center sends is processed by a few workers with short queues, one person's
// messages always by the same. A deliver_sm is acknowledged once the sink has stored it,
// and refused with a temporary error when that fails or the queue is full, so that the
// center keeps it. SMPP has no field for our reference: messageIDs maps the center's ids
// to references, and a receipt of an id that it has forgotten has the id alone.
package smpp
