package systemtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	authverbs "example.com/griot/auth/verbs"
)

// SignIn signs in with a sandbox number of a TEST client, and returns the response of /token.
func SignIn(t *testing.T, authURL string, c *authverbs.Client) *Reply {
	t.Helper()
	r, err := TrySignIn(authURL, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TrySignIn signs in like SignIn, at a server that might be killed at any moment. It returns the first unexpected
// response.
func TrySignIn(authURL string, c *authverbs.Client) (*Reply, error) {
	const verifier = "a-verifier-of-forty-three-characters-or-more-x"
	sum := sha256.Sum256([]byte(verifier))
	redirect := c.RedirectURIs[0]
	r, err := Call("GET", authURL+"/authorize?"+url.Values{
		"client_id": {c.ClientID}, "redirect_uri": {redirect}, "state": {"0123456789abcdef"}, "code_challenge_method": {"S256"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])},
	}.Encode(), "")
	if err != nil || r.Status != 303 {
		return r, err
	}
	page, err := url.Parse(r.Header.Get("Location"))
	if err != nil {
		return nil, err
	}
	cookie, _, _ := strings.Cut(r.Header.Get("Set-Cookie"), ";")
	login := page.Query().Get("loginKeyId")
	r, err = Call("POST", authURL+"/authorize/sandbox", fmt.Sprintf(`{"loginKeyId":%q,"phoneE164":"22300000001"}`, login), "Cookie: "+cookie, "Origin: "+authURL)
	if err != nil || r.Status != 201 {
		return r, err
	}
	if r, err = Call("GET", authURL+"/authorize/status?loginKeyId="+login, "", "Cookie: "+cookie); err != nil {
		return nil, err
	}
	back, err := url.Parse(r.Text("redirectUrl"))
	if err != nil || !strings.HasPrefix(r.Text("redirectUrl"), redirect) {
		return nil, fmt.Errorf("no way back: %w %s", err, r.Raw)
	}
	in := map[string]string{
		"grant_type": "authorization_code", "code": back.Query().Get("code"), "redirect_uri": redirect, "client_id": c.ClientID, "code_verifier": verifier,
	}
	if c.ClientSecret != "" {
		in["client_secret"] = c.ClientSecret
	}
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	return Call("POST", authURL+"/token", string(body))
}
