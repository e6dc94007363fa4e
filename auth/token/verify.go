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

// maxSkew is how much the clocks of two nodes may differ.
const maxSkew = time.Minute

// Verify returns the claims of an access token, or nil when this service didn't sign it, it
// has expired, or its key is not published any more. The key is read from the
// database each time, so that an emergency rotation takes effect on every node at
// once. Verify does not check whether the token was revoked.
//
// Applications verify by package client/login, which allows a minute for exp. Verify allows none, because introspection and
// revocation answer by the clock that has set exp (docs/decisions/0051-one-oauth-client.md).
func (s *Signer) Verify(ctx context.Context, token string) (*Claims, error) {
	h, payload, signature, ok := split(token)
	if !ok {
		return nil, nil
	}
	k, err := selectKey(s.db.Read(ctx), h.Kid)
	if err != nil || k == nil || !k.published(s.now()) || k.ActivatedAt.IsZero() {
		return nil, err
	}
	public, err := k.public.publicKey()
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256([]byte(token[:strings.LastIndexByte(token, '.')]))
	if valid := rsa.VerifyPKCS1v15(public, crypto.SHA256, digest[:], signature) == nil; !valid {
		return nil, nil
	}
	c := &Claims{}
	if err := json.Unmarshal(payload, c); err != nil {
		return nil, err
	}
	now := s.now()
	if now.Unix() >= c.Expires || now.Add(maxSkew).Unix() < c.NotBefore {
		return nil, nil
	}
	return c, nil
}

// split returns the parts of a token; ok is false when Sign can't have returned it.
func split(token string) (h header, payload, signature []byte, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
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
	if json.Unmarshal(raw[0], &h) != nil || h.Alg != "RS256" || h.Typ != accessType || strings.ContainsRune(h.Kid, 0) {
		return h, nil, nil, false
	}
	return h, raw[1], raw[2], true
}
