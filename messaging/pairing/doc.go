// Package pairing links senders' numbers to phones. Only the gateway knows the progress of a pairing, and its code is
// not stored, so every node asks the gateway. The database has a row for each started pairing, so that its end is
// recorded exactly once, even if no browser is open. The row ends with a conditional UPDATE in one transaction with
// its audit event.
//
// The stages of a row are: starting (stored before the gateway is called, so that every pairing has a row), open, and
// paired or failed. [Service.Run] follows the rows that are in progress, and mails the account's owner when a number
// was linked. The mail is stored in the transaction that records it in the row.
package pairing
