//go:build !failpoints

package config

// takesFailpoint reports whether this program reads a variable of failpoints: only the one that tests build does.
func takesFailpoint(string) bool { return false }
