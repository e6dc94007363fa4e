package gateway

import (
	"bytes"
	"encoding/json"
	"io"
)

// Quoted names the message that a person answers: by our reference, or where the
// gateway doesn't know that, by its own id. The zero value names none.
type Quoted struct {
	Ref        string // of one that we sent
	ProviderID string // the gateway's id, of one that we sent or of one that came in
}

// MaxResponse bounds what a form was answered with; bytes.
const MaxResponse = 64 << 10

// Response returns what a form was answered with as [Inbound.Response] has it: a
// JSON object with nothing around it; "" for anything else.
func Response(raw []byte) string {
	if len(raw) > MaxResponse {
		return ""
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // numbers stay as they are written
	var object map[string]any
	if d.Decode(&object) != nil || object == nil {
		return ""
	}
	if _, err := d.Token(); err != io.EOF {
		return ""
	}
	b := &bytes.Buffer{}
	e := json.NewEncoder(b) // replaces what is no text
	e.SetEscapeHTML(false)
	if e.Encode(object) != nil {
		return ""
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
