package httpgate

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/sha1" //nolint:gosec // some gateways sign with HMAC-SHA1, which is not broken
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"fmt"
	"hash"
	"net/http"
	"regexp"
	"time"

	"example.com/griot/gateway/internal/setting"
)

// auth is the method by which a webhook request proves that the gateway sent it.
type auth struct {
	Kind          string   `json:"kind"` // token, basic, hmac, ecdsa, body_hmac
	Token         string   `json:"token"`
	TokenFile     string   `json:"token_file"`
	Query         string   `json:"query"`  // token: the name of the parameter
	Header        string   `json:"header"` // token, hmac, ecdsa: the name of the header
	Prefix        string   `json:"prefix"` // the part of the header before the value: "sha256=", "Bearer "
	Username      string   `json:"username"`
	Password      string   `json:"password"`
	PasswordFile  string   `json:"password_file"`
	Secret        string   `json:"secret"` // hmac, body_hmac
	SecretFile    string   `json:"secret_file"`
	Algorithm     string   `json:"algorithm"`  // sha1, sha256, sha512
	Encoding      string   `json:"encoding"`   // hex, base64
	PublicKey     string   `json:"public_key"` // ecdsa: of the curve P-256, as SubjectPublicKeyInfo in base64
	PublicKeyFile string   `json:"public_key_file"`
	TimeHeader    string   `json:"time_header"` // ecdsa: the header with the Unix time that is signed before the body
	Signed        []string `json:"signed"`      // body_hmac: the paths of the signed texts, which are concatenated
	Signature     string   `json:"signature"`   // body_hmac: the path of the signature
	Time          string   `json:"time"`        // body_hmac: the path of the Unix time among the signed texts
	MaxAge        int      `json:"max_age"`     // maximum age of a signed time, in seconds

	key *ecdsa.PublicKey
}

// The kinds of auth.
const (
	byToken    = "token"
	byBasic    = "basic"
	byHMAC     = "hmac"
	byECDSA    = "ecdsa"
	byBodyHMAC = "body_hmac"
)

// minToken is the minimum length of a token, in characters.
const minToken = 16

// maxClockSkew is the default maximum age of a signed time, and the maximum time that it can be ahead of our clock.
const maxClockSkew = 5 * time.Minute

// urlPattern matches text that needs no escaping in a URL.
var urlPattern = regexp.MustCompile(`\A[A-Za-z0-9._~-]+\z`)

func (a *auth) prepare(where string) (err error) {
	where += ".auth"
	a.MaxAge = cmp.Or(a.MaxAge, int(maxClockSkew/time.Second))
	if err := setting.CheckRange(where+".max_age", a.MaxAge, 1, 7*24*3600); err != nil {
		return err
	}
	switch a.Kind {
	case byToken:
		return a.prepareToken(where)
	case byBasic:
		a.Password, err = setting.Secret(where+".password", a.Password, a.PasswordFile, true)
		if a.Username == "" {
			return fmt.Errorf("settings: %s.username is needed", where)
		}
	case byHMAC:
		err = a.prepareHMAC(where)
		if a.Header == "" {
			return fmt.Errorf("settings: %s: hmac needs header", where)
		}
	case byBodyHMAC:
		err = a.prepareHMAC(where)
		if len(a.Signed) == 0 || a.Signature == "" {
			return fmt.Errorf("settings: %s: body_hmac needs signed and signature", where)
		}
	case byECDSA:
		return a.prepareECDSA(where)
	default:
		return fmt.Errorf("settings: %s.kind must be token, basic, hmac, ecdsa, or body_hmac", where)
	}
	return err
}

func (a *auth) prepareToken(where string) (err error) {
	a.Token, err = setting.Secret(where+".token", a.Token, a.TokenFile, true)
	if err == nil && (len(a.Token) < minToken || !urlPattern.MatchString(a.Token)) {
		return fmt.Errorf("settings: %s.token must have at least %d letters, digits, points, dashes, and underscores", where, minToken)
	}
	if (a.Query == "") == (a.Header == "") {
		return fmt.Errorf("settings: %s: either query or header says where the token is", where)
	}
	return err
}

func (a *auth) prepareHMAC(where string) (err error) {
	a.Secret, err = setting.Secret(where+".secret", a.Secret, a.SecretFile, true)
	a.Algorithm, a.Encoding = cmp.Or(a.Algorithm, "sha256"), cmp.Or(a.Encoding, "hex")
	if a.hash() == nil || a.Encoding != "hex" && a.Encoding != "base64" {
		return fmt.Errorf("settings: %s: algorithm can be sha1, sha256, or sha512, encoding hex or base64", where)
	}
	return err
}

func (a *auth) hash() func() hash.Hash {
	return map[string]func() hash.Hash{"sha1": sha1.New, "sha256": sha256.New, "sha512": sha512.New}[a.Algorithm]
}

// checkHeaders makes the checks that are possible before the body is read: of a token or login, or of the presence of
// exactly one signature.
func (a *auth) checkHeaders(r *http.Request) bool {
	switch a.Kind {
	case byToken:
		given, prefix := r.Header.Values(a.Header), a.Prefix
		if a.Query != "" {
			given, prefix = r.URL.Query()[a.Query], ""
		}
		return len(given) == 1 && equal(given[0], prefix+a.Token)
	case byBasic:
		user, password, ok := r.BasicAuth()
		return equal(user, a.Username) && equal(password, a.Password) && ok
	case byHMAC, byECDSA:
		return len(r.Header.Values(a.Header)) == 1 && len(r.Header.Values(a.TimeHeader)) <= 1
	}
	return a.Kind == byBodyHMAC // its signature is in the body
}

// equal compares in constant time, regardless of the lengths.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
