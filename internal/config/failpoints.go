//go:build failpoints

package config

import "strings"

// takesFailpoint reports whether this program, which is built by tests, reads a variable of failpoints.
func takesFailpoint(name string) bool { return !strings.HasPrefix(name, Prefix+"TEST_") }
