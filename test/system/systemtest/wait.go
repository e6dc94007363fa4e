package systemtest

import (
	"errors"
	"os/exec"
	"testing"
	"time"
)

// ExitTime is the maximum time until a process ends: its drain, and more for a slow machine.
const ExitTime = time.Minute

// ErrNotYet is the error of a check whose effect has not occurred yet.
var ErrNotYet = errors.New("not yet")

// WaitExit waits for the end of a process. If it takes too long, WaitExit kills it and returns an error.
func WaitExit(cmd *exec.Cmd) error {
	timeout := time.AfterFunc(ExitTime, func() { _ = cmd.Process.Kill() })
	defer timeout.Stop()
	return cmd.Wait()
}

// Must fails the test if there is an error.
func Must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
