//go:build !failpoints

package main

// failpoint returns what does nothing: only tests have failpoints (failpoint.go).
func failpoint() func(string) { return func(string) {} }

// fetchesFromHere is always false: only tests serve attachments on this machine (failpoint.go).
func fetchesFromHere() bool { return false }

// shiftClock does nothing: only tests set the clock off (failpoint.go).
func shiftClock() {}

// plantFault does nothing: only tests plant faults (failpoint.go).
func plantFault() {}
