package visible

import "unicode"

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
