package send

import (
	"math/rand/v2"
	"time"

	"griot/gateway"
	"griot/messaging/message"
)

// next is what is done after an attempt failed.
type next int

const (
	ask      next = iota // the same gateway again, at once, about the same reference
	wait                 // nobody knows: look again later, send nothing meanwhile
	requeue              // nothing was handed over: the same way again, later
	leave                // this way is over: take another, or else the message has failed
	fallback             // nobody knows, but a second copy does no harm: take another way
	giveUp               // nobody knows, and it is too late to find out
)

// verdict says what is done after an attempt failed, and after how long.
type verdict struct {
	do    next
	after time.Duration
}

const (
	repeats      = 2 // how often an unknown outcome is asked about again at once, where that is safe
	repeatAfter  = 200 * time.Millisecond
	unknownFirst = time.Second // then by Run, doubling
	unknownMost  = time.Minute
	jitter       = 0.2 // of a retry's delay, up or down
)

// situation is what a verdict depends on beside the message and the failure.
type situation struct {
	now          time.Time
	deduplicates bool          // the gateway delivers a reference once
	more         bool          // there is another way
	room         bool          // the lease has room for another attempt
	asked        int           // attempts under this claim
	unknownWait  time.Duration // how long a receipt may still decide
}

// judge decides what a failed attempt of m means. m is as it was before the
// attempt; its UnknownAt tells whether an earlier one may have handed it over.
func judge(m *message.Message, f *gateway.Error, s *situation) verdict {
	if !f.Class.HandedOver() && (m.UnknownAt.IsZero() || f.Class == gateway.Permanent || f.Class == gateway.Unreachable) {
		return judgeRefusal(m, f, s)
	}
	// It may have been handed over: now, or before, and then "not now" says nothing.
	switch {
	case m.Wish.Quick && s.more:
		return verdict{do: fallback}
	case !s.now.Before(m.ExpiresAt):
		return verdict{do: giveUp}
	case !s.deduplicates:
		return verdict{wait, s.unknownWait}
	case f.Class.HandedOver() && s.asked <= repeats && s.room:
		return verdict{ask, repeatAfter}
	}
	return verdict{wait, min(unknownFirst<<min(m.Attempt-1, 10), unknownMost)}
}

// judgeRefusal: nothing was handed over on this way.
func judgeRefusal(m *message.Message, f *gateway.Error, s *situation) verdict {
	if f.Class == gateway.Permanent || f.Class == gateway.Unreachable || m.Tries+1 >= m.Wish.Retry.Max {
		return verdict{do: leave}
	}
	after := max(retryDelay(m), f.RetryAfter)
	if !s.now.Add(after).Before(m.ExpiresAt) {
		return verdict{do: leave}
	}
	return verdict{requeue, after}
}

// retryDelay is the wished delay, doubled for each try that failed before, with jitter.
func retryDelay(m *message.Message) time.Duration {
	d := min(time.Duration(m.Wish.Retry.Delay)*time.Millisecond<<min(m.Tries, 16), message.MaxRetryDelay)
	return d + time.Duration((rand.Float64()*2-1)*jitter*float64(d))
}
