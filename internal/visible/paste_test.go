package visible_test

import (
	"strings"
	"testing"
	"unicode"

	"example.com/griot/internal/visible"
)

func TestTrim(t *testing.T) {
	t.Parallel()
	for pasted, want := range map[string]string{
		"Awa": "Awa", " Awa \n": "Awa", "\u00a0Awa\u00a0": "Awa", "Awa\u200b": "Awa", "\ufeffAwa\u2060 \u200b": "Awa", "\u202aAwa\u202c": "Awa", "\u3164": "", "\u2800 \u3164\u200b": "", "": "", " ": "", "\u115f": "",
		"Awa  Diallo": "Awa  Diallo", "a\u3164b": "a\u3164b", "❤\ufe0f ": "❤\ufe0f", "Awa\u200d": "Awa", "\ufe0f": "", "https://a.example/hook\u00a0": "https://a.example/hook", "\xff": "\xff",
	} {
		if got := visible.Trim(pasted); got != want {
			t.Errorf("Trim(%+q) = %+q, want %+q", pasted, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	for pasted, want := range map[string]string{
		"Awa\nDiallo": "Awa Diallo", "Awa\r\nDiallo\r\n": "Awa Diallo", "Awa\u2028Diallo": "Awa Diallo", "Awa\u0085Diallo": "Awa Diallo", "Awa\tDiallo": "Awa Diallo", "Awa\x00Diallo": "Awa Diallo", "a     b": "a b",
		"a \u00a0 b": "a b", "12\u202f500\u00a0FCFA": "12\u202f500\u00a0FCFA", "\u3164": "", "\n\t": "", "": "", "\n5\x07 ": "5", "\xff a": "\xff a",
	} {
		if got := visible.Line(pasted); got != want {
			t.Errorf("Line(%+q) = %+q, want %+q", pasted, got, want)
		}
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for pasted, want := range map[string]string{
		"https://a.example/hook": "https://a.example/hook", " https://a.example/hook\u00a0\u200b\n": "https://a.example/hook", "\ufeffawa@example.org ": "awa@example.org", "": "", "\u200b": "",
		"https://a\u200b.example": "!", "https://a.example/\u00ad": "https://a.example/", "https://a.example/x\u00ady": "!", "a\u200cb.example": "!", "https://a.example/\x00x": "!", "https://a.example/é": "https://a.example/é", "https://a.example/a b": "https://a.example/a b",
	} {
		got, ok := visible.Address(pasted)
		if !ok {
			got = "!"
		}
		if got != want {
			t.Errorf("Address(%+q) = %+q, want %+q", pasted, got, want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("Awa\r\nDiallo \u3164\ufe0f\xff")
	f.Fuzz(func(t *testing.T, s string) {
		line := visible.Line(s)
		if visible.Line(line) != line || visible.Trim(line) != line || strings.ContainsFunc(line, unicode.IsControl) || strings.Contains(line, "  ") {
			t.Errorf("%+q becomes %+q, and that %+q", s, line, visible.Line(line))
		}
		if trimmed := visible.Trim(s); visible.Trim(trimmed) != trimmed || !strings.Contains(s, trimmed) || (trimmed == "") != (line == "") {
			t.Errorf("%+q is trimmed to %+q, and is the line %+q", s, trimmed, line)
		}
	})
}
