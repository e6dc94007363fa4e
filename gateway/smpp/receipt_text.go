package smpp

import (
	"bytes"
	"cmp"
	"strings"
	"unicode/utf8"

	"example.com/griot/gateway/internal/smscreport"
	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/internal/sms"
)

// readFields reads the text of a receipt. It is in ASCII, in the GSM alphabet, or in UCS-2, regardless of its coding,
// because many centers give a receipt the coding of the message. UCS-2 can be in little-endian order. If another reading
// has another ID, otherID is that one.
func readFields(m *pdu.Message) (fields smscreport.Fields, otherID string) {
	part, text := cutHeader(m)
	if part.number > 1 {
		return fields, "" // the text after "text:" is the message
	}
	octets := func() (found bool) {
		fields, otherID, found = octetFields(text)
		return found
	}
	wide := func(b []byte) func() bool {
		return func() (found bool) {
			fields, found = smscreport.Parse([]byte(sms.UTF16(b)))
			return found
		}
	}
	first, second := octets, wide(text.bytes)
	if charsetOf(m.DataCoding) == setUCS2 {
		first, second = second, first
	}
	if first() || second() || wide(swapOctets(text.bytes))() {
		return fields, otherID
	}
	return smscreport.Fields{}, ""
}

// octetFields reads a text with one octet for each character, in ASCII and in the GSM alphabet. The alphabets differ in
// @ $ _ [ ] { } ~ ^ | \, which IDs can have. ASCII comes first, except if that would cut off a part of the ID.
func octetFields(text segment) (fields smscreport.Fields, otherID string, found bool) {
	fields, found = smscreport.Parse(text.bytes)
	inGSM, foundInGSM := smscreport.Parse([]byte(text.tables.Decode(tabsToSpaces(text.bytes))))
	if !found || !foundInGSM {
		return inGSM, "", foundInGSM
	}
	if strings.ContainsRune(inGSM.ID, utf8.RuneError) {
		inGSM.ID = ""
	}
	if fields.ID == "" || inGSM.ID != "" && isCut(fields.ID, inGSM.ID) {
		fields.ID, inGSM.ID = inGSM.ID, fields.ID
	}
	fields.State, fields.Err = cmp.Or(fields.State, inGSM.State), cmp.Or(fields.Err, inGSM.Err)
	return fields, inGSM.ID, true
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
