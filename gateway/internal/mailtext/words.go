package mailtext

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

const (
	maxLine = 76 // in characters, of a line with an encoded-word (RFC 2047 §2); also used for other lines
	maxWord = 75 // in characters, of an encoded-word

	fold = "\r\n "
)

// Text returns the value of an unstructured field, such as Subject, folded and in ASCII. s has the form that
// [visible.Line] returns. Text beyond ASCII becomes encoded-words. So does text that contains something like an
// encoded-word, which would otherwise be displayed decoded, and text that cannot be folded at its spaces.
func Text(field, s string) string {
	used := len(field) + len(": ")
	if IsASCII(s) && !strings.Contains(s, "=?") {
		if folded, ok := foldWords(s, used); ok {
			return folded
		}
	}
	return EncodeWords(s, used)
}

// foldWords folds ASCII text at its spaces. A reader replaces a fold with one space, so text with consecutive spaces is not folded.
func foldWords(s string, used int) (string, bool) {
	if used+len(s) <= maxLine {
		return s, true
	}
	if strings.Contains(s, "  ") {
		return "", false
	}
	var b strings.Builder
	column := used
	for i, word := range strings.Split(s, " ") {
		switch {
		case i == 0:
		case column+1+len(word) <= maxLine:
			b.WriteByte(' ')
			column++
		default:
			b.WriteString(fold)
			column = 1
		}
		if column+len(word) > maxLine {
			return "", false
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String(), true
}

// Mailbox returns the folded value of a field with one address. name has the form that [visible.Line] returns, and address is in brackets.
func Mailbox(field, name, address string) string {
	if name == "" {
		return address
	}
	used := len(field) + len(": ")
	shown := quote(name)
	if !IsASCII(name) || strings.Contains(name, "=?") || used+len(shown) > maxLine {
		shown = EncodeWords(name, used)
	}
	last := used + len(shown)
	if i := strings.LastIndexByte(shown, '\n'); i >= 0 {
		last = len(shown) - i - 1
	}
	if last+1+len(address) > maxLine {
		return shown + fold + address
	}
	return shown + " " + address
}

// EncodeWords returns s as encoded-words (RFC 2047), each on its own line. used is the number of characters that the
// first line already has. All words use the encoding that is shorter for s, and no character is split between two
// words.
func EncodeWords(s string, used int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	encoding, encode, length := "q", encodeQ, lengthQ
	if lengthB(s) < lengthQ(s) {
		encoding, encode, length = "b", encodeB, lengthB
	}
	start, end := "=?utf-8?"+encoding+"?", "?="
	var words []string
	for s != "" {
		room := min(maxWord, maxLine-used) - len(start) - len(end)
		used = 1
		size := 0
		for size < len(s) {
			_, next := utf8.DecodeRuneInString(s[size:])
			if size > 0 && length(s[:size+next]) > room {
				break
			}
			size += next
		}
		words = append(words, start+encode(s[:size])+end)
		s = s[size:]
	}
	return strings.Join(words, fold)
}

func encodeB(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func lengthB(s string) int { return base64.StdEncoding.EncodedLen(len(s)) }

func encodeQ(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ':
			b.WriteByte('_')
		case isPlainQ(c):
			b.WriteByte(c)
		default:
			b.Write([]byte{'=', hex[c>>4], hex[c&0xf]})
		}
	}
	return b.String()
}

func lengthQ(s string) (n int) {
	for i := range len(s) {
		if n++; s[i] != ' ' && !isPlainQ(s[i]) {
			n += len("XX")
		}
	}
	return n
}

// isPlainQ reports whether a byte needs no encoding in Q, even in the name of an address (RFC 2047 §5).
func isPlainQ(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("!*+-/", c) >= 0
}
