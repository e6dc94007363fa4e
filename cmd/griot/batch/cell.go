package batch

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"example.com/griot/internal/visible"
)

// columnName returns the name of a column in composed Unicode, with single spaces and without invisible characters.
func columnName(s string) string {
	return strings.Join(strings.Fields(norm.NFC.String(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case visible.Invisible(r):
			return -1
		}
		return r
	}, s))), " ")
}

// apostrophes are the characters that keyboards and spreadsheets use for an apostrophe.
var apostrophes = strings.NewReplacer("’", "'", "‘", "'", "ʼ", "'", "′", "'", "`", "'", "´", "'", "＇", "'")

// folded returns the form of a column's name in which two spellings are equal.
func folded(name string) string {
	return strings.TrimLeft(apostrophes.Replace(columnName(name)), "'")
}

// resolve returns the name among the given ones that a name means: the same one, or else the only one with the same
// folded form. It returns "" if there is none. If several have the form, many is true, and the name is returned
// unchanged.
func resolve[V any](names map[string]V, name string) (found string, many bool) {
	if _, ok := names[name]; ok {
		return name, false
	}
	form, n := folded(name), 0
	for other := range names {
		if folded(other) == form {
			found = other
			n++
		}
	}
	if n > 1 {
		return name, true
	}
	return found, false
}

// trimmed returns a text without surrounding spaces and invisible characters of no width.
func trimmed(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\u200b\u2060\ufeff", r) })
}

// cellText returns the text of a cell: composed, without surrounding spaces, with line feeds as line ends, and without
// a text mark.
func cellText(s string) string {
	s = trimmed(s)
	if strings.Contains(s, "\r") {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	return norm.NFC.String(withoutMark(s))
}

// withoutMark removes the apostrophe with which spreadsheets and exports mark a text that would otherwise be a number
// or a formula: '0612 and '+223. An apostrophe before a word, such as in 't Hooft or '90s, belongs to the text.
func withoutMark(s string) string {
	text, marked := strings.CutPrefix(s, "'")
	switch {
	case !marked || text == "":
		return s
	case strings.ContainsRune("=+-@\t\n", rune(text[0])):
		return text
	case text[0] >= '0' && text[0] <= '9' && !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || strings.ContainsRune("'’\"", r) }):
		return text
	}
	return s
}

// unmarked returns the text of a recipient's cell or of a column's name, which don't start with an apostrophe.
func unmarked(s string) string { return trimmed(strings.TrimLeft(s, "'’‘")) }

// isBlank reports whether nothing is visible in a cell.
func isBlank(s string) bool { return trimmed(s) == "" }
