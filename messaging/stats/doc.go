// Package stats summarizes an account's latest messages: their statuses, channels,
// latencies and errors.
//
// It reads a sample, the newest messages, in one query and counts in memory. There are
// no counters to keep, so messages cost no writes for statistics, and the numbers always
// agree with the messages.
package stats
