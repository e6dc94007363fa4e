package message

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/griot/internal/fault"
)

// Metadata is an account's own data of a message. It is not sent to anybody, and not
// stored for sensitive messages.
type Metadata map[string]string

// Bounds of a message's metadata.
const (
	maxMetadata     = 16
	maxMetadataSize = 4096 // bytes of all names and texts
	maxFilter       = 4    // of them in one filter
)

func (m Metadata) check() error {
	size := 0
	for name, text := range m {
		size += len(name) + len(text)
		if !metadataName(name) {
			return fault.InvalidRequest.On("metadata").Detailf("A name in metadata begins with a letter, a digit, or an underscore.")
		}
	}
	if len(m) > maxMetadata || size > maxMetadataSize {
		return fault.InvalidRequest.On("metadata").Detailf("metadata has at most %d texts, and at most %d bytes in all.", maxMetadata, maxMetadataSize)
	}
	return nil
}

// metadataName: what follows the name's opening quote in the stored text is then never what can follow a closing one.
func metadataName(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return first == '_' || unicode.IsLetter(first) && first != utf8.RuneError || unicode.IsDigit(first)
}

// CheckSearch applies the rules of metadata to search for.
func (m Metadata) CheckSearch() error {
	if len(m) > maxFilter {
		return fault.InvalidRequest.On("metadata").Detailf("At most %d of the metadata can be looked for at once.", maxFilter)
	}
	return m.check()
}

// condition returns the condition that a stored text has each of the metadata, and args
// with its arguments. It looks for a member as [encode] writes it, at the object's
// beginning or after another member.
func (m Metadata) condition(args []any) (condition string, all []any) {
	var b strings.Builder
	for name, text := range m {
		member := string(appendText(append(appendText(nil, name), ':'), text))
		args = append(args, "{"+member, ","+member)
		n := len(args)
		fmt.Fprintf(&b, " AND (REPLACE(metadata, $%d, '') <> metadata OR REPLACE(metadata, $%d, '') <> metadata)", n-1, n)
	}
	return b.String(), args
}
