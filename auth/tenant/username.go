package tenant

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	maxUsername    = 32 // characters, as Linux allows
	usernameSuffix = 6  // characters: 30 of a subject's random bits
	maxShownName   = 255
)

// Username returns a user name from a person's name and the end of their subject, such as awa-diallo-x7k3f9: 1 to 32
// characters of a-z, 0-9, and single hyphens within. Letters with accents lose them, and letters of other scripts than
// Latin are left out. If no letter is left, it is the subject in lowercase.
//
// A name can't make someone the namesake of another person: the last part always comes from the subject, which nobody
// chooses, and the subject alone has no hyphen.
func Username(name, subject string) string {
	own := strings.ToLower(subject)
	if len(own) <= usernameSuffix {
		return own
	}
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(firstRunes(name, maxShownName)) {
		part := latin(unicode.ToLower(r))
		switch {
		case part != "":
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteString(part)
		case !joins(r):
			gap = true
		}
	}
	shown := b.String()
	if most := maxUsername - 1 - usernameSuffix; len(shown) > most {
		shown = strings.TrimRight(shown[:most], "-")
	}
	if !strings.ContainsFunc(shown, isLetter) { // digits alone can be a phone number
		return own
	}
	return shown + "-" + own[len(own)-usernameSuffix:]
}

// latin returns the letters of a-z and the digits for a lower-case character; empty: it has none.
func latin(r rune) string {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return string(r)
	}
	return spelled[r]
}

// joins reports whether a character without Latin letters separates no words: marks, letters of other scripts, invisible
// characters, and apostrophes.
func joins(r rune) bool {
	return unicode.In(r, unicode.M, unicode.L, unicode.Cf) || strings.ContainsRune("'\u2018\u2019\u00b4`", r)
}

// spelled are the Latin letters that are not a letter with a mark, with their usual spelling.
var spelled = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ı': "i", 'ħ': "h", 'ŧ': "t", 'ŋ': "ng", 'ĸ': "k",
	'ɓ': "b", 'ɖ': "d", 'ɗ': "d", 'ɛ': "e", 'ə': "e", 'ǝ': "e", 'ɣ': "g", 'ƙ': "k", 'ɲ': "ny", 'ɔ': "o", 'ƭ': "t", 'ʋ': "v", 'ƴ': "y",
}

// firstRunes returns at most n characters of a text.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' }
