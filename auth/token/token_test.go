package token_test

import (
	"context"
	"crypto"
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/token"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var now = clock.NewFake(authtest.Start).Now

func TestOpen_NodesShareOneKey(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		master := authtest.NewKey(t)
		var mu sync.Mutex
		kids := map[string]bool{}
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				s, err := token.Open(t.Context(), d, master, now)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				kids[s.JWKS().Keys[0].Kid] = true
			})
		}
		wg.Wait()
		if len(kids) != 1 {
			t.Errorf("%d nodes' keys are %v, want one", 5, kids)
		}
		again, err := token.Open(t.Context(), d, master, now)
		if err != nil || !kids[again.JWKS().Keys[0].Kid] {
			t.Errorf("another key after a restart: %v", err)
		}
		if _, err := token.Open(t.Context(), d, authtest.NewKey(t), now); err == nil {
			t.Error("opened with another master key")
		}
		var sealed string
		if _, err := d.Read(t.Context()).Row(`SELECT sealed_private FROM signing_keys`).Scan(&sealed); err != nil {
			t.Fatal(err)
		}
		raw, err := base64.RawStdEncoding.DecodeString(sealed)
		if err != nil || strings.Contains(string(raw), "\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01") { // rsaEncryption in PKCS #8
			t.Errorf("the private key is stored as it is: %v", err)
		}
	})
}

// Rules: L123, L124.
func TestSign(t *testing.T) {
	s := authtest.New(t, dbtest.SQLite(t)).NewSigner(t)
	published, err := json.Marshal(s.JWKS())
	if err != nil {
		t.Fatal(err)
	}
	var keys jose.JSONWebKeySet
	if err := json.Unmarshal(published, &keys); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			signed, err := s.Sign(t.Context(), &token.Claims{Issuer: "https://login.example", Subject: "someone", Phone: "+22300000001"})
			if err != nil {
				t.Error(err)
				return
			}
			parsed, err := jwt.ParseSigned(signed, []jose.SignatureAlgorithm{jose.RS256})
			if err != nil {
				t.Error(err)
				return
			}
			var claims token.Claims
			if err := parsed.Claims(keys.Keys[0].Key, &claims); err != nil || claims.Subject != "someone" || claims.Name != "" {
				t.Errorf("%+v %v", claims, err)
			}
		})
	}
	wg.Wait()
	thumbprint, err := keys.Keys[0].Thumbprint(crypto.SHA256)
	if err != nil || base64.RawURLEncoding.EncodeToString(thumbprint) != keys.Keys[0].KeyID {
		t.Errorf("kid %s is not the key's thumbprint (RFC 7638): %v", keys.Keys[0].KeyID, err)
	}
}

// An ID token is signed like an access token, and isn't accepted as one.
// Rules: L188.
func TestSignID(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		n := newNodes(t, d)
		s := n.node()
		now := n.Clock.Now().Unix()
		raw, err := s.SignID(t.Context(), &token.IDClaims{Issuer: "https://login.example", Subject: "p", Audience: "c", IssuedAt: now, Expires: now + 900, AccessTokenHash: token.AccessTokenHash("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")})
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := jose.ParseSignedCompact(raw, []jose.SignatureAlgorithm{jose.RS256})
		if err != nil {
			t.Fatal(err)
		}
		payload, err := parsed.Verify(publicKey(t, s.JWKS().Keys[0]))
		if err != nil || parsed.Signatures[0].Header.ExtraHeaders[jose.HeaderType] != "JWT" {
			t.Errorf("%v, header %v; want the type JWT", err, parsed.Signatures[0].Header)
		}
		if !strings.Contains(string(payload), `"at_hash":"77QmUPtjPfzWtF2AnpK9RQ"`) { // the example of OpenID Connect Core 1.0, A.3
			t.Errorf("claims %s", payload)
		}
		if c, err := s.Verify(t.Context(), raw); c != nil || err != nil {
			t.Errorf("it is an access token: %v, %v", c, err)
		}
	})
}

func TestSign_GivesUpWithItsContext(t *testing.T) {
	s := authtest.New(t, dbtest.SQLite(t)).NewSigner(t)
	release := s.Occupy()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Sign(ctx, &token.Claims{}); err == nil {
		t.Error("signed with an ended context while every slot was taken")
	}
	release()
	if _, err := s.Sign(t.Context(), &token.Claims{}); err != nil {
		t.Error(err)
	}
}

func BenchmarkSign(b *testing.B) {
	s := authtest.New(b, dbtest.SQLite(b)).NewSigner(b)
	for b.Loop() {
		if _, err := s.Sign(b.Context(), &token.Claims{Subject: "someone"}); err != nil {
			b.Fatal(err)
		}
	}
}
