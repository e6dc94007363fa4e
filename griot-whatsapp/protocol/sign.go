package protocol

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Key is a key that signs requests.
type Key struct {
	ID     string
	Secret string
}

const (
	headerKey       = "Griot-Key"
	headerTimestamp = "Griot-Timestamp"
	headerSignature = "Griot-Signature"

	// HeaderFeatures lists Griot's optional features, in its requests and in its responses to events.
	HeaderFeatures = "Griot-Features"
	// FeatureIDs is the feature of a Griot that accepts messages from people whose number is unknown.
	FeatureIDs = "ids"

	clockSkew = 300 * time.Second
)

// ErrSignature reports that a request is not from Griot.
var ErrSignature = errors.New("the signature is refused")

func (k Key) mac(method, target, timestamp string, body []byte) []byte {
	h := hmac.New(sha256.New, []byte(k.Secret))
	_, _ = fmt.Fprintf(h, "griot-v1\n%s\n%s\n%s\n%s\n", method, target, timestamp, k.ID)
	h.Write(body)
	return h.Sum(nil)
}

// HasFeature reports whether Griot has named a feature in the headers of a request or a response.
func HasFeature(h http.Header, name string) bool {
	for value := range strings.SplitSeq(strings.Join(h.Values(HeaderFeatures), ","), ",") {
		if strings.TrimSpace(value) == name {
			return true
		}
	}
	return false
}

// Sign signs a request. The target is the path below the configured base URL.
func (k Key) Sign(r *http.Request, target string, body []byte, now time.Time) {
	timestamp := strconv.FormatInt(now.Unix(), 10)
	r.Header.Set(headerKey, k.ID)
	r.Header.Set(headerTimestamp, timestamp)
	r.Header.Set(headerSignature, hex.EncodeToString(k.mac(r.Method, target, timestamp, body)))
}

// Known returns the key that a request names. It needs only the headers, so it can run before the body is read.
func Known(keys []Key, h http.Header, now time.Time) (Key, error) {
	for _, name := range []string{headerKey, headerTimestamp, headerSignature} {
		if len(h.Values(name)) != 1 {
			return Key{}, ErrSignature
		}
	}
	seconds, err := strconv.ParseInt(h.Get(headerTimestamp), 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > clockSkew {
		return Key{}, ErrSignature
	}
	for _, k := range keys {
		if k.ID == h.Get(headerKey) {
			return k, nil
		}
	}
	return Key{}, ErrSignature
}

// Verify checks a request's signature of its body.
func (k Key) Verify(r *http.Request, body []byte) error {
	given, err := hex.DecodeString(r.Header.Get(headerSignature))
	if err != nil || !hmac.Equal(given, k.mac(r.Method, r.RequestURI, r.Header.Get(headerTimestamp), body)) {
		return ErrSignature
	}
	return nil
}
