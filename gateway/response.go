package gateway

import (
	"bytes"
	"encoding/json"
	"io"
)

// Quoted identifies the message that a person replies to, by our reference or, if the gateway does not know it, by
// the gateway's ID. The zero value is no message.
type Quoted struct {
	Ref        string // of a message that we sent
	ProviderID string // the gateway's ID, of a message that we sent or received
}

// Quote is the message that an outbound message replies to. The zero value is none. With a Ref, it is one of our
// messages. Otherwise, it is the recipient's.
type Quote struct {
	Quoted
	Text string // its first characters, for gateways that show them
}

// MaxResponse is the maximum size of a submitted form's data, in bytes.
const MaxResponse = 64 << 10

// Response returns the data of a submitted form as [Inbound.Response] has it, as a compact JSON object. It returns ""
// if raw is not a JSON object or is too large.
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
