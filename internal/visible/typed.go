package visible

import (
	"strings"
	"unicode"
)

const minusSign = '\u2212'

// Digit returns the value of a decimal digit of any script. The value is 0 to 9.
func Digit(r rune) (value int, ok bool) {
	if r >= '0' && r <= '9' {
		return int(r - '0'), true
	}
	for _, in := range unicode.Nd.R16 {
		if r >= rune(in.Lo) && r <= rune(in.Hi) {
			return int(r-rune(in.Lo)) % 10, true // Unicode lists the ten digits of a script in their order, 0 first
		}
	}
	for _, in := range unicode.Nd.R32 {
		if r >= rune(in.Lo) && r <= rune(in.Hi) {
			return int(r-rune(in.Lo)) % 10, true
		}
	}
	return 0, false
}

// Separator reports whether a character only separates the digits of a number or a code, or isn't seen at all: a space, a
// dash of any length, or an invisible character. Other control characters than spaces aren't copied along with numbers.
func Separator(r rune) bool {
	return unicode.IsSpace(r) || r == minusSign || unicode.Is(unicode.Pd, r) || Invisible(r) && !unicode.IsControl(r)
}

// Code returns what somebody typed or pasted as a code of digits: without separators, with the digits of any script as 0 to 9.
func Code(s string) string {
	return strings.Map(func(r rune) rune {
		if digit, ok := Digit(r); ok {
			return '0' + rune(digit)
		}
		if Separator(r) {
			return -1
		}
		return r
	}, s)
}
