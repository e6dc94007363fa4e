package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"griot/internal/seal"
)

const (
	answerTime = 30 * time.Second
	maxAnswer  = 32 << 20
)

// ErrNoServer is returned by [Client.Call] when nobody listens at the address.
var ErrNoServer = errors.New("admin: no server listens there")

// Client asks a running server.
type Client struct {
	url    string
	bearer string
	http   *http.Client
}

// NewClient returns a client of the internal listener at an http address of this
// machine: the key is shown to nobody else.
func NewClient(address string, key *seal.Key) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || !isLoopback(u.Hostname()) {
		return nil, errors.New("admin: the internal listener must be a loopback address")
	}
	return &Client{
		url: "http://" + u.Host, bearer: bearer(key),
		http: &http.Client{
			Transport:     &http.Transport{DisableKeepAlives: true}, // and never a proxy
			Timeout:       answerTime,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// Call has the server run a verb. An error that the server names is returned as its sentence.
func (c *Client) Call(ctx context.Context, verb string, in []byte) (json.RawMessage, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+Path+verb, bytes.NewReader(in))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", c.bearer)
	req.Header.Set("Content-Type", "application/json")
	res, err := c.http.Do(req)
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" && !op.Timeout() && ctx.Err() == nil {
		return nil, ErrNoServer
	}
	if err != nil {
		return nil, c.lost(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, c.lost(err)
	}
	var got struct {
		Result json.RawMessage `json:"result"`
		Error  string          `json:"error"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields() // other listeners have errors of other forms
	err = d.Decode(&got)
	switch {
	case err == nil && res.StatusCode == http.StatusOK && got.Result != nil:
		return got.Result, nil
	case err == nil && got.Error != "":
		return nil, errors.New(got.Error)
	}
	return nil, fmt.Errorf("what listens at %s is not a Griot of this version", c.url)
}

// lost: the request may have been obeyed.
func (c *Client) lost(err error) error {
	return fmt.Errorf("no answer from the server at %s, which may have obeyed nevertheless: %w", c.url, err)
}
