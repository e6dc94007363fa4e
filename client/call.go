package client

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
	key          string // the idempotency key, for whom it may concern
	counts       bool   // each time that it is heard counts: it is not made again when nobody knows whether it was
}

// result is what an answer is read into.
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
		err := c.try(ctx, what, body, out)
		if err == nil {
			return nil
		}
		pause, again := c.again(what, err, try)
		if ctx.Err() == nil && again {
			if c.o.Sleep(ctx, pause) == nil {
				continue
			}
			err = errors.Join(ctx.Err(), err)
		}
		if _, answered := errors.AsType[*Error](err); answered {
			return err
		}
		return &UnansweredError{IdempotencyKey: what.key, Tries: try, Err: err}
	}
}

// again says whether a try that failed is to be repeated, and after which pause.
// Whatever had an effect without our knowledge has a key that keeps it from having another.
func (c *Client) again(what call, err error, try int) (pause time.Duration, ok bool) {
	if try >= c.o.Tries {
		return 0, false
	}
	e, answered := errors.AsType[*Error](err)
	pause = backoff(try, c.o.MaxWait)
	switch {
	case !answered:
		return pause, !what.counts
	case e.HTTPStatus == http.StatusTooManyRequests && e.RetryAfter > 0, e.HTTPStatus == http.StatusServiceUnavailable:
		return max(pause, e.RetryAfter), e.RetryAfter <= c.o.MaxWait
	case what.counts:
	case e.Code == CodeUnexpected && (e.HTTPStatus == http.StatusBadGateway || e.HTTPStatus == http.StatusGatewayTimeout): // of a proxy that lost us
		return pause, true
	}
	return 0, false
}

// backoff doubles with each try, up to most; half of it is chance, so that those who failed together don't come back together.
func backoff(try int, most time.Duration) time.Duration {
	d := min(firstPause<<min(try-1, 16), most)
	return d/2 + rand.N(d/2+1)
}

// try makes the call once.
func (c *Client) try(ctx context.Context, what call, body []byte, out result) error {
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
		if u, ok := errors.AsType[*url.Error](err); ok {
			return u.Err // without the address: queries hold numbers
		}
		return err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return err // cut off in the middle: as if it had not come
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
