package token_test

import (
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/token"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

func publicKey(t *testing.T, k token.JWK) any {
	t.Helper()
	text, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	var parsed jose.JSONWebKey
	if err := json.Unmarshal(text, &parsed); err != nil {
		t.Fatal(err)
	}
	return parsed.Key
}

// jwk returns a public key as JSON.
func jwk(t *testing.T, key *rsa.PublicKey) string {
	t.Helper()
	text, err := jose.JSONWebKey{Key: key}.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestVerify_Times(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		n := newNodes(t, d)
		s := n.node()
		raw, _ := n.sign(s)
		for _, tt := range []struct {
			after time.Duration
			good  bool
		}{{-61 * time.Second, false}, {time.Second, true}, {60 * time.Second, true}, {900*time.Second - time.Millisecond, true}, {time.Millisecond, false}} {
			n.Clock.Advance(tt.after)
			if c, err := s.Verify(t.Context(), raw); err != nil || (c != nil) != tt.good {
				t.Errorf("at %v: %v, %v; want valid %v", n.Clock.Now(), c, err, tt.good)
			}
		}
	})
}

// Rules: L123.
func TestVerify_Forged(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		n := newNodes(t, d)
		s := n.node()
		raw, kid := n.sign(s)
		parts := strings.Split(raw, ".")
		enc := base64.RawURLEncoding.EncodeToString
		payload, err := base64.RawURLEncoding.DecodeString(parts[1])
		if err != nil {
			t.Fatal(err)
		}
		other, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			t.Fatal(err)
		}
		sign := func(header string, key *rsa.PrivateKey) string {
			signed := enc([]byte(header)) + "." + parts[1]
			digest := sha256.Sum256([]byte(signed))
			signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:])
			if err != nil {
				t.Fatal(err)
			}
			return signed + "." + enc(signature)
		}
		hs256 := func() string {
			signed := enc([]byte(`{"alg":"HS256","kid":"`+kid+`","typ":"at+jwt"}`)) + "." + parts[1]
			mac := hmac.New(sha256.New, []byte(s.JWKS().Keys[0].N))
			mac.Write([]byte(signed))
			return signed + "." + enc(mac.Sum(nil))
		}
		good := `{"alg":"RS256","kid":"` + kid + `","typ":"at+jwt"}`
		for name, bad := range map[string]string{
			"empty":           "",
			"no dots":         "abc",
			"two parts":       parts[0] + "." + parts[1],
			"four parts":      raw + ".x",
			"another payload": parts[0] + "." + enc(append(payload[:len(payload)-1:len(payload)-1], `,"admin":true}`...)) + "." + parts[2],
			"cut signature":   raw[:len(raw)-2],
			"no signature":    parts[0] + "." + parts[1] + ".",
			"padding":         raw + "==",
			"loose last bits": raw[:len(raw)-1] + string(raw[len(raw)-1]+1),
			"spaces":          " " + raw,
			"a line feed":     raw[:len(raw)-9] + "\n" + raw[len(raw)-9:],
			"a CR at the end": raw + "\r",
			"a line break":    parts[0] + "\r\n." + parts[1] + "." + parts[2],
			"another key":     sign(good, other),
			"unknown kid":     sign(`{"alg":"RS256","kid":"x","typ":"at+jwt"}`, other),
			"kid with a NUL":  sign(`{"alg":"RS256","kid":"\u0000","typ":"at+jwt"}`, other),
			"no kid":          sign(`{"alg":"RS256","typ":"at+jwt"}`, other),
			"none":            enc([]byte(`{"alg":"none","kid":"`+kid+`","typ":"at+jwt"}`)) + "." + parts[1] + ".",
			"HS256":           hs256(),
			"another type":    strings.Replace(raw, parts[0], enc([]byte(`{"alg":"RS256","kid":"`+kid+`","typ":"JWT"}`)), 1),
			"header no JSON":  enc([]byte("x")) + "." + parts[1] + "." + parts[2],
			"embedded key":    sign(`{"alg":"RS256","jwk":`+jwk(t, &other.PublicKey)+`,"kid":"`+kid+`","typ":"at+jwt"}`, other),
			"JSON form":       `{"protected":"` + parts[0] + `","payload":"` + parts[1] + `","signature":"` + parts[2] + `"}`,
		} {
			if c, err := s.Verify(t.Context(), bad); c != nil || err != nil {
				t.Errorf("%s: %+v, %v; want nil", name, c, err)
			}
		}
		if c, err := s.Verify(t.Context(), raw); c == nil || err != nil || c.Subject != "someone" {
			t.Errorf("the token itself: %+v, %v; want its claims", c, err)
		}
		// A key that is published but doesn't sign yet has signed nothing.
		if _, err := s.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if c, err := s.Verify(t.Context(), raw); c == nil || err != nil {
			t.Errorf("with a next key: %+v %v", c, err)
		}
	})
}

