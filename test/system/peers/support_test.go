package peers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"example.com/griot/gateway"
)

const (
	root    = "../../.." // the repository
	griot   = "22376000000"
	aissata = "22370000001"
	moussa  = "22370000002"
)

// bounded returns a context with a time limit that only a hanging test reaches.
func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// npmPackage returns the path of a package, or of a file in it, that make setup installs from npm.
func npmPackage(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, "test/npm/node_modules", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("the npm package of %s is not there: run make setup (%v)", name, err)
	}
	return path
}

// runNode runs a script with a JSON input, and decodes its output into out. environment contains additional variables.
func runNode(t *testing.T, script string, in, out any, environment ...string) {
	t.Helper()
	input, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(bounded(t), "node", "-e", script)
	command.Env = append(os.Environ(), environment...)
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	if err := json.Unmarshal(output, out); err != nil {
		t.Fatalf("node prints %s: %v", output, err)
	}
}

// smsTo returns a valid SMS.
func smsTo(to, text string) *gateway.Outbound {
	return &gateway.Outbound{Ref: "msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ", Channel: gateway.SMS, From: griot, To: to, Text: text}
}

// mail returns a valid email.
func mail() *gateway.Outbound {
	return &gateway.Outbound{
		Ref: "msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ", Channel: gateway.Email,
		From: "griot@example.org", To: "aissata@example.org", Subject: "Bonjour", Text: "Ça va ?",
	}
}
