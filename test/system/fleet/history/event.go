package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// Kind is the type of an event. The comment of each constant names the fields that the kind uses, in addition
// to Begin and End.
type Kind string

// The kinds of events.
const (
	Gateway   Kind = "gateway"   // a declaration: Gateway, Class, Rate, Burst, Slack
	Account   Kind = "account"   // a declaration: Account, Limit, Webhooks
	Send      Kind = "send"      // a request of a client, or one of its messages: Account, Gateway, Sender, To, Key, Result; Message if it was accepted, Code if it was refused; ID and Place in a batch
	Cancel    Kind = "cancel"    // a request of a client: Message, Result
	Stop      Kind = "stop"      // a person opts out of an account's messages, or is opted out by it: Account, To, Result
	Suspend   Kind = "suspend"   // an operator suspends an account: Account, Result
	Resume    Kind = "resume"    // an operator ends the suspension of an account: Account, Result
	Waits     Kind = "waits"     // a message was read as SCHEDULED or QUEUED: Message
	Call      Kind = "call"      // a request to a gateway: Gateway, Reference, Message, Node, Result
	Receipt   Kind = "receipt"   // a report of a gateway: Message, Status, Result; Reference if the report contains it
	Final     Kind = "final"     // the state of a message after the run: Message, Status, Code, Delayed
	Usage     Kind = "usage"     // an account's usage, after the run: Account, Used
	Webhook   Kind = "webhook"   // a delivery to an account's endpoint: ID, Message, Status, Digest
	Written   Kind = "written"   // a person's phone submits a message to a sender: Sender, To (the person), Content, Result
	Stored    Kind = "stored"    // an entry of an inbox, after the run: Sender, To (the person), Message, Content, Place
	Received  Kind = "received"  // a delivery of a person's message to an account's endpoint: ID, Message, Content
	Poll      Kind = "poll"      // the status of a login as a browser saw it: Login, Node, Status
	Redeem    Kind = "redeem"    // a code is exchanged for a token: Code, Result
	Revoke    Kind = "revoke"    // a token or key is revoked: Token, Result, Within
	Use       Kind = "use"       // a token or key is used: Token, Result
	Fault     Kind = "fault"     // a fault in the deployment: Node, Status; only for the reader
	Stall     Kind = "stall"     // the recorder itself did not run between Begin and End
	Undrained Kind = "undrained" // the run ended before everything was delivered: Status names what is missing
)

// Result is the result of a request.
type Result string

// The results of requests. A call of a gateway is accepted if the gateway accepted the message, whether or not its
// response reached Griot. A message of a person is accepted if the gateway has acknowledged it, or gets it again.
const (
	Accepted Result = "accepted"
	Refused  Result = "refused"
	Unknown  Result = "unknown" // there was no response
)

// Class is a gateway's way of handling a message that it might already have.
type Class string

// The classes of gateways.
const (
	Deduplicates Class = "deduplicates" // it delivers a reference only once
	Asked        Class = "asked"        // it can report whether it has seen a reference
	Neither      Class = "neither"
	Phone        Class = "phone" // the calls are messages that have arrived at a person's phone, which shows a reference once; refusals aren't seen
)

// Event is one event. Times are microseconds since the start of the history.
type Event struct {
	Kind  Kind  `json:"kind"`
	Begin int64 `json:"begin"`
	End   int64 `json:"end"`

	Account   string  `json:"account,omitempty"`
	Gateway   string  `json:"gateway,omitempty"`
	Sender    string  `json:"sender,omitempty"`
	To        string  `json:"to,omitempty"`
	Key       string  `json:"key,omitempty"` // the idempotency key
	Message   string  `json:"message,omitempty"`
	Reference string  `json:"reference,omitempty"`
	Node      string  `json:"node,omitempty"`
	Status    string  `json:"status,omitempty"`
	Result    Result  `json:"result,omitempty"`
	Code      string  `json:"code,omitempty"`
	Delayed   bool    `json:"delayed,omitempty"` // it waited for another attempt, or its outcome was unknown for a time
	ID        string  `json:"id,omitempty"`      // of an event of a webhook, or of a batch
	Digest    string  `json:"digest,omitempty"`  // of a webhook's body
	Content   string  `json:"content,omitempty"` // of a person's message; different for each
	Place     int     `json:"place,omitempty"`   // in the conversation or the batch, from 1
	Login     string  `json:"login,omitempty"`
	Token     string  `json:"token,omitempty"`
	Within    int64   `json:"within,omitempty"` // microseconds after which a revoked token must be refused; 0: a second
	Class     Class   `json:"class,omitempty"`
	Rate      float64 `json:"rate,omitempty"`  // calls of a sender per second; 0: no limit
	Burst     int     `json:"burst,omitempty"` // maximum number of simultaneous calls
	Slack     int64   `json:"slack,omitempty"` // microseconds by which two calls can arrive closer together than they were made
	Limit     int     `json:"limit,omitempty"` // messages per day; 0: no limit
	Used      int     `json:"used,omitempty"`
	Webhooks  bool    `json:"webhooks,omitempty"` // the account has an endpoint
}

