package audit_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/audit"
)

// Every action of the audit log has a sentence.
func TestSentences_CoverEveryAction(t *testing.T) {
	text, err := os.ReadFile("event.go")
	if err != nil {
		t.Fatal(err)
	}
	actions := regexp.MustCompile(`(?m)^\t[A-Z]\w+ += "([a-z_.]+)"`).FindAllStringSubmatch(string(text), -1)
	if len(actions) < 30 {
		t.Fatalf("%d actions found, want all of audit/event.go", len(actions))
	}
	for _, a := range actions {
		key, about, ok := audit.Sentence(a[1])
		if !ok {
			t.Errorf("%s has no sentence: add the text %s", a[1], key)
			continue
		}
		if names := strings.Contains(i18n.FR.T(key), "%!s(MISSING)"); names != (about != "") {
			t.Errorf("%s: names something: %v, about %q", a[1], names, about)
		}
	}
}
