package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

const verifier = "a-code-verifier-of-the-benchmark-0123456789-0123456789"

// session is one login that the benchmark has started.
type session struct{ id, cookie, code string }

var noRedirects = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{MaxIdleConnsPerHost: 64},
}

// login starts a login of the TEST client, with or without OpenID Connect scopes. With them, it has the longest state.
func (g *griot) login(ctx context.Context, scope string) (*session, error) {
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{
		"client_id": {g.Clients.TestPublic.ClientID}, "redirect_uri": {g.Clients.TestPublic.RedirectURI}, "state": {"0123456789abcdef"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	if scope != "" {
		q.Set("scope", scope)
		q.Set("state", strings.Repeat("s", 2048))
	}
	h, _, err := g.call(ctx, http.MethodGet, g.AuthURL, "/authorize?"+q.Encode(), "", "")
	if err != nil {
		return nil, err
	}
	to, err := url.Parse(h.Get("Location"))
	if err != nil {
		return nil, err
	}
	return &session{id: to.Query().Get("loginKeyId"), cookie: firstCookie(h)}, nil
}

// firstCookie returns the name and the value of the first cookie that a response sets.
func firstCookie(h http.Header) string {
	cookie, _, _ := strings.Cut(h.Get("Set-Cookie"), ";")
	return cookie
}

// prove sends the words from a sandbox number and fetches the code.
func (g *griot) prove(ctx context.Context, s *session) error {
	if _, _, err := g.call(ctx, http.MethodPost, g.AuthURL, "/authorize/sandbox", s.cookie, `{"loginKeyId":"`+s.id+`","phoneE164":"22300000001"}`); err != nil {
		return err
	}
	_, body, err := g.call(ctx, http.MethodGet, g.AuthURL, "/authorize/status?loginKeyId="+s.id, s.cookie, "")
	if err != nil {
		return err
	}
	var status struct{ RedirectURL string }
	if err := json.Unmarshal(body, &status); err != nil {
		return err
	}
	back, err := url.Parse(status.RedirectURL)
	s.code = back.Query().Get("code")
	return err
}

// call sends a request to the service at base, as a page of that service does. A status of 400 or more is an error.
func (g *griot) call(ctx context.Context, method, base, path, cookie, body string) (http.Header, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, base+path, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Origin", base)
	if cookie != "" {
		req.Header.Set("Cookie", cookie)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := noRedirects.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s %s: %s %.200s", method, path, res.Status, b)
	}
	return res.Header, b, err
}

// logins starts n logins, in parallel.
func (g *griot) logins(ctx context.Context, n int, scope string, prove bool) ([]*session, error) {
	out := make([]*session, n)
	errs := make(chan error, n)
	var wg sync.WaitGroup
	slots := make(chan struct{}, 32)
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			s, err := g.login(ctx, scope)
			if err == nil && prove {
				err = g.prove(ctx, s)
			}
			if out[i] = s; err != nil {
				errs <- err
			}
		})
	}
	wg.Wait()
	select {
	case err := <-errs:
		return nil, err
	default:
		return out, nil
	}
}
