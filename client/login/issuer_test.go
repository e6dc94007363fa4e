package login_test

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/client/login"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// signingKey is created once, because that takes longer than a test.
var signingKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// issuer is a service with keys, and with one response to every code.
type issuer struct {
	*httptest.Server
	key *rsa.PrivateKey
	now time.Time

	mu    sync.Mutex
	ids   []string // IDs of its keys, which are all the same key
	asked int
	fails bool
	grant map[string]any // the response to a code
}

func newIssuer(t testing.TB) *issuer {
	t.Helper()
	key, err := signingKey()
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key, now: noon, ids: []string{"k1"}}
	i.Server = httptest.NewServer(http.HandlerFunc(i.serve))
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) serve(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if r.URL.Path == "/oauth2/token" && i.grant != nil {
		_ = json.NewEncoder(w).Encode(i.grant)
		return
	}
	if i.asked++; i.fails || r.URL.Path != "/.well-known/jwks.json" {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	var keys []map[string]string
	for _, id := range i.ids {
		keys = append(keys, map[string]string{
			"kty": "RSA", "kid": id, "alg": "RS256", "use": "sig",
			"n": base64.RawURLEncoding.EncodeToString(i.key.N.Bytes()), "e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(i.key.E)).Bytes()),
		})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"keys": keys})
}

// set changes the issuer under its lock.
func (i *issuer) set(change func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change()
}

func (i *issuer) timesAsked() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked
}

func (i *issuer) client(t testing.TB, scopes ...string) *login.Client {
	t.Helper()
	c, err := login.New(login.Options{
		Scopes: scopes,
		Issuer: i.URL, ClientID: "cl", RedirectURI: "https://shop.example/callback", Now: func() time.Time { i.mu.Lock(); defer i.mu.Unlock(); return i.now },
		Requests: griot.Options{Tries: 1, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// token signs claims, with changes to the header and the claims. nil removes a field.
func (i *issuer) token(t testing.TB, header, claims map[string]any) string {
	t.Helper()
	h := map[string]any{"alg": "RS256", "typ": "at+jwt", "kid": "k1"}
	c := map[string]any{"iss": i.URL, "sub": "person", "aud": "cl", "mode": "LIVE", "nbf": noon.Unix(), "iat": noon.Unix(), "exp": noon.Unix() + 900}
	for to, changes := range map[*map[string]any]map[string]any{&h: header, &c: claims} {
		for name, value := range changes {
			if (*to)[name] = value; value == nil {
				delete(*to, name)
			}
		}
	}
	signed := part(t, h) + "." + part(t, c)
	hash := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, i.key, crypto.SHA256, hash[:])
	if err != nil {
		t.Fatal(err)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func part(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}
