package batch

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// The encodings of files.
const (
	UTF8        = "UTF-8"
	UTF16       = "UTF-16"
	Windows1252 = "Windows-1252"
)

const byteOrderMark = "\ufeff"

// detect sets the encoding of the file. Spreadsheets also write UTF-16 and Windows-1252.
func (s *Source) detect(f *os.File) error {
	in := bufio.NewReaderSize(f, 64<<10)
	start, err := in.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := foreign(s.Path, start); err != nil {
		return err
	}
	start = start[:min(2, len(start))]
	s.Encoding = UTF8
	switch {
	case len(start) < 2:
	case bytes.Equal(start, []byte{0xff, 0xfe}), start[0] != 0 && start[1] == 0:
		s.Encoding, s.decoding = UTF16, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case bytes.Equal(start, []byte{0xfe, 0xff}), start[0] == 0 && start[1] != 0:
		s.Encoding, s.decoding = UTF16, unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case start[0] != '{':
		windows, err := isWindows1252(in)
		if err != nil {
			return err
		}
		if windows {
			s.Encoding, s.decoding = Windows1252, charmap.Windows1252
		}
	}
	return nil
}

// isWindows1252 reads a text to its end, and reports whether it can be Windows-1252: it has letters that are not ASCII,
// none of them is encoded in UTF-8, and all of them exist in Windows-1252. A file with letters in UTF-8 is a damaged
// UTF-8 file.
func isWindows1252(in *bufio.Reader) (bool, error) {
	found := false
	for {
		r, size, err := in.ReadRune()
		switch {
		case errors.Is(err, io.EOF):
			return found, nil
		case err != nil:
			return false, err
		case r < utf8.RuneSelf:
			continue
		case r != utf8.RuneError || size > 1:
			return false, nil
		}
		if err := in.UnreadRune(); err != nil {
			return false, err
		}
		b, err := in.ReadByte()
		if err != nil || charmap.Windows1252.DecodeByte(b) == utf8.RuneError {
			return false, err
		}
		found = true
	}
}

// decoded returns a reader of the file's text in UTF-8.
func decoded(in io.Reader, by encoding.Encoding) io.Reader {
	if by == nil {
		return in
	}
	return transform.NewReader(in, by.NewDecoder())
}

// badText returns the problem with the encoding of a text, or "".
func (s *Source) badText(text string) string {
	switch {
	case !utf8.ValidString(text):
		return "not UTF-8: save the file as UTF-8 (in Excel: CSV UTF-8)"
	case s.decoding != nil && strings.ContainsRune(text, utf8.RuneError):
		return "not " + s.Encoding
	}
	return ""
}
