package systemtest

import (
	"fmt"
	"testing"

	"example.com/griot/test/system/freeport"
)

// FreePort returns a port on which nothing listens.
func FreePort(t *testing.T) int {
	t.Helper()
	return freeport.Find(t, 1)[0]
}

// FreeAddress returns an address of this machine on which nothing listens.
func FreeAddress(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", FreePort(t))
}
