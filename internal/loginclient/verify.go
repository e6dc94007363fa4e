package loginclient

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"example.com/griot/internal/accesstoken"
)

const (
	liveMode = "LIVE"
	whatsApp = "whatsapp"
)

// claims are what a token says beside the registered claims.
type claims struct {
	Mode     string `json:"mode"`
	Provider string `json:"provider"`
	Phone    string `json:"phone_number"`
	Verified bool   `json:"phone_number_verified"`
}

// verify checks a token, and that its person has proved a real number on WhatsApp.
func (c *Client) verify(ctx context.Context, raw string) (*Person, error) {
	clientID, _ := c.o.Credentials()
	token, err := accesstoken.Verify(raw, &accesstoken.Expected{Issuer: c.o.Service, ClientID: clientID, Now: c.o.Now(), KeySet: func() ([]byte, error) {
		status, body, err := c.call(ctx, http.MethodGet, "/.well-known/jwks.json", nil)
		if err == nil && status != http.StatusOK {
			err = accesstoken.ErrKeys
		}
		return body, err
	}})
	if refused, ok := errors.AsType[accesstoken.RefusedError](err); ok {
		return nil, RefusedError(refused)
	}
	if err != nil {
		return nil, err
	}
	var own claims
	switch err := json.Unmarshal(token.Claims, &own); {
	case err != nil:
		return nil, RefusedError("claims")
	case own.Mode != liveMode:
		return nil, RefusedError("mode")
	case own.Provider != whatsApp:
		return nil, RefusedError("provider")
	case own.Phone == "" || !own.Verified:
		return nil, RefusedError("phone_number")
	}
	return &Person{Issuer: c.o.Service, Subject: token.Subject, Phone: own.Phone}, nil
}
