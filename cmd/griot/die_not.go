//go:build !faultpoints

package main

// dyingAt is for tests; see the other file.
func dyingAt() func(string) { return nil }
