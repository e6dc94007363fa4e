package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

const maxAnswer = 1 << 20

// tokenAnswer is the answer of /token. Nothing in it is used before the token is verified.
type tokenAnswer struct {
	AccessToken string         `json:"access_token"`
	Token       string         `json:"token"`
	Profile     map[string]any `json:"profile"`
}

func (t *tokenAnswer) token() string {
	if t.AccessToken != "" {
		return t.AccessToken
	}
	return t.Token
}

// exchange redeems the code.
func (a *App) exchange(ctx context.Context, c *Client, code, verifier string) (*tokenAnswer, error) {
	request := map[string]string{
		"grant_type": "authorization_code", "code": code, "client_id": c.ClientID, "code_verifier": verifier, "redirect_uri": c.RedirectURI,
	}
	if c.ClientSecret != "" {
		request["client_secret"] = c.ClientSecret
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	status, answer, err := a.call(ctx, http.MethodPost, "/token", body)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK && status != http.StatusCreated {
		return nil, tokenRefusal(answer)
	}
	var t tokenAnswer
	if err := decode(answer, &t); err != nil {
		return nil, err
	}
	return &t, nil
}

// tokenRefusal reads the service's Error body.
func tokenRefusal(body []byte) *refusal {
	var e struct {
		Error       string `json:"error"`
		Code        string `json:"error_code"`
		Description string `json:"error_description"`
	}
	_ = decode(body, &e) // a body that can't be read is a refusal too
	if e.Code == "" {
		e.Code = e.Error
	}
	return &refusal{reason: "demo.reason_exchange", code: e.Code, detail: e.Description}
}

// call sends a request to the authorization service. Its errors don't contain what was sent.
func (a *App) call(ctx context.Context, method, path string, body []byte) (status int, answer []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, method, a.authURL+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := a.http.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", path, err)
	}
	return response.StatusCode, answer, nil
}

// decode reads JSON and keeps its numbers as they are written.
func decode(body []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	return d.Decode(v)
}
