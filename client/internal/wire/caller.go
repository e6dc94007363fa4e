package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	defaultTimeout = 30 * time.Second
	defaultTries   = 4
	defaultMaxWait = 30 * time.Second
	defaultAgent   = "griot-go"

	maxAnswer = 16 << 20
)

// Options are those of the clients, which explain them.
type Options struct {
	HTTP      *http.Client
	Timeout   time.Duration
	Tries     int
	MaxWait   time.Duration
	UserAgent string
	Sleep     func(ctx context.Context, d time.Duration) error
}

// Caller makes the requests of one service. It is safe for concurrent use.
type Caller struct {
	base      string
	http      *http.Client
	o         Options
	authorize func(*http.Request) // holds the credentials, so that no one prints them by printing the caller
}

// ErrBaseURL is returned for an address that no service can have.
var ErrBaseURL = errors.New("the base URL must be one such as https://api.example.com")

// New returns a caller of the service at baseURL. authorize, if it is there, adds credentials to each request.
func New(baseURL string, o Options, authorize func(*http.Request)) (*Caller, error) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, ErrBaseURL
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
	return &Caller{base: strings.TrimRight(u.String(), "/"), http: h, o: o, authorize: authorize}, nil
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

// Call is one of a service's operations, which may be made more than once.
type Call struct {
	Method, Path string
	Header       http.Header // beside those that every request has
	Body         []byte      // nil: none
	Once         bool        // not idempotent: it is not repeated when its outcome is unknown
}

// Answer is what a service has answered.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Try    int // which try it answered, from 1
}

// RetryAfter is how long the service asks to be left alone, in whole seconds as a Griot says it; zero: it does not ask.
func (a *Answer) RetryAfter() time.Duration {
	n, err := strconv.ParseInt(a.Header.Get("Retry-After"), 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(n) * time.Second
}

// Decode reads an answer that says yes into out, and reports whether it could: the services answer with objects.
func (a *Answer) Decode(out any) bool {
	return a.Status/100 == 2 && bytes.HasPrefix(bytes.TrimLeft(a.Body, " \t\r\n"), []byte("{")) && json.Unmarshal(a.Body, out) == nil
}

// foreign reports whether the answer is not a Griot's: a proxy's page, for example.
func (a *Answer) foreign() bool {
	var body struct {
		Code      string `json:"code"`
		ErrorCode string `json:"error_code"`
	}
	return json.Unmarshal(a.Body, &body) != nil || body.Code == "" && body.ErrorCode == ""
}

// attempt makes the call once, and reads the whole answer.
func (c *Caller) attempt(ctx context.Context, what Call) (*Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	res, err := c.request(ctx, what)
	if err != nil {
		return nil, err
	}
	return answerOf(res)
}

// answerOf reads an answer to its end. A truncated one counts as none.
func answerOf(res *http.Response) (*Answer, error) {
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	return &Answer{Status: res.StatusCode, Header: res.Header, Body: raw}, nil
}

// request makes the call once, until its answer begins.
func (c *Caller) request(ctx context.Context, what Call) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, what.Method, c.base+what.Path, bytes.NewReader(what.Body))
	if err != nil {
		return nil, err
	}
	if what.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.o.UserAgent)
	if c.authorize != nil {
		c.authorize(req)
	}
	for name, values := range what.Header {
		req.Header[name] = values
	}
	res, err := c.http.Do(req)
	var u *url.Error
	if errors.As(err, &u) {
		return nil, u.Err // without the address: queries hold numbers
	}
	return res, err
}
