package i18n

import (
	"strconv"
	"strings"
)

// maxRanges is the maximum number of languages that are read from an Accept-Language header.
const maxRanges = 32

// Pick chooses a language by an Accept-Language header (RFC 9110 §12.5.4): the one with
// the highest weight, and of equal ones, the first. "*" stands for every language that
// the header doesn't name. If the header is empty, or names only unsupported languages,
// the choice is [Default].
func Pick(header string) Lang {
	preferences := make(map[Lang]preference, len(Langs()))
	star, starred := preference{}, false
	position := 0
	for item := range strings.SplitSeq(header, ",") {
		if position++; position > maxRanges {
			break
		}
		tag, weight, ok := parseRange(item)
		if !ok {
			continue
		}
		w := preference{weight: weight, position: position}
		lang := primary(tag)
		switch {
		case tag == "*":
			if !starred || w.before(star) {
				star, starred = w, true
			}
		case lang != FR && lang != EN:
		default:
			if was, seen := preferences[lang]; !seen || w.before(was) {
				preferences[lang] = w
			}
		}
	}
	best, bestPreference := Default, preference{}
	for _, lang := range Langs() {
		w, named := preferences[lang]
		if !named && starred {
			w = star
		}
		if w.before(bestPreference) {
			best, bestPreference = lang, w
		}
	}
	return best
}

// preference is a language's weight in thousandths, and its position in the header.
type preference struct{ weight, position int }

func (w preference) before(other preference) bool {
	return w.weight > other.weight || w.weight == other.weight && w.weight > 0 && w.position < other.position
}

// parseRange parses "fr-FR;q=0.8". An invalid weight makes only this item invalid.
func parseRange(item string) (tag string, weight int, ok bool) {
	tag, rest, weighted := strings.Cut(item, ";")
	tag = strings.ToLower(strings.TrimSpace(tag))
	if tag == "" {
		return "", 0, false
	}
	if !weighted {
		return tag, 1000, true
	}
	name, value, _ := strings.Cut(rest, "=")
	if !strings.EqualFold(strings.TrimSpace(name), "q") {
		return "", 0, false
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(q >= 0 && q <= 1) { // written so that NaN is refused, too
		return "", 0, false
	}
	return tag, int(q*1000 + 0.5), true
}

// primary returns the language of a tag: "fr" of "fr-ml", or of "fr_ML.UTF-8" as operating systems write it.
func primary(tag string) Lang {
	if end := strings.IndexAny(tag, "-_."); end >= 0 {
		tag = tag[:end]
	}
	return Lang(tag)
}

// First returns the first language of a list of tags that Griot supports. The list has the
// format of OpenID Connect's ui_locales ("fr-CA fr en"). ok is false if Griot supports none
// of them.
func First(locales string) (_ Lang, ok bool) {
	for tag := range strings.FieldsSeq(strings.ToLower(locales[:min(len(locales), maxLocales)])) {
		if lang := primary(tag); lang == FR || lang == EN {
			return lang, true
		}
	}
	return "", false
}

// maxLocales is the maximum length of such a list, in bytes.
const maxLocales = 256
