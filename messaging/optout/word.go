package optout

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Wish is what a person's message says about further ones.
type Wish int

// What a message can say.
const (
	Nothing Wish = iota
	Stop
	Start
)

// Read finds STOP, ARRET and START in a message that says nothing else, whatever
// the case, accents and punctuation.
func Read(text string) Wish {
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
