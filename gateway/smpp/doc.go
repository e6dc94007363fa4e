// Package smpp is the driver that hands SMS to a message center over SMPP 3.4.
//
// Run keeps one connection bound as transceiver: it dials, binds, asks now and then
// whether the center still answers, and starts again with growing pauses when it
// doesn't. A Send is composed before anything is contacted; then each segment is one
// submit_sm, written by the goroutine that sends, which takes a place in the window
// and waits for the answer. What a failure means hangs on one line: an error of the
// write itself says that the unit can't be whole at the center, so nothing has been
// handed over; after it, without an answer, nobody knows. Segments go one after
// another, so that a refusal of the first refuses the message.
//
// What the center sends goes to a few workers with short queues, one person's
// messages always to the same. They answer once the sink has stored it, and with a
// temporary error when it hasn't, or when the queue is full: then the center
// keeps it. SMPP carries no reference of ours: the book remembers which reference a
// center's id belongs to, as long as it has room, and otherwise a receipt goes out
// with the id alone.
package smpp
