// Package limit limits the rate of an action: a number of times in a period, for each key, with a burst. It uses a
// token bucket, which is stored as the time at which it is full again (GCRA). A key uses a few bytes and is removed
// after its bucket is full.
//
// Each process has its own limit, so N nodes allow up to N times as much.
package limit
