package smscreport

import (
	"bytes"
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/visible"
)

// Fields are the fields of a report's text. Unreadable fields are "".
type Fields struct {
	ID    string
	State string // in the form of Appendix B: DELIVRD
	Err   string // the network's error code, unchecked
}

// Receipt returns the receipt of a state and the network's error code, which can be anything. ok is false if the state
// says nothing, such as UNKNOWN.
func Receipt(state, networkError string) (out gateway.Receipt, ok bool) {
	failed := func(class gateway.Class, code string) (gateway.Receipt, bool) {
		e := &gateway.Error{Class: class, Code: code, ProviderCode: state}
		if isErrorCode(networkError) {
			e.ProviderCode += " " + networkError
		}
		return gateway.Receipt{Status: gateway.ReceiptFailed, Err: e}, true
	}
	switch state {
	case "DELIVRD":
		return gateway.Receipt{Status: gateway.ReceiptDelivered}, true
	case "ENROUTE", "ACCEPTD", "SCHEDULED":
		return gateway.Receipt{Status: gateway.ReceiptSent}, true
	case "EXPIRED":
		return failed(gateway.Unreachable, "not_delivered_in_time")
	case "UNDELIV", "FAILED":
		return failed(gateway.Unreachable, "undeliverable")
	case "REJECTD":
		return failed(gateway.Permanent, "rejected")
	case "DELETED":
		return failed(gateway.Permanent, "deleted")
	}
	return gateway.Receipt{}, false // UNKNOWN
}

func isErrorCode(s string) bool {
	return s != "" && len(s) <= 8 && strings.Trim(s, "0123456789abcdefxABCDEFX") == ""
}

// maxID is the maximum length of an ID, in octets. It is the limit of submit_sm_resp.
const maxID = 64

// ReadableID returns an ID without the padding around it, or "" if it cannot be the ID of a message.
func ReadableID(id string) string {
	id = strings.Trim(id, " \x00")
	if len(id) > maxID || !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl) {
		return ""
	}
	return id
}

// Parse reads the fields before "text:", which is followed by the message. The order of the fields and the
// bytes around them do not matter. If several fields have the same key, the first readable one is used. found is
// false for a text without fields.
func Parse(b []byte) (fields Fields, found bool) {
	key, from := "", 0
	end := func(to int) {
		switch word := fieldWord(b[from:to]); key {
		case "id":
			fields.ID = cmp.Or(fields.ID, ReadableID(word))
		case "stat":
			fields.State = cmp.Or(fields.State, State(word))
		case "err":
			fields.Err = cmp.Or(fields.Err, word)
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

// State returns the state for a word, or "" if there is none.
func State(word string) string {
	return states[strings.ToUpper(strings.TrimFunc(word, func(r rune) bool { return r > 0x7f || !isWordByte(byte(r)) }))]
}
