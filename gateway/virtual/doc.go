// Package virtual is the gateway of `griot dev`. It delivers messages to virtual phones, which receive, read, reply,
// go offline, and fail. They are controlled on a page and over HTTP ([Gateway.Mount]).
//
// [Gateway.Send] stores a message with its attempt and its receipt before it returns, in a separate file or in
// memory. [Gateway.Run] delivers receipts and the phones' messages to the sink, and keeps them until the sink has
// stored them. A file survives a crash. Memory is limited and intended for load tests.
//
// Content from other people is served to browsers in a form that they show but never execute: the HTML of mails in
// frames, pictures, audio, and video.
//
// A phone with a username has a fictional business-scoped ID, and can hide its number: its messages then have the ID
// alone. It shares the number by pressing the button of a request ([Gateway.AskForNumber]). Hidden means hidden: unlike
// WhatsApp, a phone doesn't show its number again after a message to it. Phones that never had a username have no ID, so
// load tests don't store a pair of number and ID for each message.
//
// A reference is delivered at most once, so an attempt with an unknown outcome can be repeated. An option disables
// that. An offline phone gets its messages when it is online again. A phone that has blocked us can be reached only
// by SMS. Offline phones, blocked phones, and faults are not stored. After a start, every phone is online and gets
// its queued messages.
package virtual
