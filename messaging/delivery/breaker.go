package delivery

import (
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/breaker"
	"example.com/griot/messaging/outbox"
)

var breakerLimits = &breaker.Limits{Window: time.Minute, MinAttempts: 10, FailureRatio: 0.7, FirstPause: 10 * time.Second, MaxPause: 5 * time.Minute}

// breakerEvent returns the meaning of an attempt that ended with class for the circuit breaker of its sender. Failed
// means that the sender is down, or that the results of its messages are unknown. A refused message is not a failure
// of the sender.
func breakerEvent(class gateway.Class, probe bool) breaker.Event {
	failed := class == gateway.SenderDown || class == gateway.Unknown
	switch {
	case failed && probe:
		return breaker.ProbeFailed
	case failed:
		return breaker.Failed
	case probe:
		return breaker.ProbeSucceeded
	}
	return breaker.Succeeded
}

// restoreBreaker returns a sender's circuit breaker in the state that the previous node has stored. A pause lasts at
// most its own length, whatever that node's clock was.
func restoreBreaker(p outbox.Pause, now time.Time) breaker.State {
	if latest := now.Add(p.Lasts); p.Until.After(latest) {
		p.Until = latest
	}
	return breaker.State{Pause: p.Lasts, Until: p.Until}
}
