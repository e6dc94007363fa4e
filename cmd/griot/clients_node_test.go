package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// node is a Node.js program that may use what test/npm has.
func node(t *testing.T, input io.Reader, args ...string) *exec.Cmd {
	t.Helper()
	if _, err := os.Stat(filepath.Join(npmFolder, "node_modules/oauth4webapi")); err != nil {
		t.Fatalf("the npm packages are not there: run make setup (%v)", err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Fatalf("Node.js is not there: install it and run make setup (%v)", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), npmTime)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Stdin = input
	return cmd
}

func stderrOf(err error) string {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return string(exit.Stderr)
	}
	return ""
}
