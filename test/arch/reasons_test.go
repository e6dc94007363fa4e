package arch_test

import (
	"io/fs"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/i18n"
)

// Each explanation of a failed message is for a code that a gateway or the engine returns, or for a class.
func TestReasons_AreCodesOfTheSource(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, dir := range []string{"gateway", "griot-whatsapp", "messaging"} {
		err := fs.WalkDir(repository, dir, func(name string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
				source.Write(readFile(t, name))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, class := range gateway.Classes() {
		if known, _, _ := i18n.EN.Reason(string(class), ""); known == "" {
			t.Errorf("the class %s has no explanation", class)
		}
	}
	found := 0
	for _, key := range i18n.EN.Keys() {
		code, ok := strings.CutPrefix(key, i18n.CauseKey)
		if !ok {
			continue
		}
		found++
		state := strings.TrimPrefix(code, "number_") // griot-whatsapp adds the state of a number
		if !strings.Contains(source.String(), `"`+code+`"`) && !strings.Contains(source.String(), `"`+state+`"`) {
			t.Errorf("%s: nothing gives this code", code)
		}
	}
	if found < 50 {
		t.Errorf("%d explanations were found", found)
	}
}
