//go:build !failpoints

package main

// failpoint returns nothing: only tests have failpoints (failpoint.go).
func failpoint() func(string) { return nil }
