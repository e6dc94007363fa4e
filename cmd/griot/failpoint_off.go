//go:build !failpoints

package main

// killPoint returns a function that does nothing, because only tests have failpoints (failpoint.go).
func killPoint() func(string) { return func(string) {} }

// fetchesFromHere returns false, because only tests serve attachments on this machine (failpoint.go).
func fetchesFromHere() bool { return false }

// shiftClock does nothing, because only tests shift the clock (failpoint.go).
func shiftClock() {}

// plantFault does nothing, because only tests plant faults (failpoint.go).
func plantFault() {}
