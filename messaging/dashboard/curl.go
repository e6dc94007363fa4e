package dashboard

import (
	"bytes"
	"encoding/json"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/messaging/message"
)

// A sendBody is a body of POST /api/send for copying.
type sendBody struct {
	To       string           `json:"to"`
	Channel  gateway.Channel  `json:"channel,omitempty"`
	Subject  string           `json:"subject,omitempty"`
	Message  string           `json:"message"`
	MediaURL string           `json:"mediaUrl,omitempty"`
	GroupID  string           `json:"groupId,omitempty"`
	Sandbox  bool             `json:"sandbox,omitempty"`
	Metadata message.Metadata `json:"metadata,omitempty"`
}

// curl returns the command that sends a message with a key, or with a shell variable that contains it.
func curl(url, key string, body *sendBody) string { return curlTo(url+"/api/send", key, body) }

// curlTo returns the command that posts a body to a URL.
func curlTo(address, key string, body any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(body) != nil { // it contains only texts
		return ""
	}
	return "curl " + quoted(address) + " \\\n  -H " + `"Authorization: Bearer ` + key + `"` + " \\\n  -H 'Content-Type: application/json' \\\n  -d " + quoted(strings.TrimSpace(b.String()))
}

// quoted returns a text as one word of a shell command.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
