package remote

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// The headers of a signed request (docs/gateway-protocol.md §2).
const (
	HeaderKey       = "Griot-Key"
	HeaderTimestamp = "Griot-Timestamp"
	HeaderSignature = "Griot-Signature"
)

// HeaderFeatures lists the optional features of the protocol that we support. It is in each request and in each response
// to an event, so that a gateway doesn't send what an older Griot would refuse. It isn't signed.
const (
	HeaderFeatures = "Griot-Features"
	Features       = "ids"
)

// Window is the maximum difference between a request's time and ours, in both directions.
const Window = 5 * time.Minute

// Key is a secret that both sides share.
type Key struct {
	ID     string
	Secret string
}

// Errors of Check. They contain no part of the request.
var (
	ErrUnsigned  = errors.New("remote: the request has no valid signature headers")
	ErrKey       = errors.New("remote: the request's key is not known")
	ErrStale     = errors.New("remote: the request's time is too far from ours")
	ErrSignature = errors.New("remote: the request's signature is wrong")
)

// Sign adds the headers of a signed request to h. The target is the path below the base URL with its query, exactly
// as it is sent: "/send", "/groups?from=22376543210".
func (k Key) Sign(h http.Header, method, target string, body []byte, at time.Time) {
	timestamp := strconv.FormatInt(at.Unix(), 10)
	h.Set(HeaderKey, k.ID)
	h.Set(HeaderTimestamp, timestamp)
	h.Set(HeaderSignature, hex.EncodeToString(k.mac(method, target, timestamp, body)))
}

func (k Key) mac(method, target, timestamp string, body []byte) []byte {
	h := hmac.New(sha256.New, []byte(k.Secret))
	for _, line := range []string{"griot-v1", method, target, timestamp, k.ID} {
		_, _ = h.Write([]byte(line + "\n"))
	}
	_, _ = h.Write(body)
	return h.Sum(nil)
}

var (
	timestampPattern = regexp.MustCompile(`\A[1-9][0-9]{0,11}\z`)
	signaturePattern = regexp.MustCompile(`\A[0-9a-f]{64}\z`)
)

// Known returns the key that the headers name. It fails unless it is one of the keys and the time is within the
// [Window]. Both can be checked before the body is read.
func Known(keys []Key, h http.Header, now time.Time) (Key, error) {
	timestamp, signature := singleHeader(h, HeaderTimestamp), singleHeader(h, HeaderSignature)
	if !timestampPattern.MatchString(timestamp) || !signaturePattern.MatchString(signature) {
		return Key{}, ErrUnsigned
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return Key{}, ErrUnsigned
	}
	if away := now.Sub(time.Unix(seconds, 0)).Abs(); away > Window {
		return Key{}, ErrStale
	}
	id := singleHeader(h, HeaderKey)
	for _, k := range keys {
		if k.ID == id {
			return k, nil
		}
	}
	return Key{}, ErrKey
}

// Check returns nil if one of the keys signed the request, within the [Window] around now.
func Check(keys []Key, h http.Header, method, target string, body []byte, now time.Time) error {
	k, err := Known(keys, h, now)
	if err != nil {
		return err
	}
	given, err := hex.DecodeString(singleHeader(h, HeaderSignature))
	if err != nil || !hmac.Equal(given, k.mac(method, target, singleHeader(h, HeaderTimestamp), body)) {
		return ErrSignature
	}
	return nil
}

// singleHeader returns a header that occurs exactly once, or "".
func singleHeader(h http.Header, name string) string {
	if values := h.Values(name); len(values) == 1 {
		return values[0]
	}
	return ""
}
