package sdnotify_test

import (
	"net"
	"path/filepath"
	"runtime"
	"testing"

	"example.com/griot/internal/sdnotify"
)

func TestSend(t *testing.T) {
	t.Parallel()
	names := []string{filepath.Join(t.TempDir(), "notify")}
	if runtime.GOOS == "linux" {
		names = append(names, "@griot-test-"+filepath.Base(t.TempDir())+filepath.Base(filepath.Dir(t.TempDir())))
	}
	for _, name := range names {
		l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
		if err != nil {
			t.Fatal(err)
		}
		if err := sdnotify.Send(name, sdnotify.Ready); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 64)
		if n, err := l.Read(b); err != nil || string(b[:n]) != "READY=1" {
			t.Errorf("%s: got %q, %v", name, b[:n], err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := sdnotify.Send("", sdnotify.Ready); err != nil {
		t.Errorf("without a socket: %v", err)
	}
	if err := sdnotify.Send(filepath.Join(t.TempDir(), "none"), sdnotify.Ready); err == nil {
		t.Error("a socket that isn't there: no error")
	}
}
