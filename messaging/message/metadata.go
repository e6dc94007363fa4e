package message

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/griot/internal/apierror"
)

// Metadata is an account's own data about a message. It is not sent to anyone, and not stored for sensitive messages.
type Metadata map[string]string

// Limits of a message's metadata.
const (
	maxMetadata     = 16
	maxMetadataSize = 4096 // in bytes, of all names and texts
	maxFilter       = 4    // pairs in one filter
)

func (m Metadata) check() error {
	size := 0
	for name, text := range m {
		size += len(name) + len(text)
		if !metadataName(name) {
			return apierror.InvalidRequest.On("metadata").Detailf("A name in metadata must start with a letter, a digit, or an underscore.")
		}
	}
	if len(m) > maxMetadata || size > maxMetadataSize {
		return apierror.InvalidRequest.On("metadata").Detailf("metadata can have at most %d texts, and at most %d bytes in total.", maxMetadata, maxMetadataSize)
	}
	return nil
}

// metadataName reports whether a name is valid. A valid name ensures that the text after a name's opening quote can
// never be text after a closing quote.
func metadataName(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return first == '_' || unicode.IsLetter(first) && first != utf8.RuneError || unicode.IsDigit(first)
}

// CheckSearch applies the rules for metadata in a search.
func (m Metadata) CheckSearch() error {
	if len(m) > maxFilter {
		return apierror.InvalidRequest.On("metadata").Detailf("At most %d metadata filters can be combined.", maxFilter)
	}
	return m.check()
}

// condition returns the condition that a stored text contains all of the metadata, and args with its arguments. It
// searches for fields in the format of [encode], at the beginning of the object or after another field.
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
