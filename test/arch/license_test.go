package arch_test

import (
	"strings"
	"testing"
)

// copyleft are the modules that a program can link only under the GPL. griot-whatsapp is one, because of its
// dependencies.
var copyleft = []string{module + "/griot-whatsapp", "go.mau.fi/whatsmeow", "go.mau.fi/libsignal"}

// Griot is under Apache-2.0, so it links nothing of griot-whatsapp, not even in tests.
func TestLicense_NothingOfTheGPLIsLinked(t *testing.T) {
	for _, p := range sourceTree(t) {
		if within(p.dir, "griot-whatsapp") {
			t.Errorf("%s is a package of Griot's module: griot-whatsapp is a module of its own", p.dir)
		}
		for _, f := range p.files {
			for _, spec := range f.ast.Imports {
				if path := strings.Trim(spec.Path.Value, `"`); isCopyleft(path) {
					t.Errorf("%s imports %s, which is under the GPL", f.at(spec), path)
				}
			}
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		for line := range strings.Lines(string(readFile(t, name))) {
			for _, field := range strings.Fields(line) {
				if isCopyleft(field) {
					t.Errorf("%s names %s, which is under the GPL", name, field)
				}
			}
		}
	}
}

func isCopyleft(path string) bool { return withinAny(path, copyleft) }

func TestIsCopyleft(t *testing.T) {
	for path, want := range map[string]bool{
		"example.com/griot/griot-whatsapp": true, "example.com/griot/griot-whatsapp/device": true, "go.mau.fi/whatsmeow/types": true, "go.mau.fi/libsignal": true,
		"example.com/griot/gateway": false, "example.com/griot/gateway/remote": false, "go.mau.fi/util": false,
	} {
		if got := isCopyleft(path); got != want {
			t.Errorf("isCopyleft(%s) = %v, want %v", path, got, want)
		}
	}
}
