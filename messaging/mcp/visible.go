package mcp

import (
	"unicode/utf16"
	"unicode/utf8"

	"example.com/griot/internal/visible"
)

// escapeInvisible appends a JSON text in which invisible characters are escaped. The JSON value is the same, and
// people can see everything that a model reads. The parts of emoji are not escaped.
func escapeInvisible(out, json []byte) []byte {
	before := rune(0)
	for i := 0; i < len(json); {
		if c := json[i]; c < 0x7f {
			out, before, i = append(out, c), rune(c), i+1
			continue
		}
		r, size := utf8.DecodeRune(json[i:])
		after, _ := utf8.DecodeRune(json[i+size:])
		if visible.Invisible(r) && !visible.InEmoji(before, r, after) {
			out = escape(out, r)
		} else {
			out = append(out, json[i:i+size]...)
		}
		before, i = r, i+size
	}
	return out
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
