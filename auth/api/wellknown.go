package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"griot/auth/oauth"
	"griot/internal/fault"
	"griot/internal/httpx"
)

const (
	documentAge = 300 * time.Second // of JWKS and metadata in caches
	pingTime    = 2 * time.Second
)

// prepare writes the documents that are the same for everyone.
func (a *API) prepare(openapi []byte) error {
	keys, err := json.Marshal(a.signer.JWKS())
	if err != nil {
		return err
	}
	metadata, err := json.Marshal(oauth.NewMetadata(a.own.URL))
	if err != nil {
		return err
	}
	a.jwks = httpx.NewDocument(httpx.TypeJSON, keys, documentAge)
	a.metadata = httpx.NewDocument(httpx.TypeJSON, metadata, documentAge)
	a.openapi = httpx.NewDocument("application/yaml", openapi, 0)
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
	if err := a.db.Ping(ctx); err != nil {
		e := fault.AuthStorageUnavailable.Because(err)
		e.RetryAfter = 5 * time.Second
		return e.With("status", "unavailable").With("service", serviceName)
	}
	return httpx.WriteJSON(w, http.StatusOK, healthOut{"ok", serviceName})
}