// History is a list of events, in any order.
type History []Event

// maxLine is the maximum size of an event, in bytes.
const maxLine = 1 << 20

var errLine = errors.New("history: not an event")

// Parse reads a history. The error names the first line that is not an event.
func Parse(r io.Reader) (History, error) {
	var h History
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		var e Event
		err := d.Decode(&e)
		if err == nil && d.More() {
			err = errLine
		}
		if err == nil {
			err = e.check()
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		h = append(h, e)
	}
	return h, lines.Err()
}

// Write writes the history in the format of [Parse].
func (h History) Write(w io.Writer) error {
	out := json.NewEncoder(w)
	for i := range h {
		if err := out.Encode(&h[i]); err != nil {
			return err
		}
	}
	return nil
}

// Save writes the history to a new file, which stays, and returns its name.
func (h History) Save() (name string, err error) {
	f, err := os.CreateTemp("", "griot-history-*.jsonl")
	if err != nil {
		return "", err
	}
	return f.Name(), errors.Join(h.Write(f), f.Close())
}

// check returns an error unless the event has the fields that its kind needs.
func (e *Event) check() error {
	switch {
	case e.Begin < 0 || e.End < e.Begin || e.End > math.MaxInt64/4:
		return fmt.Errorf("%w: begin %d, end %d", errLine, e.Begin, e.End)
	case e.Rate < 0 || e.Rate > 1e6 || e.Burst < 0 || e.Burst > 1e6 || e.Slack < 0 || e.Slack > math.MaxInt64/4 || e.Limit < 0 || e.Used < 0 || e.Place < 0 || e.Within < 0 || e.Within > math.MaxInt64/4:
		return fmt.Errorf("%w: a number is out of range", errLine)
	}
	required, known := e.required()
	if !known {
		return fmt.Errorf("%w: kind %q", errLine, e.Kind)
	}
	for _, value := range required {
		if value == "" {
			return fmt.Errorf("%w: a field of %q is missing", errLine, e.Kind)
		}
	}
	switch e.Result {
	case "", Accepted, Refused, Unknown:
	default:
		return fmt.Errorf("%w: result %q", errLine, e.Result)
	}
	switch e.Class {
	case "", Deduplicates, Asked, Neither, Phone:
		return nil
	}
	return fmt.Errorf("%w: class %q", errLine, e.Class)
}

// required returns the values of the fields that the event's kind needs. known is false if the kind doesn't exist.
func (e *Event) required() (values []string, known bool) {
	switch e.Kind {
	case Gateway:
		return []string{e.Gateway, string(e.Class)}, true
	case Account, Usage:
		return []string{e.Account}, true
	case Send:
		values = []string{e.Account, e.Gateway, e.Sender, e.To, e.Key, string(e.Result)}
		if e.Result == Accepted {
			values = append(values, e.Message)
		}
		return values, true
	case Cancel:
		return []string{e.Message, string(e.Result)}, true
	case Stop:
		return []string{e.Account, e.To, string(e.Result)}, true
	case Suspend, Resume:
		return []string{e.Account, string(e.Result)}, true
	case Waits:
		return []string{e.Message}, true
	case Call:
		return []string{e.Gateway, e.Reference, e.Message, string(e.Result)}, true
	case Receipt:
		return []string{e.Message, e.Status, string(e.Result)}, true
	case Final:
		return []string{e.Message, e.Status}, true
	case Webhook:
		return []string{e.ID, e.Message, e.Status}, true
	case Written:
		return []string{e.Sender, e.To, e.Content, string(e.Result)}, true
	case Stored:
		return []string{e.Sender, e.To, e.Message, e.Content}, true
	case Received:
		return []string{e.ID, e.Message, e.Content}, true
	case Poll:
		return []string{e.Login, e.Status}, true
	case Redeem:
		return []string{e.Code, string(e.Result)}, true
	case Revoke, Use:
		return []string{e.Token, string(e.Result)}, true
	case Fault, Undrained:
		return []string{e.Status}, true
	case Stall:
		return nil, true
	}
	return nil, false
}
