package operate_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/seal"
	"example.com/griot/test/system/systemtest"
)

// systemd is notified that the server is ready after it responds, and that it is stopping before it has ended.
func TestServe_NotifiesSystemd(t *testing.T) {
	t.Parallel()
	s := systemtest.StartNode(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), "", seal.NewMasterKey())
	systemtest.Must(t, stopNode(s))
	dir, err := os.MkdirTemp("", "griot") // short, because socket paths are limited
	systemtest.Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "notify"), Net: "unixgram"})
	systemtest.Must(t, err)
	defer func() { _ = socket.Close() }()
	systemtest.Must(t, socket.SetReadDeadline(time.Now().Add(time.Minute)))
	hears := func(want string) {
		t.Helper()
		b := make([]byte, 256)
		if n, err := socket.Read(b); err != nil || string(b[:n]) != want {
			t.Fatalf("got %q, %v, want %s\n%s", b[:n], err, want, s.Out)
		}
	}
	c := &exec.Cmd{Path: systemtest.Binary, Args: []string{systemtest.Binary, "serve"}, Dir: s.Cmd.Dir, Env: append(s.Cmd.Env, "NOTIFY_SOCKET="+socket.LocalAddr().String()), Stdout: s.Out, Stderr: s.Out}
	systemtest.Must(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	hears("READY=1")
	if r, err := systemtest.Call("GET", s.Internal+"/readyz", ""); err != nil || r.Status != 200 {
		t.Errorf("when it says that it is ready: %v %v", r, err)
	}
	systemtest.Must(t, c.Process.Signal(os.Interrupt))
	hears("STOPPING=1")
	systemtest.Must(t, systemtest.WaitExit(c))
}

// systemd accepts the unit that init writes, and does not restart a program that ended because of its configuration.
func TestInit_TheUnitIsVerified(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "griot")
	out, err := (&systemtest.Server{Cmd: &exec.Cmd{Dir: t.TempDir(), Env: systemtest.Environ()}}).Griot(t, "", "init", dir, "--auth-url", "https://login.example.com", "--api-url", "https://api.example.com", "--database", "sqlite:"+dir+"/data/griot.db", "--proxy", "nginx", "--user", "root")
	if err != nil {
		t.Fatalf("griot init: %v\n%s", err, out)
	}
	unit := filepath.Join(dir, "griot.service")
	text, err := os.ReadFile(unit)
	systemtest.Must(t, err)
	for _, line := range []string{"Type=notify", "TimeoutStartSec=infinity", "RestartPreventExitStatus=2 3 78"} {
		if !strings.Contains(string(text), "\n"+line+"\n") {
			t.Errorf("the unit has no %s", line)
		}
	}
	if exit.CodeUsage != 2 || exit.CodeSchema != 3 || exit.CodeConfig != 78 {
		t.Error("the unit has other exit codes than the program")
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed: the unit was not verified (apt-get install systemd)")
	}
	if out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", unit).CombinedOutput(); err != nil || len(out) > 0 {
		if exited, ok := errors.AsType[*exec.ExitError](err); ok || err == nil {
			t.Errorf("systemd-analyze verify: %v\n%s", exited, out)
		} else {
			t.Fatal(err)
		}
	}
}
