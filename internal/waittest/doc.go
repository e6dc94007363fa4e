// Package waittest waits in tests for the effects of concurrent work. Each wait ends as soon as its effect is there.
// All waits have the same limit, [Limit], which only ends hangs, because it is much longer than any step takes on a
// busy machine. To test a time limit that the code promises, use a fake clock or a testing/synctest bubble instead.
package waittest
