// Package counts keeps the counters of messages from which statistics are read. They are exact: each change of a message
// is written to a log in the transaction of the change, one row for each batch, and [Folder] adds the log to the counters
// every two seconds.
//
// A counter belongs to an account and to the hour in which its messages were accepted, and says how many of them are on a
// channel and of a [Kind] now. Counters of hours are kept for 35 days, those of days as long as the account. Deleting old
// messages changes no counter.
package counts
