// Package batch sends a message to each row of a file, once, however often it is run.
//
// A file is read several times: to detect its encoding, to check it, and to send it. [Check] finds every row that cannot be sent and every column that is missing, before anything is
// sent, and groups the rows by what they cost. [Run] sends them, a hundred a request and several requests at once. Each
// message has an idempotency key made of the batch's name and of the message, so that the service, which keeps keys for
// ever, is the only one that has to remember what was sent: a run that was killed is repeated from its beginning, and a row
// that was accepted before is answered and not sent.
//
// Memory is bounded: rows are read one after the other, and only hashes are kept of them.
package batch
