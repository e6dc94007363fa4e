// Package intake reads the bodies of requests before it is known who sends them. Each is bounded in size and time, and
// all of them together in size. One address gets an eighth of a budget at most, or one body where that is more; addresses
// that have signed may use all of it, and the others share one half.
package intake
