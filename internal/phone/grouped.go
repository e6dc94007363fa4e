package phone

import "strconv"

// groups are the sizes of the groups in which people write a national number: by calling code, or otherwise by length.
// A number with neither is written in groups of three, the last of which can have four.
var groups = map[string]string{
	"1": "334", "33": "12222", "34": "333", "44": "46", "212": "12222", "213": "12222", "221": "2322", "220": "34", "224": "3222", "225": "22222", "227": "2222", "229": "22222", "237": "12222", "242": "234",
	"/6": "222", "/7": "322", "/8": "2222", "/9": "2322", "/10": "334", "/11": "344",
}

// noBreak separates groups, so that a line doesn't break within a number.
const noBreak = "\u00a0"

// Grouped returns a number in a readable format, with its plus and in groups: +223 76 00 00 01. It returns anything
// else like [Shown]. It is for pages. For programs, and for people to copy, use [Number.E164].
func Grouped(address string) string {
	n, ok := Parse(address)
	if !ok {
		return address
	}
	code := n.Country()
	rest := string(n[len(code):])
	sizes, total := groups[code], 0
	for _, size := range sizes {
		total += int(size - '0')
	}
	if total != len(rest) {
		sizes = groups["/"+strconv.Itoa(len(rest))]
	}
	b := "+" + code
	for i := 0; rest != ""; i++ {
		size := 3
		switch {
		case i < len(sizes):
			size = int(sizes[i] - '0')
		case len(rest) == 4: // a last group of one digit looks like an addition
			size = 4
		}
		size = min(size, len(rest))
		b += noBreak + rest[:size]
		rest = rest[size:]
	}
	return b
}

// RegionOf returns the ISO 3166-1 code of the country with a calling code. It returns "" if there is none, or if
// large countries share the code, as they do +1 and +7.
func RegionOf(code string) string {
	found := ""
	for i := range countries {
		switch c := &countries[i]; {
		case c.code != code:
		case c.main && (code == "1" || code == "7"):
			return ""
		case c.main:
			return c.id
		case found == "":
			found = c.id
		}
	}
	return found
}
