// Package griot calls the messaging API of a Griot with a key: it sends on WhatsApp, SMS, and email, follows each message,
// and has all else that a key may do. It needs only the standard library. Its exported API is stable: members may be added,
// none is removed.
//
// A call that gets no answer, or an answer to try again later, is repeated where that is safe. Sending is made safe by an
// idempotency key: a message that has none gets one, so that however often the connection breaks the message is sent once.
// What the service answers with an error is an [*Error], which errors.Is compares with [ErrQuotaExceeded] and the others; a
// call that got no answer after all tries is an [*UnansweredError], with the key under which the same message may be sent
// again; one that was not made is an [*ArgumentError].
//
// Lists come by pages, or as iterators over all pages, such as [Client.AllLogs].
//
// Messages' texts, codes, and keys are in no error.
package griot
