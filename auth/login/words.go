package login

import (
	_ "embed"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
)

const (
	wordCount  = 3    // words of a login
	maxText    = 4096 // bytes of a message that are read
	maxWindows = 16   // groups of words of a message that are looked up; each could be a guess
)

//go:embed words/en.txt
var englishWords string

//go:embed words/fr.txt
var frenchWords string

// wordLists are the lists from which the words of logins are drawn (words/README.md).
type wordLists struct {
	byLang map[i18n.Lang][]string
	known  map[string]bool // normalized
}

func newWordLists() *wordLists {
	w := &wordLists{known: map[string]bool{}, byLang: map[i18n.Lang][]string{
		i18n.EN: strings.Fields(englishWords), i18n.FR: strings.Fields(frenchWords),
	}}
	for _, list := range w.byLang {
		for _, word := range list {
			w.known[normalize(word)] = true
		}
	}
	return w
}

// draw returns three different words of a language, drawn uniformly.
func (w *wordLists) draw(lang i18n.Lang) string {
	list := w.byLang[lang]
	if list == nil {
		list = w.byLang[i18n.Default]
	}
	var drawn []string
	for len(drawn) < wordCount {
		word := norm.NFC.String(list[id.Index(len(list))])
		if !contains(drawn, word) {
			drawn = append(drawn, word)
		}
	}
	return strings.Join(drawn, " ")
}

func contains(list []string, word string) bool {
	for _, w := range list {
		if w == word {
			return true
		}
	}
	return false
}

// keys returns the normalized words that a text might contain. Each key is a group of three
// consecutive words, after all text that isn't in the lists is removed. Case, accents,
// punctuation, and surrounding text don't matter (L71). It returns at most 16 groups.
func (w *wordLists) keys(text string) []string {
	if len(text) > maxText {
		text = text[:maxText]
	}
	var found []string
	for _, token := range strings.Fields(normalize(text)) {
		if w.known[token] {
			found = append(found, token)
		}
		if len(found) == maxWindows+wordCount-1 {
			break
		}
	}
	var keys []string
	for i := 0; i+wordCount <= len(found); i++ {
		keys = append(keys, strings.Join(found[i:i+wordCount], " "))
	}
	return keys
}

// normalize returns the words of a text without case, accents, and punctuation, separated by spaces.
func normalize(text string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r), unicode.Is(unicode.Cf, r): // accents; joiners and direction marks that keyboards add
		case r == 'œ' || r == 'Œ':
			b.WriteString("oe")
		case r == 'æ' || r == 'Æ':
			b.WriteString("ae")
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}
