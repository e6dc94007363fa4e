package command_test

import (
	"regexp"
	"testing"
)

func messageIn(t *testing.T, s string) string {
	t.Helper()
	id := regexp.MustCompile(`(msg|sb)_[0-9A-Z]{26}`).FindString(s)
	if id == "" {
		t.Fatalf("no message in %q", s)
	}
	return id
}
