package visible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Trim returns a pasted text without the spaces and invisible characters at its ends, which copying adds to addresses,
// names, and keys. A text that nobody can see becomes empty. The last characters of words and emoji stay ([Joins]).
func Trim(s string) string {
	s = strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || Invisible(r) })
	for s != "" {
		r, size := utf8.DecodeLastRuneInString(s)
		before, _ := utf8.DecodeLastRuneInString(s[:len(s)-size])
		if !unicode.IsSpace(r) && (!Invisible(r) || Joins(before, r, 0)) {
			break
		}
		s = s[:len(s)-size]
	}
	return s
}

// Address returns a pasted address of a page, a server, or a mailbox, trimmed like [Trim]. ok is false if it still contains
// an invisible character, which nobody could find.
func Address(s string) (address string, ok bool) {
	s = Trim(s)
	return s, !strings.ContainsFunc(s, Invisible)
}

// Line returns a pasted text in one line, trimmed like [Trim]. Line breaks, tabs, other controls, and several spaces in
// a row become one space, so that words stay apart. A single space of another kind, such as a no-break space, stays.
func Line(s string) string {
	var b strings.Builder
	for s != "" {
		n := strings.IndexFunc(s, separates)
		if n < 0 {
			n = len(s)
		}
		b.WriteString(s[:n])
		if s = s[n:]; s == "" {
			break
		}
		if n = strings.IndexFunc(s, func(r rune) bool { return !separates(r) }); n < 0 {
			break // the end is trimmed
		}
		if r, size := utf8.DecodeRuneInString(s); size == n && unicode.In(r, unicode.Zs) {
			b.WriteRune(r)
		} else {
			b.WriteByte(' ')
		}
		s = s[n:]
	}
	return Trim(b.String())
}

func separates(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
