package npmtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const limit = 3 * time.Minute // npm and tsc take seconds, and longer on a busy machine

// Pack returns the tarball that `npm pack` creates from sdk/typescript. root is the repository.
func Pack(t *testing.T, root string) (tarball string) {
	t.Helper()
	source := filepath.Join(root, "sdk/typescript")
	modules, err := filepath.Abs(filepath.Join(source, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "typescript")); err != nil {
		t.Fatalf("the npm packages of sdk/typescript are not there: run make setup (%v)", err)
	}
	// It is built in a copy, because other tests build it at the same time.
	built := t.TempDir()
	if err := os.CopyFS(filepath.Join(built, "src"), os.DirFS(filepath.Join(source, "src"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".npmrc", "package.json", "tsconfig.json", "README.md", "LICENSE"} {
		b, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			t.Fatal(err)
		}
		Write(t, filepath.Join(built, name), string(b))
	}
	if err := os.Symlink(modules, filepath.Join(built, "node_modules")); err != nil {
		t.Fatal(err)
	}
	Run(t, Command(t, built, "npm", "pack", "--silent"))
	tarballs, err := filepath.Glob(filepath.Join(built, "*.tgz"))
	if err != nil || len(tarballs) != 1 {
		t.Fatalf("npm pack made %v, %v; want one tarball", tarballs, err)
	}
	return tarballs[0]
}

// Install returns a new directory with a project of ES modules in which only the package of [Pack] is installed. It
// uses no network.
func Install(t *testing.T, root string) (dir string) {
	t.Helper()
	tarball := Pack(t, root)
	dir = t.TempDir()
	Write(t, filepath.Join(dir, "package.json"), `{"private": true, "type": "module"}`)
	Run(t, Command(t, dir, "npm", "install", "--silent", "--offline", tarball))
	installed, err := filepath.Glob(filepath.Join(dir, "node_modules/*/*"))
	if want := filepath.Join(dir, "node_modules/@griot/client"); err != nil || len(installed) != 1 || installed[0] != want {
		t.Fatalf("installed are %v, %v; want %s alone", installed, err, want)
	}
	return dir
}

// Compile type-checks a program in a directory of [Install] as strictly as tsc can, including the declarations of the
// package, and writes its JavaScript next to it. Without options, modules are those of a current Node.js.
func Compile(t *testing.T, root, dir, program string, options ...string) {
	t.Helper()
	if len(options) == 0 {
		options = []string{"--module", "nodenext"}
	}
	Run(t, Command(t, dir, Tool(t, root, "tsc"), append(options, "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--target", "es2022",
		"--lib", "es2022,dom,dom.iterable,dom.asynciterable", program)...))
}

// Tool returns the path of a program that is installed for the development of sdk/typescript.
func Tool(t *testing.T, root, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, "sdk/typescript/node_modules/.bin", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Command returns a command that runs in a directory of [Install]. It uses the machine's own Node.js. npm gets no
// registry and no settings.
func Command(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "npm_config_registry=http://127.0.0.1:9", "npm_config_cache="+filepath.Join(dir, ".npm"), "npm_config_userconfig="+filepath.Join(dir, ".npmrc"),
		"npm_config_audit=false", "npm_config_fund=false", "npm_config_update_notifier=false")
	return cmd
}

// Run runs a command and returns its output. The test fails if the command fails.
func Run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var errors strings.Builder
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w\n%s%s", filepath.Base(cmd.Path), err, out, &errors))
	}
	return string(out)
}

// Write writes a file.
func Write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
