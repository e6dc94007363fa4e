// Package smtp is the driver that submits email to an SMTP relay.
//
// A Send composes the [mail] before it connects. Then it takes a connection from the pool or opens one (TCP, TLS,
// EHLO, AUTH), and makes one transaction on it: MAIL, RCPT, DATA, content, final dot, reply. The driver performs
// these steps itself instead of using the library's client, because the meaning of an error depends on the stage.
// Before the final dot, nothing was submitted. After it, without a reply, the outcome is unknown. SMTP has neither
// queries nor deduplication, so an attempt with an unknown outcome is never repeated. Errors contain no text of the
// relay, because it might contain addresses.
package smtp
