//go:build unix

package providertest

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// holdPort returns an address of 127.0.0.1 at which this process can open and close listeners repeatedly. A socket
// that does not listen is bound to the address until the test ends, so that no other program gets it.
func holdPort(t testing.TB) (address string, listeners net.ListenConfig) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	unix.CloseOnExec(fd)
	t.Cleanup(func() { _ = unix.Close(fd) })
	err = errors.Join(unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1), unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	if err != nil {
		t.Fatal(err)
	}
	bound, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	at, ok := bound.(*unix.SockaddrInet4)
	if !ok {
		t.Fatalf("bound to a %T", bound)
	}
	listeners.Control = func(_, _ string, c syscall.RawConn) error {
		var failed error
		err := c.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) })
		return errors.Join(err, failed)
	}
	return fmt.Sprint("127.0.0.1:", at.Port), listeners
}
