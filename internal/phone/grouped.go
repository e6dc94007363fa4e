package phone

import (
	"strconv"
	"strings"
)

// groups are the sizes of the groups in which people write a national number: by calling code, or otherwise by length.
// A number with neither is written in groups of three.
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
		if i < len(sizes) {
			size = int(sizes[i] - '0')
		}
		size = min(size, len(rest))
		b += noBreak + rest[:size]
		rest = rest[size:]
	}
	return b
}

// mainRegions are the countries with most of the numbers of a shared calling code. +1 and +7 are shared by several
// large countries.
const mainRegions = "AU61 CW599 FI358 GB44 GP590 IT39 MA212 NO47 RE262"

// RegionOf returns the ISO 3166-1 code of the country with a calling code. It returns "" if there is none, or if
// large countries share the code.
func RegionOf(code string) string {
	found := ""
	for _, line := range strings.Fields(mainRegions + callingCodes) {
		if of, _, _ := strings.Cut(line[2:], "/"); of != code {
			continue
		}
		if found != "" {
			if !strings.Contains(mainRegions, found+code) {
				return ""
			}
			break
		}
		found = line[:2]
	}
	return found
}
