package phone

import (
	"strings"

	"example.com/griot/internal/visible"
)

// Typed converts a typed or pasted number for [Parse]. It removes spaces, dots, dashes, brackets, and invisible
// characters, and converts the digits of any script to 0 to 9. It also removes the zero of national calls if it is in
// brackets after a country's code: +44 (0)7911 123456 is +447911123456.
func Typed(s string) string { return typed(s, isCallingCode) }

// Contact converts a typed phone number or email address: a number like [Typed], and anything else without surrounding
// spaces.
func Contact(s string) string {
	if number := Typed(s); isNumber(number) {
		return number
	}
	return strings.TrimSpace(s)
}

func isNumber(s string) bool {
	_, ok := Parse(s)
	return ok
}

// Part returns the digits of a typed number or a part of one; ok is false for anything else.
func Part(s string) (digits string, ok bool) {
	digits = strings.TrimPrefix(Typed(s), "+")
	return digits, isDigits(digits)
}

var withoutBrackets = strings.NewReplacer("(", "", ")", "")

// typed implements [Typed]. isCode reports which calling codes are recognized without a plus.
func typed(s string, isCode func(string) bool) string {
	s = strings.Map(func(r rune) rune {
		digit, isDigit := visible.Digit(r)
		switch {
		case isDigit:
			return '0' + rune(digit)
		case strings.ContainsRune("+＋﹢", r):
			return '+'
		case strings.ContainsRune("([（［﹙", r):
			return '('
		case strings.ContainsRune(")]）］﹚", r):
			return ')'
		case strings.ContainsRune(".．", r), visible.Separator(r):
			return -1
		}
		return r
	}, s)
	return withoutBrackets.Replace(withoutTrunkZero(s, isCode))
}

// zeroFirst are the calling codes of countries whose international numbers start with a zero: Italy, Ivory Coast,
// Benin, Congo, and San Marino. A zero in brackets belongs to the number there: +39 (0)6 123 45678 is +390612345678.
const zeroFirst = " 39 225 229 242 378 "

// withoutTrunkZero removes a zero at the start of a bracket after a calling code. A zero alone, (0), is always removed.
// The zero of an area code, (0171), is removed if the country's numbers have the prefix 0 only in national calls.
func withoutTrunkZero(s string, isCode func(string) bool) string {
	before, after, found := strings.Cut(s, "(0")
	code, hasPlus := strings.CutPrefix(withoutBrackets.Replace(before), "+")
	switch {
	case !found || after == "" || !isCallingCode(code) || !hasPlus && !isCode(code):
		return s
	case after[0] == ')' && !strings.Contains(zeroFirst, " "+code+" "), after[0] >= '1' && after[0] <= '9' && hasTrunkZero(code):
		return before + after
	}
	return s
}

// isCallingCode reports whether s is the calling code of a country or of a group of countries.
func isCallingCode(s string) bool {
	return isDigits(s) && s[0] != '0' && len(s) <= 3 && Number(s+"00000000").Country() == s
}

// hasTrunkZero reports whether national calls to a calling code's numbers start with a 0 that isn't part of the number.
func hasTrunkZero(code string) bool {
	for _, line := range strings.Fields(callingCodes) {
		if line[2:] == code+"/0" {
			return true
		}
	}
	return false
}
