package griot

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
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

const (
	defaultTimeout = 30 * time.Second
	defaultTries   = 4
	defaultMaxWait = 30 * time.Second
	defaultAgent   = "griot-go"
)

// Client calls one service with one key. It is safe for concurrent use.
type Client struct {
	base      string
	http      *http.Client
	o         Options
	authorize func(*http.Request) // holds the key, so that no one prints it by printing the client
}

// New returns a client of the service at baseURL, such as https://api.example.com.
//
// An error says that the address or the key cannot be one.
func New(baseURL, key string, o Options) (*Client, error) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("client: the base URL must be one such as https://api.example.com")
	}
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("client: the key is empty, or holds characters that no key has")
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Tries <= 0 {
		o.Tries = defaultTries
	}
	if o.MaxWait <= 0 {
		o.MaxWait = defaultMaxWait
	}
	if o.UserAgent == "" {
		o.UserAgent = defaultAgent
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	h := &http.Client{}
	if o.HTTP != nil {
		*h = *o.HTTP
	}
	h.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{
		base: strings.TrimRight(u.String(), "/"), http: h, o: o,
		authorize: func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+key) },
	}, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Answer is what every result has beside its members.
type Answer struct {
	RequestID string `json:"-"` // names the exchange; quote it when you report a problem
	Raw       []byte `json:"-"` // the body as it came, with what may be newer than this client
}

func (a *Answer) set(requestID string, raw []byte) { a.RequestID, a.Raw = requestID, raw }
