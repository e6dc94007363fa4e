// Package counts maintains the message counters for statistics. They are exact: each change of a message is written
// to a log in the transaction of the change, with one row for each batch, and [Folder] adds the log to the counters
// every two seconds.
//
// A counter belongs to an account and to the hour in which its messages were accepted. It contains the number of
// these messages that are now on a channel and of a [Kind]. Hourly counters are kept for 35 days, and daily counters
// as long as the account. Deleting old messages changes no counter.
package counts
