// Package stats tells how an account's latest messages fared: what became of
// them, on which channels, how fast, and why some failed.
//
// It looks at a sample, the newest messages, in one query and counts in memory:
// no counters are kept, so that nothing is written for statistics on the way of a
// message, and what is told is always what the messages themselves say.
package stats
