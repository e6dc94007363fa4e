package systemtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/waittest"
)

// Operator runs `griot admin` as a person at a terminal would.
type Operator struct {
	T    *testing.T
	Dir  string   // where they are
	Env  []string // in addition to the environment
	Args []string // after every command
}

// Background runs a command of an operator; end waits until it has ended.
func (o *Operator) Background(args ...string) (cmd *exec.Cmd, stdout, stderr *Buffer, end func() int) {
	o.T.Helper()
	cmd = exec.Command(Binary, append([]string{"admin"}, args...)...)
	stdout, stderr = &Buffer{}, &Buffer{}
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = o.Dir, stdout, stderr, append(Environ(), o.Env...)
	if err := cmd.Start(); err != nil {
		o.T.Fatal(err)
	}
	o.T.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, stdout, stderr, func() int {
		done := make(chan struct{})
		go func() { defer close(done); _ = cmd.Wait() }()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			o.T.Fatalf("%v does not end: %q, %q", args, stdout, stderr)
		}
		return cmd.ProcessState.ExitCode()
	}
}

// Shows waits until a buffer has a text.
func (o *Operator) Shows(b *Buffer, text string) {
	o.T.Helper()
	waittest.Until(o.T, func() error {
		if !strings.Contains(b.String(), text) {
			return fmt.Errorf("no %q in %q", text, b)
		}
		return nil
	})
}

// Try runs a command and returns its output and its exit code.
func (o *Operator) Try(args ...string) (stdout, stderr string, code int) {
	o.T.Helper()
	cmd := exec.CommandContext(context.Background(), Binary, append(append([]string{"admin"}, args...), o.Args...)...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = o.Dir, &out, &errs, append(Environ(), o.Env...)
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		o.T.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// Run runs a command that must succeed, and returns its output.
func (o *Operator) Run(args ...string) string {
	o.T.Helper()
	stdout, stderr, code := o.Try(args...)
	if code != 0 || stderr != "" {
		o.T.Fatalf("%v: exit %d, %q", args, code, stderr)
	}
	return stdout
}

// MustFail runs a command that must fail with a single line that contains want.
func (o *Operator) MustFail(want string, args ...string) {
	o.T.Helper()
	o.MustEnd(1, want, args...)
}

// MustEnd runs a command that must end with a code and a single line that contains want.
func (o *Operator) MustEnd(wantCode int, want string, args ...string) {
	o.T.Helper()
	stdout, stderr, code := o.Try(args...)
	if code != wantCode || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "griot: ") || !strings.Contains(stderr, want) {
		o.T.Errorf("%v: exit %d, stdout %q, stderr %q; want %d and %q", args, code, stdout, stderr, wantCode, want)
	}
}

// RunJSON runs a command with --json, and decodes the output.
func RunJSON[Out any](o *Operator, args ...string) Out {
	o.T.Helper()
	var out Out
	s := o.Run(append(args, "--json")...)
	if err := json.Unmarshal([]byte(s), &out); err != nil {
		o.T.Fatalf("%v: %v\n%s", args, err, s)
	}
	return out
}
