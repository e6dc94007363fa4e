// Package virtual is the gateway that `griot dev` uses in place of real ones: it
// carries messages to virtual phones, which receive, read, answer, go offline
// and fail, on a page and over HTTP ([Gateway.Mount]).
//
// A message that [Gateway.Send] has taken is stored together with its attempt
// and its receipt before Send returns, in a file of its own or in memory. What
// waits for the rest of Griot (receipts, and what the phones write) is handed to
// the sink by [Gateway.Run] and kept until the sink has it. With a file, all of
// that survives a crash; memory is bounded and is meant for load tests.
//
// A reference is delivered at most once, so that an attempt whose outcome is
// unknown may be made again; that can be turned off, to see a resend arrive.
// A phone that is offline gets its messages when it is back; one that has
// blocked us cannot be reached on WhatsApp, but still by SMS. Which phones are
// offline or blocked, and which faults are still to come, is not kept: after a
// start every phone is online, and gets what has waited for it.
package virtual
