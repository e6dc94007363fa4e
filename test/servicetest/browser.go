package servicetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
)

// SignIn is the browser of a person who signs in to a TEST client in the sandbox, by a number such as 22300000001: from the
// address that the application sends it to, until the one that it is sent back to, which it returns. A person whom the
// application has not asked for is sent back with an error.
func SignIn(ctx context.Context, authorizeURL, number string) (back *url.URL, err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	b := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := send(ctx, b, http.MethodGet, authorizeURL, nil, nil)
	if err != nil {
		return nil, err
	}
	waiting, err := res.Location()
	if err != nil {
		return nil, fmt.Errorf("/authorize: %s, %w", res.Status, err)
	}
	loginID := waiting.Query().Get("loginKeyId")
	service := waiting.Scheme + "://" + waiting.Host
	proof := map[string]string{"loginKeyId": loginID, "phoneE164": number}
	_, refused := send(ctx, b, http.MethodPost, service+"/authorize/sandbox", proof, nil)
	var status struct {
		RedirectURL string `json:"redirectUrl"`
	}
	if _, err := send(ctx, b, http.MethodGet, service+"/authorize/status?loginKeyId="+loginID, nil, &status); err != nil {
		return nil, errors.Join(refused, err)
	}
	if status.RedirectURL == "" {
		return nil, errors.Join(refused, errors.New("the login has not ended"))
	}
	return url.Parse(status.RedirectURL)
}

// send makes a request as one of the service's own pages does, and reads the answer into out.
func send(ctx context.Context, b *http.Client, method, address string, in, out any) (*http.Response, error) {
	body := &bytes.Buffer{}
	if in != nil {
		if err := json.NewEncoder(body).Encode(in); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Origin", req.URL.Scheme+"://"+req.URL.Host)
	}
	res, err := b.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if out != nil {
		err = json.NewDecoder(res.Body).Decode(out)
	}
	if res.StatusCode >= http.StatusBadRequest {
		err = errors.Join(err, fmt.Errorf("%s %s: %s", method, req.URL.Path, res.Status))
	}
	return res, err
}
