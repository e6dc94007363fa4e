package optout

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A Keyword is the request in a message that consists of one word.
type Keyword int

// The keywords.
const (
	NoKeyword Keyword = iota
	Stop
	Start
)

// ParseKeyword returns the keyword of a message that consists only of STOP, ARRET, START, or REPRENDRE, ignoring
// case, accents, and punctuation.
func ParseKeyword(text string) Keyword {
	if len(text) > 64 {
		return NoKeyword
	}
	word := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsSpace(r) {
			return unicode.ToUpper(r)
		}
		return -1 // punctuation, and accents, which the decomposition has separated
	}, norm.NFD.String(text))
	switch strings.TrimSpace(word) {
	case "STOP", "ARRET":
		return Stop
	case "START", "REPRENDRE":
		return Start
	}
	return NoKeyword
}
