//go:build !linux

package dbtest

import "os"

// base returns the directory for databases.
func base() string { return os.TempDir() }
