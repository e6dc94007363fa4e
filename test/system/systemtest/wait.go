package systemtest

import (
	"errors"
	"os/exec"
	"testing"
	"time"
)

// ExitTime is the most that a process may take to end: its drain, and more for a slow machine.
const ExitTime = time.Minute

var ErrNotYet = errors.New("not yet")

// WaitExit waits for the end of a process. It kills one that takes too long, and then returns an error.
func WaitExit(cmd *exec.Cmd) error {
	timeout := time.AfterFunc(ExitTime, func() { _ = cmd.Process.Kill() })
	defer timeout.Stop()
	return cmd.Wait()
}

// Eventually tries until check returns nil: what it waits for happens in another process.
func Eventually(t *testing.T, within time.Duration, check func() error) {
	t.Helper()
	deadline := time.Now().Add(within)
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func Must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
