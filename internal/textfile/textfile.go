// Package textfile reads what editors and shells write around a text: a byte order mark, UTF-16, and line ends.
package textfile

import (
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Text returns what is in a file, without a byte order mark. Where that says UTF-16, as Windows PowerShell writes files, it
// returns UTF-8.
func Text(content []byte) []byte {
	text, _, err := transform.Bytes(unicode.BOMOverride(transform.Nop), content)
	if err != nil {
		return content
	}
	return text
}

// Line is [Text] of a file or a variable that holds one line, such as a secret, without the line ends after it. Spaces are
// part of the line.
func Line(content string) string {
	return strings.TrimRight(string(Text([]byte(content))), "\r\n")
}
