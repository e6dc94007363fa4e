// Package limit says how often something may be done: so many times in a while,
// per key, with a burst (a token bucket, kept as the time at which it is full
// again: GCRA). A key costs a few bytes and is forgotten once its bucket is full.
//
// A limit is one process's own: a fleet of N nodes lets through up to N times as much.
package limit
