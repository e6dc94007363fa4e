package httpcall

import "strings"

// Text returns what a provider says as it can be stored: in UTF-8, without U+0000.
func Text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}
