//go:build !failpoints

package config

// takesFailpoint reports whether this program reads a variable of failpoints. Only the program that tests build does.
func takesFailpoint(string) bool { return false }
