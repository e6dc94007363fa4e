package delivery

import (
	"time"

	"griot/gateway"
	"griot/messaging/message"
	"griot/messaging/outbox"
)

// kind is what has happened to a message.
type kind int

const (
	acked       kind = iota // the gateway has taken it
	refused                 // the gateway said no, or nobody knows what it said: event.err
	hindered                // it could not be handed over at all: event.err; no gateway was called
	notCalled               // it was marked as being handed over, and no gateway was called
	lookAgain               // it is SENDING, and nobody on this node is handing it over
	neverSeen               // its gateway was asked and does not know it
	receipt                 // a delivery report: event.status
	fallbackDue             // it is SENT, and was not delivered in time
	cancel                  // its account wants it back
	expired                 // its life is over
	dayFull                 // its sender warms up, and has sent what it may today
)

// event is something that has happened to a message.
type event struct {
	kind   kind
	hop    int               // receipt: which route it is about
	ack    gateway.Ack       // acked
	err    *gateway.Error    // refused, hindered, dayFull; receipt of a failure
	status message.Status    // receipt
	at     time.Time         // receipt: when that was
	id     string            // receipt: the gateway's id of the message
	asked  int               // refused: how many calls were made since it was marked
	room   bool              // refused: there is time for another call before somebody looks again
	until  time.Time         // dayFull: when the next day begins
	called time.Time         // acked: when the call began
	day    *outbox.SenderDay // acked, refused: the day that the call was counted in; nil: none
}

// facts are what a decision depends on beside the message and the event.
type facts struct {
	now          time.Time
	next         *message.Route // the route after the one that it is on; nil: there is none
	deduplicates bool           // its gateway delivers a reference once, still
	room         bool           // there is time for another call before somebody looks again
	unknownWait  time.Duration  // how long a receipt may still decide an unknown outcome
	fallback     time.Time      // when it takes its next route, once SENT, unless it has arrived; zero: never
	jitter       float64        // -1 to 1
}

// outcome is what a decision asks for. The zero value: nothing.
type outcome struct {
	message *message.Message // as it is to be; nil: nothing changes
	steps   []message.Step
	moved   bool          // it is on another route
	notify  bool          // its status is news for the account's endpoints
	again   time.Duration // its gateway is called again after this, and nothing is written; 0: it is not
	retake  bool          // it is handed over: again, to a gateway that delivers it once; or beyond its sender's day
	keepRef bool          // only the gateway's id of it is new
}
