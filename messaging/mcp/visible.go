package mcp

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	joiner    = '\u200d'
	textStyle = '\ufe0e' // variation selectors that emoji have
	emojiForm = '\ufe0f'
)

// escapeInvisible appends a JSON text with escapes for invisible characters. It is the
// same JSON value, and shows a person all that a model reads. The parts of emoji are not
// escaped.
func escapeInvisible(out, json []byte) []byte {
	before := rune(0)
	for i := 0; i < len(json); {
		if c := json[i]; c < 0x7f {
			out, before, i = append(out, c), rune(c), i+1
			continue
		}
		r, size := utf8.DecodeRune(json[i:])
		if invisible(r) && !inEmoji(before, r, json[i+size:]) {
			out = escape(out, r)
		} else {
			out = append(out, json[i:i+size]...)
		}
		before, i = r, i+size
	}
	return out
}

// invisible reports whether a character is invisible: controls, formats (among them those
// that change the direction of text, and tags), and characters that renderers may ignore.
func invisible(r rune) bool {
	return r >= 0x7f && (unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		r >= 0xe0000 && r <= 0xe0fff)
}

// inEmoji reports whether an invisible character is part of an emoji.
func inEmoji(before, r rune, rest []byte) bool {
	switch r {
	case textStyle, emojiForm:
		return symbol(before)
	case joiner:
		after, _ := utf8.DecodeRune(rest)
		return (symbol(before) || before == emojiForm) && symbol(after)
	}
	return false
}

// symbol reports whether a character can be an emoji, or the part of one to which others are joined.
func symbol(r rune) bool {
	return r > 0x7f && unicode.In(r, unicode.So, unicode.Sk, unicode.Sm, unicode.Po)
}

func escape(out []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	units := []rune{r}
	if r > 0xffff {
		high, low := utf16.EncodeRune(r)
		units = []rune{high, low}
	}
	for _, u := range units {
		out = append(out, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
	}
	return out
}
