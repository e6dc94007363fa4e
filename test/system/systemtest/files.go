package systemtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Root is the repository's directory, with a slash at the end.
var Root = root()

// root walks up from the package's directory, in which a test runs, to the directory that has the program.
func root() string {
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "cmd", "griot")); err == nil {
			return filepath.ToSlash(dir) + "/"
		}
	}
	return "/"
}

// WriteFile writes a text to a file that only its owner can read.
func WriteFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
