package gateway

import "strings"

// Namer is implemented by drivers whose gateway can send SMS under a name instead of a number (an alphanumeric sender).
type Namer interface {
	// CheckName returns why a name can't be a sender, in a sentence for operators; "" if it can. It asks nobody: whether the
	// provider allows the name in a country shows when a message is sent.
	CheckName(name string) (problem string)
}

const maxName = 11 // 3GPP TS 23.040 §9.1.2.5

// CheckName is the rule of mobile networks for [Namer]. A name has a letter, so that no mistyped number is one.
func CheckName(name string) (problem string) {
	if len(name) > maxName || strings.TrimSpace(name) != name || !strings.ContainsFunc(name, isASCIILetter) ||
		strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
		return "A sender's name has at most 11 ASCII characters, at least one of them a letter, and no space at an end."
	}
	return ""
}

func isASCIILetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
