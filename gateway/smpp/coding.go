package smpp

import "strings"

// Data codings of sent messages (SMPP 3.4 §5.2.19).
const (
	codingDefault = 0
	codingASCII   = 1
	codingLatin1  = 3
	codingUCS2    = 8
)

func isLatin1(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > 0xff })
}

func appendLatin1(b []byte, text string) []byte {
	for _, r := range text {
		b = append(b, byte(r))
	}
	return b
}
