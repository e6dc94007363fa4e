package gateway

import "strings"

// Namer is implemented by drivers whose gateway can send SMS under a name instead of a number (an alphanumeric sender).
type Namer interface {
	// CheckName returns the reason why a name cannot be a sender, as a sentence for operators, or "" if it can. It
	// does not contact the provider. Whether the provider allows the name in a country is known only when a message
	// is sent.
	CheckName(name string) (problem string)
}

const maxName = 11 // 3GPP TS 23.040 §9.1.2.5

// CheckName implements the rule of mobile networks for [Namer]. A name must contain a letter, so that a mistyped number is not a name.
func CheckName(name string) (problem string) {
	if len(name) > maxName || strings.TrimSpace(name) != name || !strings.ContainsFunc(name, isASCIILetter) ||
		strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
		return "A sender's name has at most 11 ASCII characters, at least one of them a letter, and no space at an end."
	}
	return ""
}

func isASCIILetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
