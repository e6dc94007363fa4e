package gateway

import (
	"bytes"
	"encoding/json"
	"io"
)

// Quoted identifies the message that a person answers: by our reference, or where the
// gateway doesn't know that, by its own id. The zero value is no message.
type Quoted struct {
	Ref        string // of one that we sent
	ProviderID string // the gateway's id, of one that we sent or of one that came in
}

// Quote is the message that an outbound message answers. Its zero value is none. With a Ref it is one of ours, else the recipient's.
type Quote struct {
	Quoted
	Text string // how it begins, for gateways that show that
}

// MaxResponse is the largest answer to a form; bytes.
const MaxResponse = 64 << 10

// Response returns the answers to a form in the form of [Inbound.Response]: a
// compact JSON object; "" if raw is no JSON object, or too large.
func Response(raw []byte) string {
	if len(raw) > MaxResponse {
		return ""
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // keeps numbers as they are written
	var object map[string]any
	if d.Decode(&object) != nil || object == nil {
		return ""
	}
	if _, err := d.Token(); err != io.EOF {
		return ""
	}
	b := &bytes.Buffer{}
	e := json.NewEncoder(b) // replaces invalid UTF-8
	e.SetEscapeHTML(false)
	if e.Encode(object) != nil {
		return ""
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
