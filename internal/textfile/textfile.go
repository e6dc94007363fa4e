// Package textfile removes the additions of editors and shells from a text: a byte order mark, UTF-16, and line ends.
package textfile

import (
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Text returns the content of a file without a byte order mark. If the mark is that of UTF-16, as in files of Windows
// PowerShell, it returns UTF-8.
func Text(content []byte) []byte {
	text, _, err := transform.Bytes(unicode.BOMOverride(transform.Nop), content)
	if err != nil {
		return content
	}
	return text
}

// Line returns the [Text] of a file or a variable with one line, such as a secret, without trailing line ends. Spaces
// are part of the line.
func Line(content string) string {
	return strings.TrimRight(string(Text([]byte(content))), "\r\n")
}
