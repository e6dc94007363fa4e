// Package stats has two kinds of statistics of an account's messages.
//
// A [Series] counts every message of a time by hours or days. It reads the counters of
// messaging/counts, so its cost doesn't depend on the number of messages.
//
// A [Summary] describes the newest messages, at most [MaxSample]: their statuses,
// channels, latencies, and errors. It reads these messages.
package stats
