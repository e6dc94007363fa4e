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

// Options change how a [Verifier] works; the zero value is good for most.
type Options struct {
	Tolerance time.Duration    // how far an event's time may be from now; zero: five minutes
	Now       func() time.Time // nil: the machine's clock
}

// Verifier knows the secrets of an endpoint. It is safe for concurrent use.
type Verifier struct {
	keys [][]byte // a slice of its own type would be printed
	o    Options
}

// New returns a verifier for an endpoint's secret, or several while it is being replaced: those that are empty are left out.
// The error is [ErrSecret].
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

// String hides the secrets from whoever prints a verifier.
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

// Verify returns nil when the headers sign the body, which is the request's as it came, and were made a short time ago.
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

// signature returns what signs a body.
func signature(key []byte, id, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Sign sets the headers that sign a body, as a Griot does: for tests of an endpoint, and for passing on what
// griot.Client.Listen brings. A second call with another secret adds a signature. The error is [ErrSecret].
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
