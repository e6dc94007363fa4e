package message

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// append encodes the step like encoding/json, but without reflection, because each message has two or more steps.
func (s *Step) append(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"at":`...), s.At, 10)
	b = appendText(append(b, `,"status":`...), string(s.Status))
	b = appendMember(b, "channel", string(s.Channel))
	b = appendMember(b, "sender", s.Sender)
	if s.Failure != nil {
		b = appendAny(append(b, `,"failure":`...), s.Failure)
	}
	b = appendMember(b, "why", string(s.Kind))
	b = appendMember(b, "to", string(s.To))
	if s.Until != 0 {
		b = strconv.AppendInt(append(b, `,"until":`...), s.Until, 10)
	}
	b = appendMember(b, "note", s.Text)
	return append(b, '}')
}

// appendMember encodes a field, which is left out if it is empty.
func appendMember(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	b = append(append(b, `,"`...), name...)
	return appendText(append(b, `":`...), text)
}

func appendText(b []byte, text string) []byte {
	if !needsNoEscape(text) {
		return appendAny(b, text)
	}
	return append(append(append(b, '"'), text...), '"')
}

// needsNoEscape reports whether encoding/json escapes nothing in a text.
func needsNoEscape(text string) bool {
	for _, c := range []byte(text) {
		if c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

func appendAny(b []byte, v any) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		return append(b, "null"...) // unreachable, because every value can be marshaled
	}
	return append(b, out...)
}
