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

// maxSkew is how far the clocks of two nodes may be apart.
const maxSkew = time.Minute

// Verify returns what a token says, or nil when it is none of ours, is over, or
// was signed with a key that is published no more. The key is looked up each time, so
// that an emergency is known to every node at once. Whether the token was revoked is another question.
func (s *Signer) Verify(ctx context.Context, token string) (*Claims, error) {
	h, payload, signature, ok := split(token)
	if !ok {
		return nil, nil
	}
	k, err := selectKey(s.db.Read(ctx), h.Kid)
	if err != nil || k == nil || !k.published(s.now()) || k.ActivatedAt.IsZero() {
		return nil, err
	}
	public, err := k.public.key()
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256([]byte(token[:strings.LastIndexByte(token, '.')]))
	if fits := rsa.VerifyPKCS1v15(public, crypto.SHA256, digest[:], signature) == nil; !fits {
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

// split takes a token apart; ok is false when it can't be one that Sign returned.
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
	// U+0000 can't be asked for in a database.
	if json.Unmarshal(raw[0], &h) != nil || h.Alg != "RS256" || h.Typ != tokenType || strings.ContainsRune(h.Kid, 0) {
		return h, nil, nil, false
	}
	return h, raw[1], raw[2], true
}
