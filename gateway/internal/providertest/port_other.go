//go:build !unix

package providertest

import (
	"net"
	"testing"
)

// holdPort returns an address of 127.0.0.1 that was free a moment ago.
func holdPort(t testing.TB) (address string, listeners net.ListenConfig) {
	t.Helper()
	l, err := listeners.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String(), listeners
}
