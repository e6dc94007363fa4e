package token

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// maxSkew is the maximum clock difference between two nodes.
const maxSkew = time.Minute

// Verify returns the claims of an access token, or nil if this service didn't sign it, it has expired, or its key is no
// longer published. The key is read from the database each time, so that an emergency rotation takes effect on every
// node immediately. Verify does not check whether the token was revoked.
//
// Applications verify tokens with package client/login, which allows a minute for exp. Verify allows none, because
// introspection and revocation use the clock that has set exp (docs/decisions/0051-one-oauth-client.md).
func (s *Signer) Verify(ctx context.Context, token string) (*Claims, error) {
	now, c := s.now(), &Claims{}
	signed, err := s.verify(ctx, token, accessType, func(k *Key) bool { return k.published(now) }, c)
	if err != nil || !signed || now.Unix() >= c.Expires || now.Add(maxSkew).Unix() < c.NotBefore {
		return nil, err
	}
	return c, nil
}

// hintTime is the time after its expiry during which an ID token can be a hint.
const hintTime = 30 * 24 * time.Hour

// VerifyHint returns the claims of an ID token that an application sends back (id_token_hint of OpenID Connect), or nil
// if this service didn't sign it, it expired more than 30 days ago, or its key was removed in an emergency. A key that
// was replaced by a regular rotation is still accepted.
func (s *Signer) VerifyHint(ctx context.Context, token string) (*IDClaims, error) {
	now, c := s.now(), &IDClaims{}
	signed, err := s.verify(ctx, token, idType, func(k *Key) bool { return !k.revoked }, c)
	if err != nil || !signed || now.Unix() >= c.Expires+int64(hintTime/time.Second) || now.Add(maxSkew).Unix() < c.IssuedAt {
		return nil, err
	}
	return c, nil
}

// verify reads the claims of a token of a type into c. It returns false if this service didn't sign it with a key that
// counts.
func (s *Signer) verify(ctx context.Context, token, typ string, counts func(*Key) bool, c any) (bool, error) {
	h, payload, signature, ok := split(token)
	if !ok || h.Typ != typ {
		return false, nil
	}
	k, err := selectKey(s.db.Read(ctx), h.Kid)
	if err != nil || k == nil || k.ActivatedAt.IsZero() || !counts(k) {
		return false, err
	}
	public, err := k.public.publicKey()
	if err != nil {
		return false, err
	}
	digest := sha256.Sum256([]byte(token[:strings.LastIndexByte(token, '.')]))
	if valid := rsa.VerifyPKCS1v15(public, crypto.SHA256, digest[:], signature) == nil; !valid {
		return false, nil
	}
	return true, json.Unmarshal(payload, c)
}

// split returns the parts of a token; ok is false when this service can't have signed it.
func split(token string) (h header, payload, signature []byte, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || strings.ContainsAny(token, "\r\n") { // base64 ignores line breaks, also in strict mode
		return h, nil, nil, false
	}
	var raw [3][]byte
	for i, p := range parts {
		var err error
		if raw[i], err = base64.RawURLEncoding.Strict().DecodeString(p); err != nil {
			return h, nil, nil, false
		}
	}
	// A database query can't contain U+0000.
	if json.Unmarshal(raw[0], &h) != nil || h.Alg != "RS256" || strings.ContainsRune(h.Kid, 0) {
		return h, nil, nil, false
	}
	return h, raw[1], raw[2], true
}
