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

// holdPort returns an address of 127.0.0.1 that listeners of this process can be opened at and closed again, and that no other
// program is given meanwhile: a socket that doesn't listen is bound to it until the test ends.
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
