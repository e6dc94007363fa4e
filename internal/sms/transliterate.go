package sms

import "strings"

// Transliterate replaces French letters and typographic marks that the GSM alphabet
// lacks by their nearest equivalents in it ("fête — l’été" becomes "fete - l'été"), so
// that a segment has room for 160 characters instead of 70. If other characters still
// need UTF-16, the text stays unchanged.
func Transliterate(text string) string {
	if e, _ := encodingOf(text); e == GSM7 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		if septets(r) > 0 {
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
