package peers_test

import (
	"os"
	"path/filepath"
	"testing"

	"example.com/griot/internal/npmtest"
)

// publint and attw know how bundlers, Node.js, and every moduleResolution of TypeScript read a package.
func TestPackage_PassesPublintAndAttw(t *testing.T) {
	t.Parallel()
	tarball := npmtest.Pack(t, root)
	dir := t.TempDir()
	for _, check := range [][]string{
		{"publint", "--strict", tarball},
		{"attw", "--profile", "strict", tarball},
	} {
		cmd := npmtest.Command(t, dir, npmtest.Tool(t, root, check[0]), check[1:]...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", check[0], err, out)
		}
	}
}

// Every entry compiles strictly and runs in projects of both module systems.
func TestPackage_WorksInBothModuleSystems(t *testing.T) {
	t.Parallel()
	const program = `import { Client, GriotError, isCode, type MessageStatus } from '@griot/client'
import { Login } from '@griot/client/login'
import { parse, verify, type Event } from '@griot/client/webhook'

const status: MessageStatus = 'SENT'
const event: Event = parse('{"event":"webhook.ping","eventId":"evt_1","timestamp":"2026-03-01T12:00:00.480Z"}')
if (event.event === 'webhook.ping') console.log(event.eventId, status)
console.log(typeof verify, new Client('http://127.0.0.1:1', 'key') instanceof Client, isCode(new Error(), 'quota_exceeded'), GriotError.name)
console.log(new Login({ issuer: 'http://127.0.0.1:1', clientId: 'cl_1', redirectUri: 'http://127.0.0.1/callback' }) instanceof Login)
`
	const want = "evt_1 SENT\nfunction true false GriotError\ntrue\n"
	dir := npmtest.Install(t, root)
	for name, project := range map[string]struct {
		kind    string // the type of package.json
		options []string
	}{
		"CommonJS, node10":        {"commonjs", []string{"--module", "commonjs", "--moduleResolution", "node10"}},
		"CommonJS, node16":        {"commonjs", []string{"--module", "node16"}},
		"CommonJS, nodenext":      {"commonjs", []string{"--module", "nodenext"}},
		"ES modules, node16":      {"module", []string{"--module", "node16"}},
		"ES modules, for bundler": {"module", []string{"--module", "esnext", "--moduleResolution", "bundler"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			copied := filepath.Join(t.TempDir(), "application")
			if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			npmtest.Write(t, filepath.Join(copied, "package.json"), `{"private": true, "type": "`+project.kind+`"}`)
			npmtest.Write(t, filepath.Join(copied, "program.ts"), program)
			npmtest.Compile(t, root, copied, "program.ts", project.options...)
			if got := npmtest.Run(t, npmtest.Command(t, copied, "node", "program.js")); got != want {
				t.Errorf("the program prints %q, want %q", got, want)
			}
		})
	}
}
