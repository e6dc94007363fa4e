package phone

import (
	"fmt"
	"strconv"
	"strings"
)

// lengths is a set of possible lengths of national numbers, in digits: a bit for each length.
type lengths uint32

const (
	l4 lengths = 1 << (iota + 4)
	l5
	l6
	l7
	l8
	l9
	l10
	l11
	l12
	l13
	l14
	l15
	l16
	l17
)

func (l lengths) has(n int) bool { return n >= 0 && n < 32 && l>>n&1 == 1 }

// String lists the lengths in any language: "8", "9, 10", "5-15", "7-9, 11".
func (l lengths) String() string {
	var list []string
	for n := 0; n < 32; n++ {
		first := n
		for l.has(n+1) && l.has(first) {
			n++
		}
		switch {
		case !l.has(first):
		case n-first >= 2:
			list = append(list, fmt.Sprintf("%d-%d", first, n))
		default:
			for one := first; one <= n; one++ {
				list = append(list, strconv.Itoa(one))
			}
		}
	}
	return strings.Join(list, ", ")
}

// lengthsOf returns the lengths of the national numbers of a calling code: of all types, and of those that people have.
// Both are empty for an unknown code.
func lengthsOf(code string) (all, people lengths) {
	n := 0
	for i := range len(code) {
		n = n*10 + int(code[i]-'0')
	}
	if n < 0 || n >= len(codes) {
		return 0, 0
	}
	return codes[n].all, codes[n].people
}

// Possible reports whether the number has a length that numbers of its calling code have, of any type. It isn't about
// the digits after the calling code, because countries open new prefixes all the time.
func (n Number) Possible() bool {
	code := n.Country()
	all, _ := lengthsOf(code)
	return all.has(len(n) - len(code))
}

// Lengths returns the possible numbers of digits after a calling code in any language, such as "9, 10". It returns "" for an
// unknown code.
func Lengths(code string) string {
	if !isDigits(code) {
		return ""
	}
	all, _ := lengthsOf(code)
	return all.String()
}
