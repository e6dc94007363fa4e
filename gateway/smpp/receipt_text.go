package smpp

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/internal/sms"
	"example.com/griot/internal/visible"
)

// reportFields are the fields of a receipt's text. Unreadable fields are "".
type reportFields struct {
	ids   []string // possible IDs, best first
	state string   // as in receipts: DELIVRD
	err   string
}

// readFields reads the text of a receipt. It is in ASCII, in the GSM alphabet, or in UCS-2, regardless of its coding,
// because many centers give a receipt the coding of the message. UCS-2 can be in little-endian order.
func readFields(m *pdu.Message) reportFields {
	part, text := cutHeader(m)
	if part.number > 1 {
		return reportFields{} // the text after "text:" is the message
	}
	octets := func() (reportFields, bool) { return octetFields(text) }
	wide := func() (reportFields, bool) { return parseFields([]byte(sms.UTF16(text.bytes))) }
	first, second := octets, wide
	if charsetOf(m.DataCoding) == setUCS2 {
		first, second = wide, octets
	}
	for _, read := range []func() (reportFields, bool){first, second, func() (reportFields, bool) { return parseFields([]byte(sms.UTF16(swapOctets(text.bytes)))) }} {
		if fields, found := read(); found {
			return fields
		}
	}
	return reportFields{}
}

// octetFields reads a text with one octet for each character, in ASCII and in the GSM alphabet. The alphabets differ in
// @ $ _ [ ] { } ~ ^ | \, which IDs can have. ASCII comes first, except if that would cut off a part of the ID.
func octetFields(text segment) (fields reportFields, found bool) {
	fields, found = parseFields(text.bytes)
	inGSM, foundInGSM := parseFields([]byte(text.tables.Decode(tabsToSpaces(text.bytes))))
	if !found || !foundInGSM {
		return inGSM, foundInGSM
	}
	inGSM.ids = slices.DeleteFunc(inGSM.ids, func(id string) bool { return strings.ContainsRune(id, utf8.RuneError) })
	if len(fields.ids) > 0 && len(inGSM.ids) > 0 && isCut(fields.ids[0], inGSM.ids[0]) {
		fields.ids, inGSM.ids = inGSM.ids, fields.ids
	}
	fields.ids = append(fields.ids, inGSM.ids...)
	fields.state, fields.err = cmp.Or(fields.state, inGSM.state), cmp.Or(fields.err, inGSM.err)
	return fields, true
}

// tabsToSpaces replaces the controls that separate fields, because they are Ç, Ø, and ø in the GSM alphabet.
func tabsToSpaces(b []byte) []byte {
	out := bytes.Clone(b)
	for i, c := range out {
		if c == '\t' || c == '\v' || c == '\f' {
			out[i] = ' '
		}
	}
	return out
}

// isCut reports whether an ID in ASCII ends or begins at a NUL that is an @ within the same ID in the GSM alphabet. At
// the end of the ID, it is padding.
func isCut(id, inGSM string) bool {
	return utf8.RuneCountInString(strings.TrimRight(inGSM, "@")) > len(id)
}

// swapOctets returns a text with the octets of each unit exchanged.
func swapOctets(text []byte) []byte {
	out := bytes.Clone(text)
	for i := 1; i < len(out); i += 2 {
		out[i-1], out[i] = out[i], out[i-1]
	}
	return out
}

// parseFields reads the fields before "text:", which is followed by the message. The order of the fields and the
// bytes around them do not matter. If several fields have the same key, the first readable one is used. found is
// false for a text without fields.
func parseFields(b []byte) (fields reportFields, found bool) {
	key, from := "", 0
	end := func(to int) {
		switch word := fieldWord(b[from:to]); key {
		case "id":
			if id := readableID(word); id != "" && fields.ids == nil {
				fields.ids = []string{id}
			}
		case "stat":
			fields.state = cmp.Or(fields.state, stateOfWord(word))
		case "err":
			fields.err = cmp.Or(fields.err, word)
		}
	}
	for i := 0; i < len(b); {
		next, after := keyAt(b, i)
		if next == "" {
			i++
			continue
		}
		end(i)
		if found = true; next == "text" {
			return fields, found
		}
		key, from, i = next, after, after
	}
	end(len(b))
	return fields, found
}

