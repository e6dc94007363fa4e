//go:build !linux

package dbtest

import "os"

// base is where databases are made.
func base() string { return os.TempDir() }
