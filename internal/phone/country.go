package phone

import "strings"

// The calling codes with one and with two digits (ITU-T E.164 Annex). All others have three.
const (
	oneDigit  = "1 7"
	twoDigits = "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98"
)

// Country returns the number's calling code.
func (n Number) Country() string {
	switch {
	case len(n) < 3:
		return string(n)
	case strings.Contains(oneDigit, string(n[:1])):
		return string(n[:1])
	case strings.Contains(twoDigits, string(n[:2])):
		return string(n[:2])
	}
	return string(n[:3])
}
