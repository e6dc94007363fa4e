package httpx

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends a text as JSON, like [WriteJSON].
func AppendJSON(b []byte, text string) []byte {
	if plain(text) {
		b = append(b, '"')
		b = append(b, text...)
		return append(b, '"')
	}
	var quoted bytes.Buffer
	enc := json.NewEncoder(&quoted)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string can always be written
	return append(b, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}

// plain reports whether a text needs no escapes.
func plain(text string) bool {
	ascii := true
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c == '"' || c == '\\' || c == 0x7f {
			return false
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	if ascii {
		return true
	}
	for _, r := range text {
		if r == utf8.RuneError || r == '\u2028' || r == '\u2029' {
			return false
		}
	}
	return true
}

// typeJSON is shared, because header values are only replaced and never modified.
var typeJSON = []string{TypeJSON}

// WriteJSONBytes writes a JSON text with a status, like [WriteJSON].
func WriteJSONBytes(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"], h["X-Content-Type-Options"] = typeJSON, nosniff
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has disconnected is no error
}
