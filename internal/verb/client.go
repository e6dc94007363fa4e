package verb

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
)

const (
	timeout   = 30 * time.Second
	maxAnswer = 32 << 20
)

// ErrNoServer is returned by [Client.Call] when no program listens at the address.
var ErrNoServer = errors.New("admin: no server listens there")

// Client executes verbs in a running server.
type Client struct {
	url    string
	key    *seal.Key
	bearer string
	http   *http.Client
}

// NewClient returns a client of the internal listener at an http address of this
// machine. It refuses other addresses, so the key is sent to no other machine.
func NewClient(address string, key *seal.Key) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || !isLoopback(u.Hostname()) {
		return nil, errors.New("admin: the internal listener must be a loopback address")
	}
	return &Client{
		url: "http://" + u.Host, key: key, bearer: bearer(key),
		http: &http.Client{
			Transport:     &http.Transport{DisableKeepAlives: true}, // and never a proxy
			Timeout:       timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// Call executes a verb in the server. An error that the server reports is returned as its
// text.
//
// Errors: [ErrNoServer], [seal.WrongKeyError], [ServerError].
func (c *Client) Call(ctx context.Context, verb string, in []byte) (json.RawMessage, error) {
	if err := c.hello(ctx); err != nil {
		return nil, err
	}
	return c.post(ctx, Path+verb, c.bearer, in)
}

// hello checks that the server has the key, before the client's credential is sent.
func (c *Client) hello(ctx context.Context) error {
	nonce := id.Token(nonceBytes)
	body, err := json.Marshal(helloRequest{Nonce: nonce})
	if err != nil {
		return err
	}
	raw, err := c.post(ctx, helloPath, "", body)
	if err != nil {
		return err
	}
	var got helloResponse
	if err := json.Unmarshal(raw, &got); err != nil || !seal.Equal(got.Proof, proof(c.key, nonce)) {
		return &seal.WrongKeyError{Configured: c.key.Name(), Used: c.otherName(got.Key)}
	}
	return nil
}

// otherName returns the name of the server's key, or "" if name is invalid or the client's own, because it then
// comes from another program.
func (c *Client) otherName(name string) string {
	if _, err := base64.RawURLEncoding.DecodeString(name); err != nil || name == c.key.Name() || len(name) != len(c.key.Name()) {
		return ""
	}
	return name
}

func (c *Client) post(ctx context.Context, path, bearer string, in []byte) (json.RawMessage, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, bytes.NewReader(in))
	if err != nil {
		return nil, err
	}
	if bearer != "" {
		req.Header.Set("Authorization", bearer)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := c.http.Do(req)
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" && !op.Timeout() && ctx.Err() == nil {
		return nil, ErrNoServer
	}
	if err != nil {
		return nil, c.noAnswer(bearer, err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, c.noAnswer(bearer, err)
	}
	var got struct {
		Result json.RawMessage `json:"result"`
		Error  string          `json:"error"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields() // other listeners have errors in other formats
	err = d.Decode(&got)
	switch {
	case err == nil && res.StatusCode == http.StatusOK && got.Result != nil:
		return got.Result, nil
	case err == nil && got.Error != "":
		return nil, ServerError(got.Error)
	}
	return nil, fmt.Errorf("the program at %s isn't a Griot of this version", c.url)
}

// A ServerError is an error that the server responded with, as a sentence for the operator.
type ServerError string

func (e ServerError) Error() string { return string(e) }

// noAnswer returns an error which states that the verb might have been executed. Without a bearer, only the hello
// was sent, which changes nothing.
func (c *Client) noAnswer(bearer string, err error) error {
	if bearer == "" {
		return fmt.Errorf("no response from the server at %s: %w", c.url, err)
	}
	return fmt.Errorf("no response from the server at %s, which might have run the command: %w", c.url, err)
}
