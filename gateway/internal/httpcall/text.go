package httpcall

import "strings"

// Text returns a provider's text in the form that can be stored: valid UTF-8, without U+0000.
func Text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}
