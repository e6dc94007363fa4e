package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	headerID        = "Webhook-Id"
	headerTimestamp = "Webhook-Timestamp"
	headerSignature = "Webhook-Signature"

	prefix           = "whsec_"
	defaultTolerance = 5 * time.Minute
)

// Options configure a [Verifier]. The zero value is suitable for most uses.
type Options struct {
	Tolerance time.Duration    // maximum difference between an event's timestamp and now; zero: five minutes
	Now       func() time.Time // nil: [time.Now]
}

// A Verifier verifies events with the secrets of an endpoint. It is safe for concurrent use.
type Verifier struct {
	keys [][]byte // with a defined slice type, printing the verifier would print the keys
	o    Options
}

// New returns a verifier for the secret of an endpoint, or for several while the secret is being replaced. It skips
// empty secrets. The error is [ErrSecret].
func New(o Options, secrets ...string) (*Verifier, error) {
	if o.Tolerance <= 0 {
		o.Tolerance = defaultTolerance
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	v := &Verifier{o: o}
	for _, secret := range secrets {
		if secret == "" {
			continue
		}
		key, err := keyOf(secret)
		if err != nil {
			return nil, err
		}
		v.keys = append(v.keys, key)
	}
	if len(v.keys) == 0 {
		return nil, ErrSecret
	}
	return v, nil
}

// String keeps the secrets out of printed verifiers.
func (v *Verifier) String() string { return "webhook.Verifier" }

// GoString implements [fmt.GoStringer].
func (v *Verifier) GoString() string { return v.String() }

func keyOf(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, prefix))
	if err != nil || len(key) == 0 {
		return nil, ErrSecret
	}
	return key, nil
}

// Verify returns nil if the headers contain a valid signature of the body and a recent timestamp. The body must be
// exactly as received.
func (v *Verifier) Verify(h http.Header, body []byte) error {
	id, stamp, signatures := h.Get(headerID), h.Get(headerTimestamp), strings.Fields(strings.Join(h.Values(headerSignature), " "))
	if id == "" || stamp == "" || len(signatures) == 0 {
		return ErrHeader
	}
	seconds, err := strconv.ParseUint(stamp, 10, 40)
	if err != nil {
		return ErrTimestamp
	}
	if v.o.Now().Sub(time.Unix(int64(seconds), 0)).Abs() > v.o.Tolerance {
		return ErrSkew
	}
	for _, key := range v.keys {
		want := []byte(signature(key, id, stamp, body))
		for _, got := range signatures {
			if hmac.Equal([]byte(got), want) {
				return nil
			}
		}
	}
	return ErrSignature
}

// signature returns the signature of a body.
func signature(key []byte, id, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Sign sets the headers that sign a body, as Griot does. Use it to test an endpoint, or to forward events of
// griot.Client.Listen. A second call with another secret adds a signature. The error is [ErrSecret].
func Sign(h http.Header, secret, eventID string, at time.Time, body []byte) error {
	key, err := keyOf(secret)
	if err != nil {
		return err
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	h.Set(headerID, eventID)
	h.Set(headerTimestamp, stamp)
	h.Set(headerSignature, strings.TrimSpace(h.Get(headerSignature)+" "+signature(key, eventID, stamp, body)))
	return nil
}
