// Package client calls the messaging API of a Griot: it sends on WhatsApp, SMS and
// e-mail, and tells what became of each message. It needs nothing but the standard
// library, and what it offers stays as it is: new members may come, none goes.
//
// A call that gets no answer, or is told to come back later, is made again by
// itself where that is safe. Sending is made safe by an idempotency key: a message
// that has none gets one, so that however often the connection breaks the message
// is sent once. What the service answers with an error is an [*Error]; a call that
// got no answer after all tries is an [*UnansweredError], with the key under which
// the same message may be sent again.
//
// Messages' texts, codes and keys are in no error.
package client
