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

	"griot/gateway"
	"griot/gateway/internal/httpcall"
	"griot/internal/clock"
)

// tokens keeps the access token of OAuth's client_credentials grant (RFC 6749 §4.4).
type tokens struct {
	login  *oauthLogin
	client *httpcall.Client
	now    clock.Now
	asking chan struct{} // held while a token is asked for

	mu    sync.Mutex
	token string
	until time.Time
}

// mostToken bounds a token; bytes.
const mostToken = 4096

// early is how long before its end a token isn't used any more.
const early = time.Minute

var tokenPattern = regexp.MustCompile(`\A[A-Za-z0-9._~+/=-]+\z`) // RFC 6750 §2.1

// get returns a token that can be used, and whether it was kept from before.
func (t *tokens) get(ctx context.Context) (token string, kept bool, failure *gateway.Error) {
	if token = t.known(); token != "" {
		return token, true, nil
	}
	select {
	case t.asking <- struct{}{}:
		defer func() { <-t.asking }()
	case <-ctx.Done():
		return "", false, &gateway.Error{Class: gateway.Temporary, Code: httpcall.CodeTimeout, Err: ctx.Err()}
	}
	if token = t.known(); token != "" { // another has asked meanwhile
		return token, true, nil
	}
	token, failure = t.ask(ctx)
	return token, false, failure
}

func (t *tokens) known() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now().Before(t.until) {
		return t.token
	}
	return ""
}

// forget drops a token that the gateway has refused.
func (t *tokens) forget(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token == token {
		t.token = ""
	}
}

// ask asks for a token. Nothing is handed over by that, so that no failure is unknown.
func (t *tokens) ask(ctx context.Context) (string, *gateway.Error) {
	form := url.Values{"grant_type": {"client_credentials"}}
	if t.login.Scope != "" {
		form.Set("scope", t.login.Scope)
	}
	asked := t.now()
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
	token, _ := at(document, "access_token")
	if err != nil || len(token) > mostToken || !tokenPattern.MatchString(token) {
		return "", e
	}
	lasts, _ := at(document, "expires_in")
	seconds, err := strconv.ParseInt(lasts, 10, 32)
	if err != nil || seconds <= 0 {
		seconds = 300
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.token, t.until = token, asked.Add(max(duration(seconds)*second-early, second))
	return token, nil
}
