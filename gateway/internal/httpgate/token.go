package httpgate

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"sync"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/internal/clock"
)

// tokens caches the access token of OAuth's client_credentials grant (RFC 6749 §4.4).
type tokens struct {
	login      *oauthLogin
	client     *httpcall.Client
	now        clock.Now
	requesting chan struct{} // contains an element while a token is being requested

	mu    sync.Mutex
	token string
	until time.Time
}

// maxToken is the maximum length of a token, in bytes.
const maxToken = 4096

// expiryMargin is the time before its expiry at which a token is replaced.
const expiryMargin = time.Minute

var tokenPattern = regexp.MustCompile(`\A[A-Za-z0-9._~+/=-]+\z`) // RFC 6750 §2.1

// get returns a valid token, and whether it was cached.
func (t *tokens) get(ctx context.Context) (token string, cached bool, failure *gateway.Error) {
	if token = t.current(); token != "" {
		return token, true, nil
	}
	select {
	case t.requesting <- struct{}{}:
		defer func() { <-t.requesting }()
	case <-ctx.Done():
		return "", false, &gateway.Error{Class: gateway.Temporary, Code: httpcall.CodeTimeout, Err: ctx.Err()}
	}
	if token = t.current(); token != "" { // another call has requested one in the meantime
		return token, true, nil
	}
	token, failure = t.request(ctx)
	return token, false, failure
}

func (t *tokens) current() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now().Before(t.until) {
		return t.token
	}
	return ""
}

// forget removes a token that the gateway has refused.
func (t *tokens) forget(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token == token {
		t.token = ""
	}
}

// request requests a token. It does not submit a message, so an unknown outcome is temporary.
func (t *tokens) request(ctx context.Context) (string, *gateway.Error) {
	form := url.Values{"grant_type": {"client_credentials"}}
	if t.login.Scope != "" {
		form.Set("scope", t.login.Scope)
	}
	requested := t.now()
	answer, failure := t.client.Do(ctx, &httpcall.Request{
		Method: http.MethodPost, URL: t.login.URL, Body: []byte(form.Encode()),
		Header: http.Header{
			"Content-Type":  {"application/x-www-form-urlencoded"},
			"Accept":        {"application/json"},
			"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(t.login.ClientID)+":"+url.QueryEscape(t.login.ClientSecret)))},
		},
	})
	if failure != nil {
		if failure.Class.HandedOver() {
			failure.Class = gateway.Temporary
		}
		return "", failure
	}
	e := &gateway.Error{Class: gateway.Temporary, Code: "token_unavailable", ProviderCode: strconv.Itoa(answer.Status)}
	switch {
	case answer.Status == http.StatusBadRequest || answer.Status == http.StatusUnauthorized || answer.Status == http.StatusForbidden:
		e.Class, e.Code = gateway.SenderDown, "credentials_refused"
		return "", e
	case answer.Status == http.StatusTooManyRequests:
		e.Class, e.RetryAfter = gateway.RateLimited, httpcall.RetryAfter(answer.Header)
		return "", e
	case answer.Status != http.StatusOK:
		return "", e
	}
	document, err := decode(answer.Body)
	token, _ := textAt(document, "access_token")
	if err != nil || len(token) > maxToken || !tokenPattern.MatchString(token) {
		return "", e
	}
	lifetime, _ := textAt(document, "expires_in")
	seconds, err := strconv.ParseInt(lifetime, 10, 32)
	if err != nil || seconds <= 0 {
		seconds = 300
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.token, t.until = token, requested.Add(max(time.Duration(seconds)*time.Second-expiryMargin, time.Second))
	return token, nil
}
