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
	acked         kind = iota // the gateway has accepted it
	refused                   // the gateway has refused it, or the outcome is unknown: event.err
	prepareFailed             // it could not be submitted at all: event.err; no gateway was called
	notCalled                 // it was marked as being submitted, but no gateway was called
	lookAgain                 // it is SENDING, and its check is due
	neverSeen                 // its gateway was queried and does not know it
	receipt                   // a delivery report: event.status
	fallbackDue               // it is SENT and was not delivered in time
	cancel                    // its account cancels it
	expired                   // its lifetime has ended
	dayFull                   // its sender is in a warm-up and has reached today's limit
	erase                     // its recipient is erased
	optedOut                  // its recipient has opted out of its channel while it waited: event.err
	senderRemoved             // an operator removes its sender and cancels it or moves it to another one: event.reroute
	restored                  // the database is from a backup, and another process might have sent it since
)

// An event is the input of a decision about a message.
type event struct {
	kind         kind
	routeIndex   int               // receipt: the index of its route
	ack          gateway.Ack       // acked
	err          *gateway.Error    // refused, prepareFailed, dayFull, optedOut; receipt of a failure
	status       message.Status    // receipt
	price        message.Price     // receipt: empty: not reported
	at           time.Time         // receipt: its time; restored: the latest time at which another process might have sent it
	id           string            // receipt: the gateway's ID of the message
	calls        int               // refused: number of calls since it was marked
	timeToRepeat bool              // refused: there is time for another call before its next check
	reroute      bool              // senderRemoved: it is moved instead of canceled
	until        time.Time         // dayFull: the start of the next day
	called       time.Time         // acked, refused: the start of the call
	day          *outbox.SenderDay // acked, refused: the day in which the call was counted; nil: none
}

// facts are the inputs of a decision in addition to the message and the event.
type facts struct {
	now          time.Time
	next         *message.Route // the route after its current one; nil: none
	deduplicates bool           // its gateway still delivers a reference only once
	suspended    bool           // its account is suspended, as far as this process knows, so no gateway is called again
	timeToRepeat bool           // there is time for another call before its next check
	unknownWait  time.Duration  // time for which a receipt can still settle an unknown outcome
	fallback     time.Time      // time at which it takes its next route, once SENT, unless it has arrived; zero: never
	jitter       float64        // -1 to 1
}

// An outcome is the result of a decision. The zero value means no change.
type outcome struct {
	message      *message.Message // the new state; nil: no change
	steps        []message.Step
	routeChanged bool          // it is on another route
	notify       bool          // the account's endpoints are notified of its status
	repeatIn     time.Duration // its gateway is called again after this time, without a write; 0: no
	handOver     bool          // it is submitted: again, to a gateway that deduplicates, or above its sender's daily limit
	detailOnly   bool          // only the gateway's ID of it or its price is new
}
