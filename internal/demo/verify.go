package demo

import (
	"context"
	"errors"
	"net/http"

	"example.com/griot/internal/accesstoken"
)

// verified is a token that passed every check.
type verified struct {
	keyID, subject string
	claims         map[string]any
}

// verify checks a token by the service's published keys.
func (a *App) verify(ctx context.Context, raw, clientID string) (*verified, error) {
	token, err := accesstoken.Verify(raw, &accesstoken.Expected{Issuer: a.authURL, ClientID: clientID, Now: a.now(), KeySet: func() ([]byte, error) {
		status, body, err := a.call(ctx, http.MethodGet, "/.well-known/jwks.json", nil)
		if err == nil && status != http.StatusOK {
			err = accesstoken.ErrKeys
		}
		return body, err
	}})
	if refused, ok := errors.AsType[accesstoken.RefusedError](err); ok {
		return nil, &refusal{reason: "demo.reason_token", detail: string(refused)}
	}
	if err != nil {
		return nil, &refusal{reason: "demo.reason_unreachable", detail: "JWKS"}
	}
	v := &verified{keyID: token.KeyID, subject: token.Subject}
	return v, decode(token.Claims, &v.claims)
}
