package sms

import "strings"

// Transliterate replaces French letters and typographic marks that the GSM alphabet
// lacks by their nearest neighbors in it ("fête — l’été" becomes "fete - l'été"),
// which lets 160 characters into a segment instead of 70. Where other characters
// would still need UTF-16, nothing is gained, and the text stays as it is.
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

// substitute returns what may stand for r, or "".
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
	case '\t', '\u00a0', '\u2009', '\u202f', '\u2007': // spaces of French typography among them
		return " "
	case '°', 'º':
		return "o"
	case '×':
		return "x"
	}
	return ""
}
