// Package db provides both services with one way to read and one way to write, with the same query text on SQLite and
// PostgreSQL.
//
// [DB.Read] reads. [DB.Write] runs a closure in a transaction. On SQLite, every Write joins a group commit: a single
// writer runs up to 256 queued closures in one transaction with one fsync. So SQLITE_BUSY cannot happen, and a busy
// server needs a fraction of an fsync per request. On PostgreSQL, a Write is its own transaction. It is retried if it
// lost a race. Because a round trip costs more than most statements, BEGIN is sent with the first statement. Queued
// statements ([Tx.Queue]) are sent with the next statement whose result is needed, or with COMMIT.
//
// Rules for closures: A closure contains only SQL, no I/O and no waiting. It can run twice, so create ids and times
// outside and reset results inside. Send signals after Write has returned or with [Tx.AfterCommit]. A refusal (no
// quota, a replay) is a result, not an error, because an error makes the whole batch run again with savepoints.
//
// Rules for queries: $N placeholders, TEXT ids, BIGINT Unix milliseconds. The only difference between the engines is
// /*lock*/, which becomes FOR UPDATE SKIP LOCKED on PostgreSQL. It belongs in a WITH clause: PostgreSQL might run a
// subquery after IN once for each row and lock LIMIT further rows each time.
package db
