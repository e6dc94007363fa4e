// Package db gives both services one way to read and one way to write, on SQLite
// and on PostgreSQL alike, with one query text.
//
// [DB.Read] reads. [DB.Write] runs a closure in a transaction. On SQLite every
// Write joins a group commit: a single writer takes up to 256 waiting closures
// into one transaction with one fsync, so SQLITE_BUSY cannot happen and a busy
// server pays a fraction of an fsync per request. On PostgreSQL a Write is a
// transaction of its own, tried again when the database says that it lost a race; its
// BEGIN goes to the server with the first statement, and what is queued ([Tx.Queue])
// with the next that is waited for or with COMMIT, since a round trip costs more than
// most statements.
//
// Rules for closures: SQL only, no I/O and no waiting; they may run twice, so
// ids and times are made outside and results are reset inside; signals are sent
// after Write has returned or by [Tx.AfterCommit]; a refusal (no quota, a replay) is a result, not an
// error, because an error makes the whole batch run again with savepoints.
//
// Rules for queries: $N placeholders, TEXT ids, BIGINT Unix milliseconds. The one
// seam between the engines is /*lock*/, which becomes FOR UPDATE SKIP LOCKED on PostgreSQL. It belongs in a WITH clause:
// PostgreSQL may run a subquery after IN once for each row, and each time lock LIMIT further rows.
package db
