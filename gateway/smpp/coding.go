package smpp

import (
	"strings"

	"example.com/griot/internal/sms"
)

// Data codings (SMPP 3.4 §5.2.19).
const (
	codingDefault = 0
	codingASCII   = 1
	codingLatin1  = 3
	codingUCS2    = 8
)

// decode returns an inbound text. ok is false for codings that are not text or not supported.
func (s settings) decode(coding byte, b []byte) (text string, ok bool) {
	switch {
	case coding == codingDefault && s.Alphabet == alphabetLatin1Default, coding == codingASCII, coding == codingLatin1:
		text = latin1(b)
	case coding == codingDefault, coding&0xf4 == 0xf0: // the second condition matches message classes, 3GPP TS 23.038 §4
		text = sms.GSM(b)
	case isUCS2(coding):
		text = sms.UTF16(b)
	case coding >= 0x10 && coding < 0x20 && coding&0x0c == 0x00: // the default alphabet with a message class
		text = sms.GSM(b)
	default:
		return "", false
	}
	return strings.ReplaceAll(text, "\x00", ""), true // PostgreSQL doesn't store NUL
}

// isUCS2 reports whether a coding is UCS-2, with or without a message class.
func isUCS2(coding byte) bool {
	return coding == codingUCS2 || coding >= 0x10 && coding < 0x20 && coding&0x0c == 0x08
}

func isLatin1(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > 0xff })
}

func appendLatin1(b []byte, text string) []byte {
	for _, r := range text {
		b = append(b, byte(r))
	}
	return b
}

func latin1(b []byte) string {
	var text strings.Builder
	for _, c := range b {
		text.WriteRune(rune(c))
	}
	return text.String()
}
