package visible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	zwnj      = '\u200c' // joiners, which Arabic and Indic scripts and emoji use
	zwj       = '\u200d'
	textStyle = '\ufe0e' // variation selectors, which emoji use
	emojiForm = '\ufe0f'

	brailleBlank = '\u2800'
	nullNotehead = '\U0001d159'
)

// Invisible reports whether a character is invisible: controls, formats (among them those that change the direction of
// text, and tags), characters that renderers might ignore, and those that look like a space without being one.
func Invisible(r rune) bool {
	return r < ' ' || r == brailleBlank || r == nullNotehead || r >= 0x7f &&
		(unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r >= 0xe0000 && r <= 0xe0fff)
}

// Joins reports whether an invisible character is legitimate between two others: a joiner between letters or emoji, or
// the form of an emoji. before and after are 0 at an end.
func Joins(before, r, after rune) bool {
	switch r {
	case textStyle, emojiForm:
		return InEmoji(before, r, after) || before == '#' || before == '*' || before >= '0' && before <= '9'
	case zwj, zwnj:
		return InEmoji(before, r, after) || letter(before) && letter(after)
	}
	return false
}

// InEmoji reports the same as [Joins], but only for emoji.
func InEmoji(before, r, after rune) bool {
	switch r {
	case textStyle, emojiForm:
		return symbol(before)
	case zwj:
		return (symbol(before) || before == emojiForm) && symbol(after)
	}
	return false
}

func letter(r rune) bool { return !Invisible(r) && unicode.In(r, unicode.L, unicode.M) }

// symbol reports whether a character can be an emoji, or the part of one to which others are joined.
func symbol(r rune) bool {
	return r > 0x7f && r != brailleBlank && r != nullNotehead && unicode.In(r, unicode.So, unicode.Sk, unicode.Sm, unicode.Po)
}

// Text reports whether all characters of a text are visible, or are joiners within words and emoji.
func Text(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	ok := true
	each(s, func(r rune, hidden bool) { ok = ok && !hidden })
	return ok
}

// Name reports whether a text is a valid name: only visible characters, without a space at either end. most is
// its maximum length in characters.
func Name(s string, most int) bool {
	return Text(s) && utf8.RuneCountInString(s) <= most && s == strings.TrimSpace(s)
}

// Replace returns a text with its hidden characters replaced by other text.
func Replace(s string, with func(r rune) string) string {
	var out strings.Builder
	each(s, func(r rune, hidden bool) {
		if hidden {
			out.WriteString(with(r))
		} else {
			out.WriteRune(r)
		}
	})
	return out.String()
}

// each calls f with each character, and reports whether it is hidden.
func each(s string, f func(r rune, hidden bool)) {
	before := rune(0)
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		after := rune(0)
		if s != "" {
			after, _ = utf8.DecodeRuneInString(s)
		}
		f(r, Invisible(r) && !Joins(before, r, after))
		before = r
	}
}
