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

// Options are the options of the clients. See griot.Options.
type Options struct {
	HTTP      *http.Client
	Timeout   time.Duration
	Tries     int
	MaxWait   time.Duration
	UserAgent string
	Sleep     func(ctx context.Context, d time.Duration) error
}

// A Caller makes requests to one service. It is safe for concurrent use.
type Caller struct {
	base      string
	http      *http.Client
	o         Options
	authorize func(*http.Request) // a function, so that printing the caller does not print the credentials
}

// ErrBaseURL reports an invalid base URL.
var ErrBaseURL = errors.New("the base URL must be one such as https://api.example.com")

// New returns a caller of the service at baseURL. If authorize is not nil, it adds credentials to each request.
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

// A Call is a request that can be made more than once.
type Call struct {
	Method, Path string
	Header       http.Header // in addition to the headers of every request
	Body         []byte      // nil: none
	Once         bool        // not idempotent: the call is not repeated when its result is unknown
}

// An Answer is a response of a service.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Try    int // the number of the try, from 1
}

// RetryAfter returns the value of the Retry-After header, which Griot sends in whole seconds. Zero means that the
// header is missing or invalid.
func (a *Answer) RetryAfter() time.Duration {
	n, err := strconv.ParseInt(a.Header.Get("Retry-After"), 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(n) * time.Second
}

// Decode decodes a successful response into out and reports whether it could. The response must be a JSON object.
func (a *Answer) Decode(out any) bool {
	return a.Status/100 == 2 && bytes.HasPrefix(bytes.TrimLeft(a.Body, " \t\r\n"), []byte("{")) && json.Unmarshal(a.Body, out) == nil
}

// foreign reports whether the response is not from Griot, for example because a proxy sent it.
func (a *Answer) foreign() bool {
	var body struct {
		Code      string `json:"code"`
		ErrorCode string `json:"error_code"`
	}
	return json.Unmarshal(a.Body, &body) != nil || body.Code == "" && body.ErrorCode == ""
}

// attempt makes the call once and reads the whole response.
func (c *Caller) attempt(ctx context.Context, what Call) (*Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	res, err := c.request(ctx, what)
	if err != nil {
		return nil, err
	}
	return answerOf(res)
}

// answerOf reads a response to its end. A truncated response is an error.
func answerOf(res *http.Response) (*Answer, error) {
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	return &Answer{Status: res.StatusCode, Header: res.Header, Body: raw}, nil
}

// request makes the call once and returns as soon as the response starts.
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
		return nil, u.Err // without the URL, because queries contain phone numbers
	}
	return res, err
}
