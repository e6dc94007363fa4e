// Package batch sends a message for each row of a file, only once, even if it is run several times.
//
// A file is read several times: to detect its encoding, to check it, and to send it. [Check] finds every row that
// cannot be sent and every column that is missing, before anything is sent, and groups the rows by cost. [Run] sends
// them, 100 per request, with several concurrent requests. Each message has an idempotency key derived from the batch's
// name, the person, and the message. The service keeps keys permanently, so no other program needs to store which
// messages were sent. A killed run is repeated from the start, and the service doesn't send an accepted row again. Keys
// have a version: before a row is sent, the service is asked whether it has the row under the key of an earlier version.
//
// Memory is bounded, because rows are read one after the other and only their hashes are kept.
package batch
