package main

import (
	"strings"
	"testing"
)

// checkTypeScript checks the package that npm installs.
func checkTypeScript(t *testing.T, path string) {
	t.Helper()
	got := readTarGz(t, path)
	if len(got) != 2 || string(got["package/dist/index.js"]) != "export {}\n" || !strings.Contains(string(got["package/package.json"]), `"version": "1.2.0-rc.1"`) {
		t.Errorf("the package has %v, want what prepack built, and the release's version", got)
	}
}

func TestSemanticVersion(t *testing.T) {
	for version, want := range map[string]string{
		"1.2.0": "1.2.0", "1.2.0-rc.1": "1.2.0-rc.1", "0.1.0-5-gabc1234-dirty": "0.1.0-5-gabc1234-dirty", "0123456": "0.0.0-g0123456", "abc1234-dirty": "0.0.0-gabc1234-dirty",
	} {
		if got := semanticVersion(version); got != want {
			t.Errorf("semanticVersion(%q) = %q, want %q", version, got, want)
		}
	}
}
