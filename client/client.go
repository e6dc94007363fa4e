package griot

import (
	"context"
	"net/http"
	"strings"
	"time"

	"example.com/griot/client/internal/wire"
)

// Options change how a [Client] works; the zero value is good for most.
type Options struct {
	// HTTP makes the requests; nil: a client of its own. Redirects are never
	// followed, so that the key goes to no other address.
	HTTP *http.Client
	// Timeout is how long one try may take. Zero: 30 seconds.
	Timeout time.Duration
	// Tries is how often a call is made at most. Zero: 4; one never tries again.
	Tries int
	// MaxWait is the longest pause between two tries. A service that asks for a longer
	// one (a day's quota is used up) is not waited for: its error is returned. Zero: 30 seconds.
	MaxWait time.Duration
	// UserAgent names the application. Empty: griot-go.
	UserAgent string
	// Sleep waits between two tries; for tests. It returns early, with the context's
	// error, when ctx ends.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Client calls one service with one key. It is safe for concurrent use.
type Client struct {
	wire *wire.Caller
}

// New returns a client of the service at baseURL, such as https://api.example.com.
//
// An [*ArgumentError] says that the address or the key cannot be one.
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

// Answer is what every result has beside its members.
type Answer struct {
	RequestID string `json:"-"` // names the exchange; quote it when you report a problem
	Raw       []byte `json:"-"` // the body as it came, with what may be newer than this client
}

func (a *Answer) set(requestID string, raw []byte) { a.RequestID, a.Raw = requestID, raw }
