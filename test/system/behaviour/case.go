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
	Before  []Step          `json:"before,omitempty"` // steps of the harness before the call; $0.member is the value that its first step has returned
	On      string          `json:"on,omitempty"`     // the path of Answers and Requests; empty: every path
	Call    string          `json:"call"`
	Args    json.RawMessage `json:"args,omitempty"`
	Options Options         `json:"options"`
	Answers []Answer        `json:"answers,omitempty"` // to the first requests; further ones reach the service
	Want    Want            `json:"want"`
}

// Step is a step of the harness.
type Step struct {
	Do   string          `json:"do"` // a name in steps
	Args json.RawMessage `json:"args,omitempty"`
}

// Options are the client's options for one case; zero: the default.
type Options struct {
	Tries     int `json:"tries,omitempty"`
	TimeoutMs int `json:"timeoutMs,omitempty"`
	MaxWaitMs int `json:"maxWaitMs,omitempty"`
}

// Answer is the response to a request. Exactly one of these fields is set.
type Answer struct {
	Break   string            `json:"break,omitempty"` // the connection breaks: before or after the service has the request, or within its response
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    json.RawMessage   `json:"body,omitempty"`   // of Status; a text is sent unchanged
	Silent  bool              `json:"silent,omitempty"` // no response, until the client disconnects
	Pass    bool              `json:"pass,omitempty"`   // the service responds
}

// Want is the expected result. Absent fields are not checked.
type Want struct {
	Result             json.RawMessage `json:"result,omitempty"` // required fields of the result; lists must be complete
	Error              *Failure        `json:"error,omitempty"`
	Requests           *int            `json:"requests,omitempty"`
	SameIdempotencyKey bool            `json:"sameIdempotencyKey,omitempty"` // all requests have one key
	PausesMs           [][2]int64      `json:"pausesMs,omitempty"`           // range of each pause: from, to
	Sent               *int            `json:"sent,omitempty"`               // number of messages that a gateway received
}

// Failure is an error of a client. In a Want, zero fields are not checked.
type Failure struct {
	Kind         string `json:"kind"` // api, unanswered, invalid, webhook, or login
	Code         string `json:"code,omitempty"`
	Status       int    `json:"status,omitempty"`
	Field        string `json:"field,omitempty"`
	RetryAfterMs int64  `json:"retryAfterMs,omitempty"`
}

// Outcome is a driver's result of a case.
type Outcome struct {
	Name     string          `json:"name"`
	Result   json.RawMessage `json:"result,omitempty"`
	Error    *Failure        `json:"error,omitempty"`
	PausesMs []int64         `json:"pausesMs,omitempty"` // that the client requested; the pauses take no time in the test
}

// Cases returns the list.
func Cases() ([]Case, error) {
	var cases []Case
	err := json.Unmarshal(list, &cases)
	return cases, err
}
