package sms

import (
	"strings"
	"unicode/utf8"
)

// escape precedes a character of the extension table.
const escape = 0x1b

// septets returns the number of septets of r in the GSM alphabet: 1, 2, or 0 if r isn't in it.
func septets(r rune) int {
	switch {
	case r >= 'a' && r <= 'z', r >= ' ' && r <= 'Z' && r != '$' && r != '@':
		return 1
	}
	if _, ok := special(r); ok {
		return 1
	}
	if _, ok := extended(r); ok {
		return 2
	}
	return 0
}

// special returns the code of a character in the part of the basic table (TS 23.038 §6.2.1) that differs from ASCII.
func special(r rune) (byte, bool) {
	if i := strings.IndexRune(lowTable, r); i >= 0 && r != '\uffff' {
		return byte(utf8.RuneCountInString(lowTable[:i])), true
	}
	switch r {
	case '¤':
		return 0x24, true
	case '¡':
		return 0x40, true
	case 'Ä':
		return 0x5b, true
	case 'Ö':
		return 0x5c, true
	case 'Ñ':
		return 0x5d, true
	case 'Ü':
		return 0x5e, true
	case '§':
		return 0x5f, true
	case '¿':
		return 0x60, true
	case 'ä':
		return 0x7b, true
	case 'ö':
		return 0x7c, true
	case 'ñ':
		return 0x7d, true
	case 'ü':
		return 0x7e, true
	case 'à':
		return 0x7f, true
	}
	return 0, false
}

// lowTable is the first 32 characters of the basic table. U+FFFF is the placeholder of the escape and
// never occurs in texts.
const lowTable = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\uffffÆæßÉ"

// extended returns the code of a character in the extension table (TS 23.038 §6.2.1.1).
func extended(r rune) (byte, bool) {
	switch r {
	case '\f':
		return 0x0a, true
	case '^':
		return 0x14, true
	case '{':
		return 0x28, true
	case '}':
		return 0x29, true
	case '\\':
		return 0x2f, true
	case '[':
		return 0x3c, true
	case '~':
		return 0x3d, true
	case ']':
		return 0x3e, true
	case '|':
		return 0x40, true
	case '€':
		return 0x65, true
	}
	return 0, false
}

// AppendGSM appends text in the GSM alphabet, one octet for each septet, as SMPP
// transmits it. A character that isn't in the alphabet becomes a question mark.
func AppendGSM(b []byte, text string) []byte {
	for _, r := range text {
		if r >= 'a' && r <= 'z' || r >= ' ' && r <= 'Z' && r != '$' && r != '@' {
			b = append(b, byte(r))
		} else if c, ok := special(r); ok {
			b = append(b, c)
		} else if c, ok := extended(r); ok {
			b = append(b, escape, c)
		} else {
			b = append(b, '?')
		}
	}
	return b
}

// GSM decodes octets that contain one septet of the default alphabet each, as [Tables.Decode] does.
func GSM(b []byte) string { return Tables{}.Decode(b) }

func high(c byte) rune {
	for _, r := range "¤¡ÄÖÑÜ§¿äöñüà" {
		if s, _ := special(r); s == c {
			return r
		}
	}
	return rune(c)
}

func unextended(c byte) rune {
	for _, r := range "\f^{}\\[~]|€" {
		if e, _ := extended(r); e == c {
			return r
		}
	}
	return 0
}