// A hint is accepted for 30 days, also after its key was replaced, but never after the key was removed in an emergency.
// Rules: L190.
func TestVerifyHint(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		n := newNodes(t, d)
		s := n.node()
		sign := func() string {
			t.Helper()
			at := n.Clock.Now().Unix()
			raw, err := s.SignID(t.Context(), &token.IDClaims{Issuer: "https://login.example", Subject: "someone", IssuedAt: at, Expires: at + 900})
			if err != nil {
				t.Fatal(err)
			}
			return raw
		}
		counts := func(raw string) bool {
			t.Helper()
			c, err := s.VerifyHint(t.Context(), raw)
			if err != nil {
				t.Fatal(err)
			}
			return c != nil && c.Subject == "someone"
		}
		old := sign()
		access, _ := n.sign(s)
		if !counts(old) || counts(access) || counts("x") {
			t.Error("an ID token counts, and nothing else")
		}
		if _, err := s.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
		n.Clock.Advance(token.LeadTime)
		n.maintain(s)
		n.Clock.Advance(token.PreviousTime)
		n.maintain(s) // the key that signed it has left the JWKS
		if got := kids(s); len(got) != 1 || !counts(old) {
			t.Errorf("keys %v, and a token of one that was replaced counts: %v", got, counts(old))
		}
		n.Clock.Advance(30*24*time.Hour + 900*time.Second - token.LeadTime - token.PreviousTime - time.Second)
		if !counts(old) {
			t.Error("it doesn't count any more, a second before its time")
		}
		n.Clock.Advance(time.Second)
		if counts(old) {
			t.Error("it counts after its time")
		}

		stolen := sign()
		if _, err := s.RotateEmergency(t.Context()); err != nil {
			t.Fatal(err)
		}
		if counts(stolen) || !counts(sign()) {
			t.Error("after an emergency, a token of the old key counts, or one of the new key doesn't")
		}
		// A previous key that an emergency removes before its time.
		previous := sign()
		if _, err := s.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
		n.Clock.Advance(token.LeadTime)
		n.maintain(s)
		n.Clock.Advance(time.Hour)
		if _, err := s.RotateEmergency(t.Context()); err != nil {
			t.Fatal(err)
		}
		if counts(previous) {
			t.Error("a token of a previous key counts after an emergency")
		}
		// One whose time was over, although no node was running to retire it.
		late := sign()
		if _, err := s.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
		n.Clock.Advance(token.LeadTime)
		n.maintain(s)
		n.Clock.Advance(2 * token.PreviousTime)
		if _, err := s.RotateEmergency(t.Context()); err != nil {
			t.Fatal(err)
		}
		if counts(late) {
			t.Error("a token of a previous key counts after a late emergency")
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	w := authtest.New(b, dbtest.SQLite(b))
	s := w.NewSigner(b)
	raw, err := s.Sign(b.Context(), &token.Claims{Subject: "someone", Expires: w.Clock.Now().Unix() + 900})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if c, err := s.Verify(b.Context(), raw); c == nil || err != nil {
			b.Fatal(c, err)
		}
	}
}
