package optout

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Keyword is what a message of one word asks for.
type Keyword int

// What a message can say.
const (
	Nothing Keyword = iota
	Stop
	Start
)

// Read finds STOP, ARRET and START in a message that says nothing else, whatever
// the case, accents and punctuation.
func Read(text string) Keyword {
	if len(text) > 64 {
		return Nothing
	}
	word := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsSpace(r) {
			return unicode.ToUpper(r)
		}
		return -1 // accents, which decomposing has made runes of their own, and punctuation
	}, norm.NFD.String(text))
	switch strings.TrimSpace(word) {
	case "STOP", "ARRET":
		return Stop
	case "START":
		return Start
	}
	return Nothing
}
