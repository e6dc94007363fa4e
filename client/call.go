package griot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"example.com/griot/client/internal/wire"
)

// A call is one request to the service.
type call struct {
	method, path string
	query        query
	in           any    // the request body; nil: none
	key          string // the idempotency key, for errors
	once         bool   // not idempotent: the call is not repeated when its result is unknown
	gone         string // an error code that means that an earlier try succeeded
}

// A result is a type that a response is decoded into.
type result interface {
	set(requestID string, raw []byte)
}

// get sends a GET request and decodes the response.
func get[R any, P interface {
	*R
	result
}](ctx context.Context, c *Client, path string, q query,
) (*R, error) {
	return fetch[R, P](ctx, c, call{method: http.MethodGet, path: path, query: q})
}

// fetch makes a call and returns the decoded response.
func fetch[R any, P interface {
	*R
	result
}](ctx context.Context, c *Client, what call,
) (*R, error) {
	out := new(R)
	if err := c.do(ctx, what, P(out)); err != nil {
		return nil, err
	}
	return out, nil
}

// do makes the call, with its retries, and decodes the response into out.
func (c *Client) do(ctx context.Context, what call, out result) error {
	request := wire.Call{Method: what.method, Path: what.path + what.query.String(), Once: what.once}
	if what.in != nil {
		var err error
		if request.Body, err = json.Marshal(what.in); err != nil {
			return fmt.Errorf("griot: %w", err)
		}
	}
	err := c.wire.Do(ctx, request, func(a *wire.Answer) error {
		if a.Decode(out) {
			out.set(a.Header.Get("X-Request-Id"), a.Body)
			return nil
		}
		e := errorOf(a)
		if e.Code == what.gone && a.Try > 1 {
			return nil
		}
		return e
	})
	return unanswered(err, what.key)
}

// unanswered adds the idempotency key to err if err reports a call without a response.
func unanswered(err error, key string) error {
	var lost *wire.UnansweredError
	if errors.As(err, &lost) {
		return &UnansweredError{IdempotencyKey: key, Tries: lost.Tries, Err: lost.Err}
	}
	return err
}

// at returns a path that contains an id. It refuses an empty id, because the path would then name another endpoint.
func at(before, name, id, after string) (string, error) {
	if id == "" || id == "." || id == ".." {
		return "", &ArgumentError{name, name + " is empty, or none"}
	}
	return before + url.PathEscape(id) + after, nil
}

// A query contains the parameters of a URL. Empty parameters are left out.
type query url.Values

func (q query) text(name, value string) query {
	if value != "" {
		url.Values(q).Set(name, value)
	}
	return q
}

func (q query) number(name string, n int) query {
	if n != 0 {
		q.text(name, strconv.Itoa(n))
	}
	return q
}

func (q query) time(name string, t time.Time) query {
	if !t.IsZero() {
		q.text(name, t.UTC().Format(time.RFC3339Nano))
	}
	return q
}

// String returns the query with its question mark, or the empty string if there are no parameters.
func (q query) String() string {
	if len(q) == 0 {
		return ""
	}
	return "?" + url.Values(q).Encode()
}
