package systemtest

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"
)

// nextPort is below the ports that a system gives out by itself, so that no listener or connection of another test gets a
// port between its choice and its use. Runs beside each other begin at different ports.
var nextPort = func() *atomic.Int32 {
	var n atomic.Int32
	n.Store(int32(11_000 + os.Getpid()%190*100)) // browsers refuse 10080
	return &n
}()

// FreePort returns a port that nobody listens on.
func FreePort(t *testing.T) int {
	t.Helper()
	for range 1000 {
		port := int(nextPort.Add(1))
		if l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// FreeAddress returns an address of this machine where nobody listens.
func FreeAddress(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", FreePort(t))
}
