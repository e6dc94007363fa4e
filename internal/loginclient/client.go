package loginclient

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
)

// Options configure a [Client].
type Options struct {
	Service     string // the login service's address, which is also its issuer
	RedirectURI string
	// Credentials returns the client's id and secret; an empty id: there is no client.
	Credentials func() (clientID, secret string)
	Now         clock.Now
}

// Client is a CONFIDENTIAL, LIVE client of a login service. It is safe for concurrent use.
type Client struct {
	o    Options
	http *http.Client
}

const (
	callTime    = 10 * time.Second
	maxAnswer   = 1 << 20
	randomBytes = 32 // of a state and of a verifier
)

// New returns a client.
func New(o Options) *Client {
	return &Client{o, &http.Client{Timeout: callTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Configured reports whether there is a client.
func (c *Client) Configured() bool {
	if c == nil {
		return false
	}
	clientID, _ := c.o.Credentials()
	return clientID != ""
}

// Attempt is a sign-in that has begun. It belongs to the browser that it began in.
type Attempt struct {
	State    string `json:"state"`
	Verifier string `json:"verifier"`
}

// Begin returns a new attempt, and where its browser goes. lang is the person's language.
func (c *Client) Begin(lang string) (Attempt, string) {
	clientID, _ := c.o.Credentials()
	a := Attempt{State: id.Token(randomBytes), Verifier: id.Token(randomBytes)}
	challenge := sha256.Sum256([]byte(a.Verifier))
	return a, c.o.Service + "/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {clientID}, "redirect_uri": {c.o.RedirectURI}, "state": {a.State},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}, "code_challenge_method": {"S256"}, "ui_locales": {lang},
	}.Encode()
}

// Person is who has signed in at the login service.
type Person struct {
	Issuer, Subject string
	Phone           string // with a plus
}

// RefusedError means that nobody has signed in. Its text is the check that failed.
type RefusedError string

func (r RefusedError) Error() string { return "loginclient: refused: " + string(r) }

// Finish exchanges the code that the login service has sent the browser back with, and verifies the token.
//
// Its error is [RefusedError] where nobody has signed in, and any other where the service can't be asked. No error has a
// code or a token in it.
func (c *Client) Finish(ctx context.Context, a Attempt, query url.Values) (*Person, error) {
	switch {
	case a.State == "" || !seal.Equal(query.Get("state"), a.State):
		return nil, RefusedError("state")
	case query.Get("iss") != c.o.Service: // RFC 9207
		return nil, RefusedError("iss")
	case query.Get("error") != "":
		return nil, RefusedError("error")
	case query.Get("code") == "":
		return nil, RefusedError("code")
	}
	raw, err := c.exchange(ctx, a, query.Get("code"))
	if err != nil {
		return nil, err
	}
	return c.verify(ctx, raw)
}

func (c *Client) exchange(ctx context.Context, a Attempt, code string) (token string, err error) {
	clientID, secret := c.o.Credentials()
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {clientID}, "client_secret": {secret}, "code_verifier": {a.Verifier}, "redirect_uri": {c.o.RedirectURI}}
	status, body, err := c.call(ctx, http.MethodPost, "/token", form)
	if err != nil {
		return "", err
	}
	if status >= http.StatusInternalServerError {
		return "", errors.New("loginclient: /token: " + http.StatusText(status))
	}
	var answer struct {
		Token string `json:"access_token"`
	}
	if status != http.StatusOK && status != http.StatusCreated || json.Unmarshal(body, &answer) != nil || answer.Token == "" {
		return "", RefusedError("token")
	}
	return answer.Token, nil
}

// call sends a request to the login service. Its errors don't contain what was sent.
func (c *Client) call(ctx context.Context, method, path string, form url.Values) (status int, answer []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, method, c.o.Service+path, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Accept", "application/json")
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := c.http.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	return res.StatusCode, answer, err
}
