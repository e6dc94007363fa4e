package dashboard

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/i18n"
)

// Every action of the audit log has its words.
func TestSentences_CoverEveryAction(t *testing.T) {
	text, err := os.ReadFile("../audit/event.go")
	if err != nil {
		t.Fatal(err)
	}
	actions := regexp.MustCompile(`(?m)^\t[A-Z]\w+ += "([a-z_.]+)"`).FindAllStringSubmatch(string(text), -1)
	if len(actions) < 30 {
		t.Fatalf("%d actions found, want all of audit/event.go", len(actions))
	}
	for _, a := range actions {
		s, ok := sentences()[a[1]]
		if !ok || !i18n.FR.Has(s.key) {
			t.Errorf("%s has no sentence: add one to sentences.go", a[1])
			continue
		}
		if names := strings.Contains(i18n.FR.T(s.key), "%!s(MISSING)"); names != (s.about != "") {
			t.Errorf("%s: names something: %v, about %q", a[1], names, s.about)
		}
	}
}
