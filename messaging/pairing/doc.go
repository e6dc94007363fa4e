// Package pairing links senders' numbers to phones. How far a pairing is, is known to the gateway alone, and what is to be
// scanned or typed is stored nowhere: every node asks the gateway. The database has a row of each pairing that was
// started, so that its end is noticed once, whoever looks and whether or not a browser is still open: the row ends by a
// guarded UPDATE in one transaction with its audit event.
//
// The stages of a row: starting (stored before the gateway is called, so that no pairing is without a row), open,
// and paired or failed. [Service.Run] follows the rows that are under way, and mails the account's owner when a number was linked: the mail is
// stored in the transaction that notes it in the row.
package pairing
