package wire

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

const firstPause = 250 * time.Millisecond

// An UnansweredError reports a call that got no response.
type UnansweredError struct {
	Tries int
	Err   error
}

func (e *UnansweredError) Error() string {
	return fmt.Sprintf("no answer after %d tries: %v", e.Tries, e.Err)
}

// Unwrap returns the error of the last try.
func (e *UnansweredError) Unwrap() error { return e.Err }

// Do makes the call, with its retries, passes the response to read, and returns read's error. It returns an
// [*UnansweredError] if there is no response.
func (c *Caller) Do(ctx context.Context, what Call, read func(*Answer) error) error {
	return c.repeat(ctx, what, func(try int) (*Answer, error) {
		answer, err := c.attempt(ctx, what)
		if err != nil {
			return nil, err
		}
		answer.Try = try
		return answer, read(answer)
	})
}

// Open makes the call until its response starts. It is for responses that are long or never end. The caller must
// close the body. If the service responds with an error, Open passes the response to refuse and returns refuse's
// error.
func (c *Caller) Open(ctx context.Context, what Call, refuse func(*Answer) error) (res *http.Response, err error) {
	err = c.repeat(ctx, what, func(try int) (*Answer, error) {
		attempt, cancel := context.WithCancelCause(ctx)
		silence := time.AfterFunc(c.o.Timeout, func() { cancel(context.DeadlineExceeded) })
		begun, err := c.request(attempt, what)
		if err == nil && begun.StatusCode/100 == 2 && silence.Stop() {
			begun.Body = &body{begun.Body, cancel}
			res = begun
			return nil, nil
		}
		defer cancel(nil)
		var answer *Answer
		if err == nil {
			answer, err = answerOf(begun)
		}
		if cause := context.Cause(attempt); cause != nil {
			err = cause
		}
		if err != nil {
			return nil, err
		}
		answer.Try = try
		return answer, refuse(answer)
	})
	return res, err
}

// repeat makes attempts until one succeeds or a retry is useless. An attempt returns the response that its error is
// about, or nil if there was none.
func (c *Caller) repeat(ctx context.Context, what Call, attempt func(try int) (*Answer, error)) error {
	for try := 1; ; try++ {
		answer, err := attempt(try)
		if err == nil {
			return nil
		}
		pause, again := c.shouldRetry(what, answer, try)
		if again && ctx.Err() == nil {
			if c.o.Sleep(ctx, pause) == nil {
				continue
			}
			err = errors.Join(ctx.Err(), err)
		}
		if answer != nil {
			return err
		}
		return &UnansweredError{Tries: try, Err: err}
	}
}

// shouldRetry reports whether a failed attempt is repeated, and after which pause. Calls that might have had an
// effect carry an idempotency key, so that the effect happens once.
func (c *Caller) shouldRetry(what Call, answer *Answer, try int) (pause time.Duration, ok bool) {
	if try >= c.o.Tries {
		return 0, false
	}
	pause = Backoff(try, c.o.MaxWait)
	if answer == nil {
		return pause, !what.Once
	}
	after := answer.RetryAfter()
	switch {
	case answer.Status == http.StatusTooManyRequests && after > 0, answer.Status == http.StatusServiceUnavailable:
		return max(pause, after), after <= c.o.MaxWait
	case what.Once:
	case (answer.Status == http.StatusBadGateway || answer.Status == http.StatusGatewayTimeout) && answer.foreign(): // a proxy could not reach the service
		return pause, true
	}
	return 0, false
}

// Backoff returns a pause that doubles with each attempt, up to limit. Half of it is random, so that clients that
// failed at the same time do not retry at the same time.
func Backoff(try int, limit time.Duration) time.Duration {
	d := min(firstPause<<min(try-1, 16), limit)
	return d/2 + rand.N(d/2+1)
}

// Pause waits as long as between two tries of a call.
func (c *Caller) Pause(ctx context.Context, try int) error {
	return c.o.Sleep(ctx, Backoff(try, c.o.MaxWait))
}
