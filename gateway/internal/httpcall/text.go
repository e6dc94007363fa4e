package httpcall

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Text returns a provider's text in a form that can be stored: valid UTF-8 without U+0000.
func Text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// Word is a JSON string or number in a form that can be stored ([Text]). Anything else is empty, so that a report isn't
// lost because of one field.
type Word string

// UnmarshalJSON implements [json.Unmarshaler]. It never fails.
func (w *Word) UnmarshalJSON(b []byte) error {
	var text string
	var number json.Number
	*w = ""
	if json.Unmarshal(b, &text) == nil {
		*w = Word(Text(text))
	} else if json.Unmarshal(b, &number) == nil {
		*w = Word(number)
	}
	return nil
}

var (
	codePattern   = regexp.MustCompile(`\A[A-Za-z0-9][A-Za-z0-9._-]{0,31}\z`)
	numberPattern = regexp.MustCompile(`[0-9]{7}`)
)

// ProviderCode returns a provider's error code, or "" if it must not be logged because it is a text or could be a phone number.
func ProviderCode(code string) string {
	if !codePattern.MatchString(code) || HasNumber(code) {
		return ""
	}
	return code
}

// HasNumber reports whether s contains enough consecutive digits for a phone number.
func HasNumber(s string) bool { return numberPattern.MatchString(s) }