// keys are the keys of SMPP 3.4 Appendix B.
var keys = []string{"id", "sub", "dlvrd", "submit date", "done date", "stat", "err", "text"}

const blanks = " \t"

// keyAt returns the key at b[i:] and the index after its colon, or "" if there is none. The end of a longer word is
// not a key, except for "text", because nothing after it is read.
func keyAt(b []byte, i int) (key string, after int) {
	inWord := i > 0 && isWordByte(b[i-1])
	for _, key := range keys {
		if inWord && key != "text" || !hasPrefixFold(b[i:], key) {
			continue
		}
		if rest := bytes.TrimLeft(b[i+len(key):], blanks); len(rest) > 0 && rest[0] == ':' {
			return key, len(b) - len(rest) + 1
		}
	}
	return "", 0
}

func isWordByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// hasPrefixFold reports whether b starts with a prefix in lowercase, ignoring the case of ASCII letters.
func hasPrefixFold(b []byte, prefix string) bool {
	if len(b) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		c := b[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != prefix[i] {
			return false
		}
	}
	return true
}

const lineEnds = "\r\n\v\f\u0085\u2028\u2029"

// fieldWord returns the word after a key's colon, without quotation marks. It must be on the same line.
func fieldWord(b []byte) string {
	for n := spaceAt(b); n > 0 && !bytes.ContainsAny(b[:n], lineEnds); n = spaceAt(b) {
		b = b[n:]
	}
	end := 0
	for end < len(b) && spaceAt(b[end:]) == 0 {
		_, size := utf8.DecodeRune(b[end:])
		end += size
	}
	return strings.Trim(strings.TrimRight(string(b[:end]), ",;|"), `"'`)
}

// spaceAt returns the length of the space or the invisible character at the start of b, or 0 if there is none. Controls
// other than NUL and those of lines are letters of the GSM alphabet.
func spaceAt(b []byte) int {
	r, size := utf8.DecodeRune(b)
	switch {
	case size == 1 && (b[0] == 0xa0 || b[0] == 0x85): // the spaces of ISO 8859-1
		return 1
	case r < ' ' && r != 0 && !unicode.IsSpace(r), r == 0x7f:
		return 0
	case size > 0 && (unicode.IsSpace(r) || visible.Invisible(r)):
		return size
	}
	return 0
}

// states are the variants of the states in receipts.
var states = map[string]string{
	"DELIVRD": "DELIVRD", "DELIVERED": "DELIVRD", "DELIVERD": "DELIVRD",
	"SCHEDULED": "SCHEDULED", "ENROUTE": "ENROUTE", "EN_ROUTE": "ENROUTE", "ACCEPTD": "ACCEPTD", "ACCEPTED": "ACCEPTD",
	"EXPIRED": "EXPIRED", "UNDELIV": "UNDELIV", "UNDELIVERABLE": "UNDELIV", "UNDELIVERED": "UNDELIV", "UNDELIVRD": "UNDELIV",
	"FAILED": "FAILED", "FAIL": "FAILED", "FAILURE": "FAILED",
	"REJECTD": "REJECTD", "REJECTED": "REJECTD", "REJECT": "REJECTD",
	"DELETED": "DELETED", "CANCELED": "DELETED", "CANCELLED": "DELETED",
	"UNKNOWN": "UNKNOWN",
}

// stateOfWord returns the state for a word, or "" if there is none.
func stateOfWord(word string) string {
	return states[strings.ToUpper(strings.TrimFunc(word, func(r rune) bool { return r > 0x7f || !isWordByte(byte(r)) }))]
}
