package behaviour

import (
	_ "embed"
	"encoding/json"
)

//go:embed cases.json
var list []byte

// Case is one behavior.
type Case struct {
	Name    string          `json:"name"`
	Before  []Step          `json:"before,omitempty"` // what the harness does first; $0.member stands for what its first step has returned
	On      string          `json:"on,omitempty"`     // the path that Answers and Requests are about; empty: every path
	Call    string          `json:"call"`
	Args    json.RawMessage `json:"args,omitempty"`
	Options Options         `json:"options"`
	Answers []Answer        `json:"answers,omitempty"` // to the first requests; further ones reach the service
	Want    Want            `json:"want"`
}

// Step is something that the harness does itself.
type Step struct {
	Do   string          `json:"do"` // a name in steps
	Args json.RawMessage `json:"args,omitempty"`
}

// Options are those of the client for one case; zero is the client's own.
type Options struct {
	Tries     int `json:"tries,omitempty"`
	TimeoutMs int `json:"timeoutMs,omitempty"`
	MaxWaitMs int `json:"maxWaitMs,omitempty"`
}

// Answer is what a request meets: one of these.
type Answer struct {
	Break   string            `json:"break,omitempty"` // the connection breaks: before or after the service has the request, or within its answer
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    json.RawMessage   `json:"body,omitempty"`   // of Status; a text is sent as it is
	Silent  bool              `json:"silent,omitempty"` // nothing, until the client goes away
	Pass    bool              `json:"pass,omitempty"`   // the service answers
}

// Want is what must be seen. What is absent is not looked at.
type Want struct {
	Result             json.RawMessage `json:"result,omitempty"` // members that the result has; lists are whole
	Error              *Failure        `json:"error,omitempty"`
	Requests           *int            `json:"requests,omitempty"`
	SameIdempotencyKey bool            `json:"sameIdempotencyKey,omitempty"` // all requests have one key
	PausesMs           [][2]int64      `json:"pausesMs,omitempty"`           // from, to: of each pause
	Sent               *int            `json:"sent,omitempty"`               // messages that a gateway was given
}

// Failure is an error of a client. Of a want, what is zero is not looked at.
type Failure struct {
	Kind         string `json:"kind"` // api, unanswered, invalid, webhook, or login
	Code         string `json:"code,omitempty"`
	Status       int    `json:"status,omitempty"`
	Field        string `json:"field,omitempty"`
	RetryAfterMs int64  `json:"retryAfterMs,omitempty"`
}

// Outcome is what a driver says of a case.
type Outcome struct {
	Name     string          `json:"name"`
	Result   json.RawMessage `json:"result,omitempty"`
	Error    *Failure        `json:"error,omitempty"`
	PausesMs []int64         `json:"pausesMs,omitempty"` // that the client asked for; none takes any time
}

// Cases returns the list.
func Cases() ([]Case, error) {
	var cases []Case
	err := json.Unmarshal(list, &cases)
	return cases, err
}
