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
			return int(r-rune(in.Lo)) % 10, true // Unicode lists the ten digits of a script in order, 0 first
		}
	}
	for _, in := range unicode.Nd.R32 {
		if r >= rune(in.Lo) && r <= rune(in.Hi) {
			return int(r-rune(in.Lo)) % 10, true
		}
	}
	return 0, false
}

// Separator reports whether a character only separates the digits of a number or a code, or isn't visible: a space, a
// dash of any length, or an invisible character. It doesn't include control characters other than spaces, because they
// aren't copied together with numbers.
func Separator(r rune) bool {
	return unicode.IsSpace(r) || r == minusSign || unicode.Is(unicode.Pd, r) || Invisible(r) && !unicode.IsControl(r)
}

// Code converts a typed or pasted code of digits. It removes separators and converts the digits of any script to 0 to
// 9.
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
