// Package limit bounds how often something may be done: so many times in a period, for each key, with a burst (a token bucket, kept as the time at which it is full
// again: GCRA). A key costs a few bytes and is forgotten once its bucket is full.
//
// A limit is one process's own: N nodes let through up to N times as much.
package limit
