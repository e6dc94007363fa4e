package optout

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Keyword is the request of a message of one word.
type Keyword int

// The keywords.
const (
	NoKeyword Keyword = iota
	Stop
	Start
)

// ParseKeyword returns the keyword of a message that is nothing but STOP, ARRET, START, or REPRENDRE,
// whatever its case, accents, and punctuation.
func ParseKeyword(text string) Keyword {
	if len(text) > 64 {
		return NoKeyword
	}
	word := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsSpace(r) {
			return unicode.ToUpper(r)
		}
		return -1 // punctuation, and accents, which the decomposition has made runes of their own
	}, norm.NFD.String(text))
	switch strings.TrimSpace(word) {
	case "STOP", "ARRET":
		return Stop
	case "START", "REPRENDRE":
		return Start
	}
	return NoKeyword
}
