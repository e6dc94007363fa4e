package systemtest

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Terminal runs griot as a person at a terminal does.
type Terminal struct {
	T   *testing.T
	Dir string
	Env []string
	In  string // typed input
}

// Command returns a command of the program.
func (o *Terminal) Command(args ...string) (cmd *exec.Cmd, stdout, stderr *Buffer) {
	cmd = exec.CommandContext(context.Background(), Binary, args...)
	stdout, stderr = &Buffer{}, &Buffer{}
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = o.Dir, strings.NewReader(o.In), stdout, stderr
	for _, v := range Environ() {
		if !strings.HasPrefix(v, "GRIOT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(append(cmd.Env, "HOME="+o.Dir, "XDG_CONFIG_HOME="), o.Env...)
	return cmd, stdout, stderr
}

// Try runs a command and returns its output and its exit code.
func (o *Terminal) Try(args ...string) (stdout, stderr string, code int) {
	o.T.Helper()
	cmd, out, errs := o.Command(args...)
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		o.T.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// Run runs a command that must end with a code, and with want in standard error (if want is "", without any).
func (o *Terminal) Run(code int, want string, args ...string) string {
	o.T.Helper()
	stdout, stderr, got := o.Try(args...)
	begins := "griot: "
	if slices.Contains(args, "--json") {
		begins = "{"
	}
	asWanted := stderr == "" && want == "" || want != "" && strings.HasPrefix(stderr, begins) && strings.Count(stderr, "\n") == 1 && strings.Contains(stderr, want)
	if got != code || !asWanted {
		o.T.Errorf("%v: exit %d, stdout %q, stderr %q; want %d and %q", args, got, stdout, stderr, code, want)
	}
	return stdout
}

// RunJSON runs a command with --json that must end with a code, and decodes its output.
func (o *Terminal) RunJSON(code int, want string, args ...string) map[string]any {
	o.T.Helper()
	var out map[string]any
	s := o.Run(code, want, append(args, "--json")...)
	if err := json.Unmarshal([]byte(s), &out); err != nil {
		o.T.Fatalf("%v: %v\n%s", args, err, s)
	}
	return out
}
