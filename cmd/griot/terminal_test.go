package main

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// terminal runs griot as a person at a terminal does.
type terminal struct {
	t   *testing.T
	dir string
	env []string
	in  string // what is typed
}

// at returns a terminal whose environment has the address and a key.
func (p *process) at(key string) *terminal {
	return &terminal{t: p.t, dir: p.t.TempDir(), env: []string{"GRIOT_API_URL=" + p.BaseURL, "GRIOT_API_KEY=" + key}}
}

func (o *terminal) command(args ...string) (cmd *exec.Cmd, stdout, stderr *safeBuffer) {
	cmd = exec.CommandContext(context.Background(), binary, args...)
	stdout, stderr = &safeBuffer{}, &safeBuffer{}
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = o.dir, strings.NewReader(o.in), stdout, stderr
	for _, v := range environ() {
		if !strings.HasPrefix(v, "GRIOT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(append(cmd.Env, "HOME="+o.dir, "XDG_CONFIG_HOME="), o.env...)
	return cmd, stdout, stderr
}

func (o *terminal) try(args ...string) (stdout, stderr string, code int) {
	o.t.Helper()
	cmd, out, errs := o.command(args...)
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		o.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// run runs a command that must end with a code, with want on standard error ("": nothing).
func (o *terminal) run(code int, want string, args ...string) string {
	o.t.Helper()
	stdout, stderr, got := o.try(args...)
	begins := "griot: "
	if slices.Contains(args, "--json") {
		begins = "{"
	}
	asWanted := stderr == "" && want == "" || want != "" && strings.HasPrefix(stderr, begins) && strings.Count(stderr, "\n") == 1 && strings.Contains(stderr, want)
	if got != code || !asWanted {
		o.t.Errorf("%v: exit %d, stdout %q, stderr %q; want %d and %q", args, got, stdout, stderr, code, want)
	}
	return stdout
}

// runJSON runs a command with --json that must end with a code, and decodes its output.
func (o *terminal) runJSON(code int, want string, args ...string) map[string]any {
	o.t.Helper()
	var out map[string]any
	s := o.run(code, want, append(args, "--json")...)
	if err := json.Unmarshal([]byte(s), &out); err != nil {
		o.t.Fatalf("%v: %v\n%s", args, err, s)
	}
	return out
}

func messageIn(t *testing.T, s string) string {
	t.Helper()
	id := regexp.MustCompile(`(msg|sb)_[0-9A-Z]{26}`).FindString(s)
	if id == "" {
		t.Fatalf("no message in %q", s)
	}
	return id
}
