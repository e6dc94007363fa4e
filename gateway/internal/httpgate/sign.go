package httpgate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"griot/gateway/internal/setting"
)

func (a *auth) prepareECDSA(where string) (err error) {
	if a.PublicKey, err = setting.Secret(where+".public_key", a.PublicKey, a.PublicKeyFile, true); err != nil {
		return err
	}
	if a.Header == "" {
		return fmt.Errorf("settings: %s: ecdsa needs header", where)
	}
	der, err := base64.StdEncoding.DecodeString(a.PublicKey)
	if err == nil {
		var key any
		key, err = x509.ParsePKIXPublicKey(der)
		a.key, _ = key.(*ecdsa.PublicKey)
	}
	if err != nil || a.key == nil || a.key.Curve != elliptic.P256() {
		return fmt.Errorf("settings: %s.public_key must be a key of the curve P-256, in base64 and without the lines of PEM", where)
	}
	return nil
}

// genuine judges a signature over the raw body, or over what the body says that is signed.
func (a *auth) genuine(r *http.Request, body []byte, now time.Time) bool {
	switch a.Kind {
	case byHMAC:
		signature, ok := strings.CutPrefix(r.Header.Get(a.Header), a.Prefix)
		return ok && a.isMAC(signature, body)
	case byECDSA:
		return a.isSigned(r, body, now)
	case byBodyHMAC:
		return a.signsItself(body, now)
	}
	return true
}

func (a *auth) isMAC(signature string, content []byte) bool {
	given, err := hex.DecodeString(signature)
	if a.Encoding == "base64" {
		given, err = base64.StdEncoding.DecodeString(signature)
	}
	h := hmac.New(a.hash(), []byte(a.Secret))
	_, _ = h.Write(content)
	return err == nil && hmac.Equal(given, h.Sum(nil))
}

// isSigned judges a signature of ECDSA with SHA-256, in ASN.1 and base64, over the time and the raw body.
func (a *auth) isSigned(r *http.Request, body []byte, now time.Time) bool {
	encoded, ok := strings.CutPrefix(r.Header.Get(a.Header), a.Prefix)
	signature, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil {
		return false
	}
	h := sha256.New()
	if a.TimeHeader != "" {
		stamp := r.Header.Get(a.TimeHeader)
		if !a.fresh(stamp, now) {
			return false
		}
		_, _ = h.Write([]byte(stamp))
	}
	_, _ = h.Write(body)
	return ecdsa.VerifyASN1(a.key, h.Sum(nil), signature)
}

// signsItself judges a signature that stands in the document, over other texts of it. No more of the document is read than
// is needed for that: see [pick].
func (a *auth) signsItself(body []byte, now time.Time) bool {
	found, ok := pick(body, append([]string{a.Signature, a.Time}, a.Signed...)...)
	if !ok {
		return false
	}
	if a.Time != "" && !a.fresh(found[1], now) {
		return false
	}
	return a.isMAC(found[0], []byte(strings.Join(found[2:], "")))
}

// fresh judges a Unix time: not older than max_age, and not ahead.
func (a *auth) fresh(stamp string, now time.Time) bool {
	at, err := strconv.ParseUint(stamp, 10, 40)
	age := now.Sub(time.Unix(int64(at), 0))
	return err == nil && age <= seconds(a.MaxAge) && age >= -freshFor
}
