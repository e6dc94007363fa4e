package griot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

const (
	maxAnswer  = 16 << 20
	firstPause = 250 * time.Millisecond
)

// call is one of the service's operations, which may be made more than once.
type call struct {
	method, path string
	in           any    // the body; nil: none
	key          string // the idempotency key, for errors
	once         bool   // not idempotent: it is not repeated when its outcome is unknown
}

// result is what an answer is decoded into.
type result interface {
	set(requestID string, raw []byte)
}

// do makes the call until it is answered, and reads the answer into out.
func (c *Client) do(ctx context.Context, what call, out result) error {
	var body []byte
	if what.in != nil {
		var err error
		if body, err = json.Marshal(what.in); err != nil {
			return fmt.Errorf("client: %w", err)
		}
	}
	for try := 1; ; try++ {
		err := c.attempt(ctx, what, body, out)
		if err == nil {
			return nil
		}
		pause, shouldRetry := c.shouldRetry(what, err, try)
		if ctx.Err() == nil && shouldRetry {
			if c.o.Sleep(ctx, pause) == nil {
				continue
			}
			err = errors.Join(ctx.Err(), err)
		}
		if _, answered := as[*Error](err); answered {
			return err
		}
		return &UnansweredError{IdempotencyKey: what.key, Tries: try, Err: err}
	}
}

// shouldRetry reports whether a failed attempt is to be repeated, and after which pause. Calls whose effect may be unknown
// have an idempotency key, so that the effect happens once.
func (c *Client) shouldRetry(what call, err error, try int) (pause time.Duration, ok bool) {
	if try >= c.o.Tries {
		return 0, false
	}
	e, answered := as[*Error](err)
	pause = backoff(try, c.o.MaxWait)
	switch {
	case !answered:
		return pause, !what.once
	case e.HTTPStatus == http.StatusTooManyRequests && e.RetryAfter > 0, e.HTTPStatus == http.StatusServiceUnavailable:
		return max(pause, e.RetryAfter), e.RetryAfter <= c.o.MaxWait
	case what.once:
	case e.Code == CodeUnexpected && (e.HTTPStatus == http.StatusBadGateway || e.HTTPStatus == http.StatusGatewayTimeout): // of a proxy that could not reach the service
		return pause, true
	}
	return 0, false
}

// backoff doubles with each attempt, up to limit. Half of it is random, so that clients that failed together do not come
// back together.
func backoff(try int, limit time.Duration) time.Duration {
	d := min(firstPause<<min(try-1, 16), limit)
	return d/2 + rand.N(d/2+1)
}

// attempt makes the call once.
func (c *Client) attempt(ctx context.Context, what call, body []byte, out result) error {
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, what.method, c.base+what.path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.o.UserAgent)
	c.authorize(req)
	res, err := c.http.Do(req)
	if err != nil {
		if u, ok := as[*url.Error](err); ok {
			return u.Err // without the address: queries hold numbers
		}
		return err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return err // a truncated answer counts as none
	}
	if res.StatusCode/100 != 2 {
		return errorOf(res.StatusCode, res.Header, raw)
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return errorOf(res.StatusCode, res.Header, raw)
	}
	out.set(res.Header.Get("X-Request-Id"), raw)
	return nil
}
