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

	"example.com/griot/gateway/internal/setting"
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

// checkBody checks a signature over the raw body, or over parts of the body.
func (a *auth) checkBody(r *http.Request, body []byte, now time.Time) bool {
	switch a.Kind {
	case byHMAC:
		signature, ok := strings.CutPrefix(r.Header.Get(a.Header), a.Prefix)
		return ok && a.equalsMAC(signature, body)
	case byECDSA:
		return a.checkECDSA(r, body, now)
	case byBodyHMAC:
		return a.checkBodyHMAC(body, now)
	}
	return true
}

func (a *auth) equalsMAC(signature string, content []byte) bool {
	given, err := hex.DecodeString(signature)
	if a.Encoding == "base64" {
		given, err = base64.StdEncoding.DecodeString(signature)
	}
	h := hmac.New(a.hash(), []byte(a.Secret))
	_, _ = h.Write(content)
	return err == nil && hmac.Equal(given, h.Sum(nil))
}

// checkECDSA checks an ECDSA signature with SHA-256, in ASN.1 and base64, over the time and the raw body.
func (a *auth) checkECDSA(r *http.Request, body []byte, now time.Time) bool {
	encoded, ok := strings.CutPrefix(r.Header.Get(a.Header), a.Prefix)
	signature, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil {
		return false
	}
	h := sha256.New()
	if a.TimeHeader != "" {
		stamp := r.Header.Get(a.TimeHeader)
		if !a.isRecent(stamp, now) {
			return false
		}
		_, _ = h.Write([]byte(stamp))
	}
	_, _ = h.Write(body)
	return ecdsa.VerifyASN1(a.key, h.Sum(nil), signature)
}

// checkBodyHMAC checks a signature that is in the document, over other texts of the document. It reads only these texts: see [pick].
func (a *auth) checkBodyHMAC(body []byte, now time.Time) bool {
	found, ok := pick(body, append([]string{a.Signature, a.Time}, a.Signed...)...)
	if !ok {
		return false
	}
	if a.Time != "" && !a.isRecent(found[1], now) {
		return false
	}
	return a.equalsMAC(found[0], []byte(strings.Join(found[2:], "")))
}

// isRecent reports whether a Unix time is not older than max_age and not too far ahead of our clock.
func (a *auth) isRecent(stamp string, now time.Time) bool {
	at, err := strconv.ParseUint(stamp, 10, 40)
	age := now.Sub(time.Unix(int64(at), 0))
	return err == nil && age <= setting.Seconds(a.MaxAge) && age >= -maxClockSkew
}
