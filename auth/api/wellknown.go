package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"example.com/griot/auth/oauth"
	"example.com/griot/auth/token"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
)

const (
	documentAge = token.JWKSMaxAge // cache lifetime of the JWKS and the metadata
	pingTime    = 2 * time.Second
)

// prepareDocuments encodes the metadata and, for its first request, the OpenAPI document once, because they are the same
// for every request.
func (a *API) prepareDocuments(openapi []byte) error {
	metadata, err := json.Marshal(oauth.NewMetadata(a.own.URL))
	if err != nil {
		return err
	}
	a.metadata = httpx.NewDocument(httpx.TypeJSON, metadata, documentAge)
	openID, err := json.Marshal(oauth.NewOpenIDMetadata(a.own.URL))
	if err != nil {
		return err
	}
	a.openID = httpx.NewDocument(httpx.TypeJSON, openID, documentAge)
	document := sync.OnceValue(func() *httpx.Document { return httpx.NewDocument("application/yaml", a.withStateMax(openapi), 0) })
	a.openapi = func(w http.ResponseWriter, r *http.Request) { document().ServeHTTP(w, r) }
	return nil
}

// withStateMax writes the longest state into the OpenAPI document.
func (a *API) withStateMax(openapi []byte) []byte {
	const bounds = "must have 16 to %d characters."
	return bytes.Replace(openapi, fmt.Appendf(nil, bounds, maxState), fmt.Appendf(nil, bounds, a.stateMax), 1)
}

// jwksDocument is an encoded JWKS.
type jwksDocument struct {
	jwks *token.JWKS
	*httpx.Document
}

// keys serves the JWKS. It encodes the document again after the keys have changed.
func (a *API) keys(w http.ResponseWriter, r *http.Request) error {
	d := a.jwks.Load()
	if now := a.signer.JWKS(); d == nil || d.jwks != now {
		body, err := json.Marshal(now)
		if err != nil {
			return err
		}
		d = &jwksDocument{now, httpx.NewDocument(httpx.TypeJSON, body, documentAge)}
		a.jwks.Store(d)
	}
	d.ServeHTTP(w, r)
	return nil
}

type healthOut struct {
	Status  string `json:"status"`
	Service string `json:"service"`
}

const serviceName = "svc-auth"

func (a *API) health(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), pingTime)
	defer cancel()
	if err := a.ping(ctx); err != nil {
		e := apierror.AuthStorageUnavailable.Because(err)
		e.RetryAfter = 5 * time.Second
		return e.With("status", "unavailable").With("service", serviceName)
	}
	return httpx.WriteJSON(w, http.StatusOK, healthOut{"ok", serviceName})
}
