// Package virtual is the gateway of `griot dev`. It delivers to virtual phones, which
// receive, read, answer, go offline, and fail, on a page and over HTTP ([Gateway.Mount]).
//
// [Gateway.Send] stores a message with its attempt and its receipt before it returns, in
// a file of its own or in memory. [Gateway.Run] delivers receipts and the phones'
// messages to the sink, and keeps them until the sink has stored them. A file survives a
// crash; memory is bounded and meant for load tests.
//
// What others wrote is served to browsers so that they show it and run nothing of it: the HTML
// of mails for frames, pictures, sounds, and films.
//
// A reference is delivered at most once, so that an attempt with an unknown outcome may
// be repeated; an option turns that off. An offline phone gets its messages when it is
// back. A phone that has blocked us can be reached by SMS only. Offline and blocked
// phones and faults aren't stored: after a start every phone is online, and gets the
// messages that waited for it.
package virtual
