package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/griot/internal/id"
)

// The headers of Standard Webhooks.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
)

const secretPrefix = "whsec_"

// Bounds of a secret, in bytes (Standard Webhooks).
const (
	minSecret = 24
	maxSecret = 64
)

// errSecret is the error for an invalid secret. It doesn't contain the secret.
var errSecret = errors.New("webhook: a secret is whsec_ and 24 to 64 bytes in base64")

// NewSecret returns a random secret in the format for owners: whsec_ and base64.
func NewSecret() string { return WriteSecret([]byte(id.Token(24))) }

// WriteSecret returns a key of 24 to 64 bytes as a secret.
func WriteSecret(key []byte) string { return secretPrefix + base64.StdEncoding.EncodeToString(key) }

// ParseSecret returns the key in a secret.
func ParseSecret(secret string) ([]byte, error) {
	text, ok := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) < minSecret || len(key) > maxSecret {
		return nil, errSecret
	}
	return key, nil
}

// Sign sets the headers of a delivery at a time, with one signature for each key.
func Sign(h http.Header, keys [][]byte, eventID string, at time.Time, body []byte) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	var signatures []byte
	for i, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(eventID))
		mac.Write([]byte{'.'})
		mac.Write([]byte(stamp))
		mac.Write([]byte{'.'})
		mac.Write(body)
		if i > 0 {
			signatures = append(signatures, ' ')
		}
		signatures = append(signatures, "v1,"...)
		signatures = base64.StdEncoding.AppendEncode(signatures, mac.Sum(nil))
	}
	h[HeaderID], h[HeaderTimestamp], h[HeaderSignature] = []string{eventID}, []string{stamp}, []string{string(signatures)}
}
