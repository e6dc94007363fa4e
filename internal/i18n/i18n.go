package i18n

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Lang is a language of Griot's texts, as its tag in HTML and HTTP.
type Lang string

// The languages, and the default.
const (
	FR      Lang = "fr"
	EN      Lang = "en"
	Default      = FR
)

// Langs returns every language, the default first.
func Langs() []Lang { return []Lang{FR, EN} }

// Valid reports whether l is one of [Langs].
func (l Lang) Valid() bool { return slices.Contains(Langs(), l) }

//go:embed texts
var files embed.FS

// catalogues reads the embedded files once. They are never modified.
var catalogues = sync.OnceValue(func() map[Lang]map[string]string {
	return map[Lang]map[string]string{FR: read("texts/fr"), EN: read("texts/en")}
})

// read returns the texts of a catalog; a test checks that the embedded ones are well-formed.
func read(dir string) map[string]string {
	texts := map[string]string{}
	entries, _ := files.ReadDir(dir)
	for _, e := range entries {
		if file, err := files.ReadFile(dir + "/" + e.Name()); err != nil || json.Unmarshal(file, &texts) != nil {
			return nil
		}
	}
	return texts
}

// T returns the text with this key, with args in its fmt verbs. For a key without a text it returns the key, because a
// page with an odd word is better than no page.
func (l Lang) T(key string, args ...any) string {
	text, ok := l.text(key)
	if !ok {
		return key
	}
	return fmt.Sprintf(text, args...)
}

// Named returns the text of a value, whose key is a prefix followed by the value in lowercase. For a value without a
// text it returns the value, because another version of the program might have written it.
func (l Lang) Named(beginning, value string) string {
	if key := beginning + strings.ToLower(value); l.Has(key) {
		return l.T(key)
	}
	return value
}

// Has reports whether a text with this key exists.
func (l Lang) Has(key string) bool {
	_, ok := l.text(key)
	return ok
}

func (l Lang) text(key string) (string, bool) {
	texts, ok := catalogues()[l]
	if !ok {
		texts = catalogues()[Default]
	}
	text, ok := texts[key]
	return text, ok
}

// Keys returns the keys of all texts, sorted.
func (l Lang) Keys() []string {
	keys := make([]string, 0, len(catalogues()[l]))
	for key := range catalogues()[l] {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
