package tenant

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName is how many characters a client's name may have.
const MaxName = 60

// ErrName is returned for a client's name that is too long, or has characters that nobody sees.
var ErrName = errors.New("tenant: a name has at most 60 characters, all of which are visible")

func validName(name string) bool { return visible(name, MaxName) }

// visible reports whether a text has at most so many characters, all of them visible, and none of them a space at an end.
func visible(name string, most int) bool {
	return utf8.ValidString(name) && utf8.RuneCountInString(name) <= most && name == strings.TrimSpace(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) })
}
