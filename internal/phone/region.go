package phone

import (
	"slices"
	"strings"
)

// A country of the generated table.
type country struct {
	id     string // ISO 3166-1
	code   string // its calling code
	trunk  string // the prefix of national calls, which international numbers omit; "": none
	abroad string // the prefixes of international calls, separated by spaces; "": unknown

	people, mobile lengths // of fixed-line and mobile numbers, and of mobile numbers alone
	main           bool    // has most of the numbers of a calling code that it shares
}

// everywhere is the prefix of international calls in most countries. People write it in the others, too.
const everywhere = "00"

// Region is the country of numbers that are written without one. The zero Region is no country: numbers need a plus.
type Region struct {
	code   string
	trunk  string // "": none
	abroad []string

	people, mobile lengths
}

// ParseRegion parses the ISO 3166-1 code of a country (ML), or a calling code, with or without its plus (223). A
// calling code means all its countries.
func ParseRegion(s string) (r Region, ok bool) {
	name := strings.ToUpper(strings.TrimSpace(s))
	digits := strings.TrimPrefix(name, "+")
	for i := range countries {
		c := &countries[i]
		switch {
		case c.id != name && c.code != digits:
			continue
		case !ok:
			r, ok = Region{code: c.code, trunk: c.trunk}, true
		case r.trunk != c.trunk:
			r.trunk = ""
		}
		r.people |= c.people
		r.mobile |= c.mobile
		r.abroad = append(r.abroad, strings.Fields(c.abroad)...)
	}
	r.abroad = append(r.abroad, everywhere)
	slices.Sort(r.abroad)
	r.abroad = slices.Compact(r.abroad)
	return r, ok
}

// Read reads a number as a person writes it: with a plus, as [Read] does, or without one for calls from the region, with
// or without the prefix of national or of international calls, or with the region's calling code. If several of these
// give different numbers, the text is refused, unless only one is a mobile number. An error is a [*ReadError].
func (r Region) Read(s string) (Number, error) {
	t, problem := scan(s, func(code string) bool { return code == r.code })
	switch {
	case problem != 0:
		return "", &ReadError{Problem: problem}
	case t.plus:
		return t.read()
	case r.code == "" && strings.HasPrefix(t.digits, everywhere):
		return "", &ReadError{Problem: ProblemPrefix}
	case r.code == "":
		return "", &ReadError{Problem: ProblemNoCountry}
	}
	if problem := t.addition(func(digits string) bool { return len(r.readings(digits)) > 0 }); problem != 0 {
		return "", &ReadError{Problem: problem}
	}
	found := r.readings(t.digits)
	switch {
	case len(found) == 0:
		return "", &ReadError{Problem: ProblemNational, Code: r.code, Lengths: r.people.String()}
	case len(found) > 1:
		return "", &ReadError{Problem: ProblemAmbiguous}
	}
	return found[0], nil
}

// readings returns the numbers that digits without a plus can mean in the region.
func (r Region) readings(digits string) (found []Number) {
	add := func(n Number, ok bool) {
		if ok && !slices.Contains(found, n) {
			found = append(found, n)
		}
	}
	// No national call starts with a prefix of international calls.
	isAbroad := false
	for _, prefix := range r.abroad {
		if rest, ok := strings.CutPrefix(digits, prefix); ok {
			n, all, _ := international(rest)
			add(n, all)
			isAbroad = true
		}
	}
	if isAbroad {
		if len(found) == 1 && !isPeoples(found[0]) {
			found = nil
		}
		return found
	}
	bare, isBare := r.national(digits)
	if rest, ok := strings.CutPrefix(digits, r.code); ok {
		n, isWhole := r.national(rest)
		if isWhole && r.mobile.has(len(rest)) && !r.mobile.has(len(digits)) {
			isBare = false
		}
		add(n, isWhole)
	}
	add(bare, isBare)
	if rest, ok := strings.CutPrefix(digits, r.trunk); ok && r.trunk != "" {
		add(r.national(rest))
	}
	return found
}

// national returns the number of digits after the region's calling code.
func (r Region) national(digits string) (Number, bool) {
	n, ok := Parse(r.code + digits)
	return n, ok && r.people.has(len(digits)) && !startsWithTrunk(r.trunk, digits)
}

// startsWithTrunk reports whether a number without the prefix of national calls starts with that prefix. A number never
// does if the prefix is 0 or 1. Other prefixes, such as 8, are also the first digit of numbers.
func startsWithTrunk(trunk, rest string) bool {
	return (trunk == "0" || trunk == "1") && strings.HasPrefix(rest, trunk)
}

// trunkOf returns the prefix of national calls of all countries with a calling code, or "" if there is none.
func trunkOf(code string) string {
	trunk, known := "", false
	for i := range countries {
		switch c := &countries[i]; {
		case c.code != code:
		case known && c.trunk != trunk:
			return ""
		default:
			trunk, known = c.trunk, true
		}
	}
	return trunk
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
