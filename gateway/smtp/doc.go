// Package smtp is the driver that hands e-mail to an SMTP relay.
//
// A [mail] is composed before anything is contacted, so that a message which can't
// be written never costs a connection. A Send then takes a connection from the
// pool or opens one (TCP, TLS, EHLO, AUTH), and makes one transaction on it: MAIL,
// RCPT, DATA, content, final dot, answer. The driver walks through the stages
// itself instead of handing the message to the library's client, because what an
// error means depends on the stage: up to the final dot nothing has been handed
// over, after it and without an answer nobody knows. SMTP has no way to ask and
// doesn't deduplicate, so that an attempt with an unknown outcome is never made
// again. What relays say in words stays here: their texts repeat addresses.
package smtp
