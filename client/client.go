package griot

import (
	"context"
	"net/http"
	"strings"
	"time"

	"example.com/griot/client/internal/wire"
)

// Options configure a [Client]. The zero value is suitable for most uses.
type Options struct {
	// HTTP makes the requests. If it is nil, the client creates its own. Redirects are never followed, so that the
	// key is never sent to another address.
	HTTP *http.Client
	// Timeout is the maximum duration of one try. Zero means 30 seconds.
	Timeout time.Duration
	// Tries is the maximum number of tries for each call. Zero means 4, and 1 disables retries.
	Tries int
	// MaxWait is the longest pause between two tries. If the service asks for a longer pause, for example because the
	// daily quota is used up, the call returns its error immediately. Zero means 30 seconds.
	MaxWait time.Duration
	// UserAgent is the name of the application. The default is griot-go.
	UserAgent string
	// Sleep replaces the pause between two tries in tests. It must return early, with the context's error, when ctx ends.
	Sleep func(ctx context.Context, d time.Duration) error
}

// A Client calls one service with one API key. It is safe for concurrent use.
type Client struct {
	wire *wire.Caller
}

// New returns a client of the service at baseURL, such as https://api.example.com.
//
// It returns an [*ArgumentError] if the URL or the key is malformed.
func New(baseURL, key string, o Options) (*Client, error) {
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, &ArgumentError{"key", "the key is empty, or holds characters that no key has"}
	}
	caller, err := wire.New(baseURL, wire.Options(o), func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+key) })
	if err != nil {
		return nil, &ArgumentError{"baseUrl", err.Error()}
	}
	return &Client{caller}, nil
}

// An Answer contains the fields that every result has in addition to its own.
type Answer struct {
	RequestID string `json:"-"` // identifies the request; include it when you report a problem
	Raw       []byte `json:"-"` // the response body as received, including fields that this version of the client does not have
}

func (a *Answer) set(requestID string, raw []byte) { a.RequestID, a.Raw = requestID, raw }
