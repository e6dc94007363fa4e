package behaviour

import (
	"cmp"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/url"
	"strings"
	"sync"

	"example.com/griot/auth/authtest"
	"example.com/griot/client/login"
	"example.com/griot/test/servicetest"
)

const sandboxNumber = "22300000001"

// signIn makes a person sign in, for the case's own attempt.
func (w *world) signIn(args json.RawMessage) (any, error) {
	var a struct {
		State, Verifier string
		Scope, Nonce    string // of OpenID Connect; empty: none
		Exchange        bool   // the code is also exchanged
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	hash := sha256.Sum256([]byte(a.Verifier))
	q := url.Values{"client_id": {w.client.ClientID}, "redirect_uri": {redirect}, "state": {a.State}, "code_challenge": {base64url(hash[:])}, "code_challenge_method": {"S256"}}
	if a.Scope != "" {
		q.Set("scope", a.Scope)
		q.Set("nonce", a.Nonce)
	}
	back, err := servicetest.SignIn(w.t.Context(), w.login.URL+"/authorize?"+q.Encode(), sandboxNumber)
	if err != nil {
		return nil, err
	}
	made := map[string]any{"url": back.String(), "code": back.Query().Get("code")}
	if !a.Exchange {
		return made, nil
	}
	c, err := login.New(login.Options{Issuer: w.login.URL, ClientID: w.client.ClientID, ClientSecret: w.client.Secret, RedirectURI: redirect})
	if err != nil {
		return nil, err
	}
	got, err := c.Exchange(w.t.Context(), back.Query().Get("code"), a.Verifier)
	if err != nil {
		return nil, err
	}
	made["token"] = got.AccessToken
	return made, nil
}

// denied returns the response of a login that was not completed.
func (w *world) denied(args json.RawMessage) (any, error) {
	var a struct{ State, Error string }
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	q := url.Values{"error": {cmp.Or(a.Error, "access_denied")}, "error_description": {"The login has expired."}, "state": {a.State}, "iss": {w.login.URL}}
	return map[string]any{"deniedUrl": redirect + "?" + q.Encode()}, nil
}

// forgersKey signs forged tokens, which no service would sign.
var forgersKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// forge creates a token like the service's, except for the changes in the arguments, and the keys that verify it.
func (w *world) forge(args json.RawMessage) (any, error) {
	var a struct {
		Header, Claims map[string]any // changes; null removes a field
		Change         string         // after signing: signature, claims, or unsigned
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	key, err := forgersKey()
	if err != nil {
		return nil, err
	}
	now := authtest.Start.Unix()
	header := changed(map[string]any{"alg": "RS256", "typ": "at+jwt", "kid": "forged"}, a.Header)
	claims := changed(map[string]any{"iss": w.login.URL, "sub": "person", "aud": w.client.ClientID, "client_id": w.client.ClientID, "mode": "TEST", "iat": now, "nbf": now, "exp": now + 900}, a.Claims)
	signed := header + "." + claims
	hash := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, hash[:])
	if err != nil {
		return nil, err
	}
	switch a.Change {
	case "signature":
		signature[0] ^= 1
	case "claims":
		signed = header + "." + changed(map[string]any{"sub": "another"}, nil)
	case "unsigned":
		signature = nil
	}
	n, e := base64url(key.N.Bytes()), base64url(big.NewInt(int64(key.E)).Bytes())
	return map[string]any{
		"token": signed + "." + base64url(signature),
		"jwks":  map[string]any{"keys": []any{map[string]any{"kty": "RSA", "kid": "forged", "alg": "RS256", "use": "sig", "n": n, "e": e}}},
	}, nil
}

// changed returns an object with its changes, as a part of a token.
func changed(object, changes map[string]any) string {
	for name, value := range changes {
		if object[name] = value; value == nil {
			delete(object, name)
		}
	}
	b, err := json.Marshal(object)
	if err != nil {
		return "" // unreachable, because it came from JSON
	}
	return base64url(b)
}

func base64url(b []byte) string { return strings.TrimRight(base64.URLEncoding.EncodeToString(b), "=") }
