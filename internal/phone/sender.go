package phone

import "strings"

// A SenderForm is what a gateway says about the form of the sender of an SMS.
type SenderForm int

// The forms.
const (
	FormUnknown       SenderForm = iota // nothing: the digits decide
	FormInternational                   // with the country's calling code
	FormNational                        // as people dial it in the country
)

// ParseHome parses the country of senders that come without one: a calling code, such as 223, or one with the first
// digits of a territory's numbers, such as 1876. It has 1 to 4 digits.
func ParseHome(code string) (r Region, ok bool) {
	if len(code) > 4 || !isDigits(code) {
		return Region{}, false
	}
	if isCallingCode(code) {
		return ParseRegion(code)
	}
	of := Number(code).Country()
	if of == code {
		return Region{}, false
	}
	whole, ok := ParseRegion(of)
	first := len(code) - len(of)
	return Region{code: code, abroad: whole.abroad, people: whole.people >> first, mobile: whole.mobile >> first}, ok
}

// Sender reads the sender of an SMS as a gateway reports it. r is the country of numbers that come without one; the
// zero Region is none. ok is false if s isn't certainly an international number: for a name, a short code, a national
// number that the country doesn't complete, and digits that can be the numbers of two people. The rule:
//
//   - 8 to 15 digits after a plus, after 00, and in international form are a number of any length, because networks
//     know new numbers first.
//   - Digits in national form are only read in the country, with or without its prefixes.
//   - Other digits are a number if their calling code has numbers of this length, or if they are a number of the
//     country. If they are both, they are the one that has the length of mobile numbers.
func (r Region) Sender(s string, form SenderForm) (n Number, ok bool) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "tel:")
	digits := Unformatted(s)
	if rest, isPlus := strings.CutPrefix(digits, "+"); isPlus {
		return parseDigits(rest)
	}
	if rest, isAbroad := strings.CutPrefix(digits, everywhere); isAbroad {
		return parseDigits(rest)
	}
	if n, ok = parseDigits(digits); ok && form == FormInternational {
		return n, true
	}
	if !isDigits(digits) {
		return "", false
	}
	home := r.senders(digits, form)
	whole, isWhole, _ := international(digits)
	isWhole = isWhole && form != FormNational
	switch {
	case len(home) > 1:
		return "", false
	case len(home) == 1 && (!isWhole || home[0] == whole || !whole.isMobileLength()):
		return home[0], true
	case isWhole && (len(home) == 0 || !r.mobile.has(len(home[0])-len(r.code))):
		return whole, true
	}
	return "", false
}

// parseDigits parses the digits of a number without a plus.
func parseDigits(s string) (Number, bool) {
	if !isDigits(s) {
		return "", false
	}
	return Parse(s)
}

// senders returns the numbers of the region that digits can mean.
func (r Region) senders(digits string, form SenderForm) []Number {
	if r.code == "" {
		return nil
	}
	if n, ok := r.national(digits); ok && form == FormNational {
		return []Number{n}
	}
	found := r.readings(digits)
	// Gateways also write the 0 where people don't dial it.
	if rest, hasZero := strings.CutPrefix(digits, "0"); hasZero && len(found) == 0 && !strings.Contains(zeroFirst, " "+r.code+" ") {
		if n, ok := r.national(rest); ok {
			found = append(found, n)
		}
	}
	return found
}

// isMobileLength reports whether mobile numbers of the number's calling code have its length.
func (n Number) isMobileLength() bool {
	code := n.Country()
	for i := range countries {
		if c := &countries[i]; c.code == code && c.mobile.has(len(n)-len(code)) {
			return true
		}
	}
	return false
}
