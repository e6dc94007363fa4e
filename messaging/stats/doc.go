// Package stats provides two kinds of statistics of an account's messages.
//
// A [Series] counts all messages of a period by hour or day. It reads the counters of messaging/counts, so its cost
// does not depend on the number of messages.
//
// A [Summary] describes the newest messages, at most [MaxSample]: their statuses, channels, latencies, and errors. It
// reads these messages.
package stats
