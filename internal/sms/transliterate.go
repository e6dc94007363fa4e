package sms

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Compose returns a text in which each letter and its accents are one character, where there is one (Unicode NFC).
// Neither alphabet of SMS has separate accents.
func Compose(text string) string { return norm.NFC.String(text) }

// Transliterate replaces French letters and typographic marks that the GSM alphabet
// lacks by their nearest equivalents in it ("fête — l’été" becomes "fete - l'été"), so
// that a segment has room for 160 characters instead of 70. It composes the text first. If
// other characters still need UTF-16, it only does that.
func Transliterate(text string) string {
	return transliterate(text, func(r rune) bool { return septets(r) > 0 })
}

// TransliterateLatin1 replaces only what Latin-1 lacks ("fête — l’été" becomes "fête - l'été"), like [Transliterate].
func TransliterateLatin1(text string) string {
	return transliterate(text, func(r rune) bool {
		return r == '\n' || r == '\r' || r >= ' ' && r <= '~' || r > '\u00a0' && r <= '\u00ff'
	})
}

// transliterate replaces the characters that an alphabet lacks.
func transliterate(text string, has func(rune) bool) string {
	text = Compose(text)
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		if has(r) {
			b.WriteRune(r)
			continue
		}
		plain := substitute(r)
		if plain == "" {
			return text
		}
		b.WriteString(plain)
	}
	return b.String()
}

// substitute returns a replacement for r, or "".
func substitute(r rune) string {
	switch r {
	case 'â', 'á':
		return "a"
	case 'À', 'Â', 'Á':
		return "A"
	case 'ç':
		return "c"
	case 'ê', 'ë':
		return "e"
	case 'È', 'Ê', 'Ë':
		return "E"
	case 'î', 'ï', 'í':
		return "i"
	case 'Î', 'Ï', 'Í':
		return "I"
	case 'ô', 'ó':
		return "o"
	case 'Ô', 'Ó':
		return "O"
	case 'û', 'ú':
		return "u"
	case 'Ù', 'Û', 'Ú':
		return "U"
	case 'ÿ':
		return "y"
	case 'Ÿ':
		return "Y"
	case 'œ':
		return "oe"
	case 'Œ':
		return "OE"
	case '’', '‘', '‚', 'ʼ', '`', '´':
		return "'"
	case '“', '”', '„', '«', '»':
		return `"`
	case '‹':
		return "<"
	case '›':
		return ">"
	case '‐', '‑', '‒', '–', '—', '―', '−', '•', '·':
		return "-"
	case '…':
		return "..."
	case '\t', '\u00a0', '\u2009', '\u202f', '\u2007': // includes spaces of French typography
		return " "
	case '°', 'º':
		return "o"
	case '×':
		return "x"
	}
	return ""
}
