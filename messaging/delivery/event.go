package delivery

import (
	"time"

	"example.com/griot/gateway"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
)

// kind is the kind of an event.
type kind int

const (
	acked         kind = iota // the gateway has taken it
	refused                   // the gateway has refused it, or the outcome is unknown: event.err
	prepareFailed             // it could not be handed over at all: event.err; no gateway was called
	notCalled                 // it was marked as being handed over, and no gateway was called
	lookAgain                 // it is SENDING, and its time to be looked at again has come
	neverSeen                 // its gateway was asked, and doesn't know it
	receipt                   // a delivery report: event.status
	fallbackDue               // it is SENT, and was not delivered in time
	cancel                    // its account cancels it
	expired                   // its lifetime has ended
	dayFull                   // its sender warms up, and has sent today's number
	erase                     // its recipient is erased
	optedOut                  // its recipient has opted out of its channel while it waited: event.err
	senderRemoved             // its sender is to be removed, and an operator wants it canceled, or moved to another: event.reroute
	restored                  // the database is from a backup: another process may have sent it since
)

// event is what a decision about a message is made of.
type event struct {
	kind         kind
	routeIndex   int               // receipt: which route it is about
	ack          gateway.Ack       // acked
	err          *gateway.Error    // refused, prepareFailed, dayFull, optedOut; receipt of a failure
	status       message.Status    // receipt
	at           time.Time         // receipt: when that was; restored: until when another process may have sent
	id           string            // receipt: the gateway's id of the message
	calls        int               // refused: how many calls were made since it was marked
	timeToRepeat bool              // refused: there is time for another call before somebody looks again
	reroute      bool              // senderRemoved: it is moved, not canceled
	until        time.Time         // dayFull: when the next day begins
	called       time.Time         // acked: when the call began
	day          *outbox.SenderDay // acked, refused: the day that the call was counted in; nil: none
}

// facts are what a decision depends on beside the message and the event.
type facts struct {
	now          time.Time
	next         *message.Route // the route after the one that it is on; nil: there is none
	deduplicates bool           // its gateway still delivers a reference once
	suspended    bool           // its account is suspended, as far as this process knows: no gateway is called again
	timeToRepeat bool           // there is time for another call before somebody looks again
	unknownWait  time.Duration  // how long a receipt may still decide an unknown outcome
	fallback     time.Time      // when it takes its next route, once SENT, unless it has arrived; zero: never
	jitter       float64        // -1 to 1
}

// outcome is the result of a decision. Its zero value: nothing changes.
type outcome struct {
	message      *message.Message // as it is to be; nil: nothing changes
	steps        []message.Step
	routeChanged bool          // it is on another route
	notify       bool          // its status is news for the account's endpoints
	repeatIn     time.Duration // its gateway is called again after this, and nothing is written; 0: it is not
	handOver     bool          // it is handed over: again, to a gateway that delivers it once; or beyond its sender's day
	refOnly      bool          // only the gateway's id of it is new
}
