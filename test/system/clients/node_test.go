package clients_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const oldestNode = "20" // of openid-client and jose

// node returns a Node.js program that can use the packages of test/npm.
func node(t *testing.T, input io.Reader, args ...string) *exec.Cmd {
	t.Helper()
	if _, err := os.Stat(filepath.Join(npmFolder, "node_modules/oauth4webapi")); err != nil {
		t.Fatalf("the npm packages are not there: run make setup (%v)", err)
	}
	version, err := exec.CommandContext(t.Context(), "node", "-p", "process.versions.node").Output()
	if major, _, _ := strings.Cut(string(version), "."); err != nil || len(major) < 2 || major < oldestNode {
		t.Fatalf("Node.js %s or later is not there: install it and run make setup (%s, %v)", oldestNode, version, err)
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
