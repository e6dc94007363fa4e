package login_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/client/login"
)

// answer sets the tokens for a code. The changes apply to the header and the claims of the ID token.
func (i *issuer) answer(t testing.TB, nonce string, header, claims map[string]any) (access, id string) {
	t.Helper()
	access = i.token(t, nil, map[string]any{"jti": nonce})
	hash := sha256.Sum256([]byte(access))
	h := map[string]any{"typ": "JWT"}
	c := map[string]any{
		"nbf": nil, "nonce": nonce, "at_hash": base64.RawURLEncoding.EncodeToString(hash[:16]), "auth_time": noon.Unix() - 3, "sid": "s1", "tenant_id": "tn",
		"phone_number": "+22376000001", "name": "Awa",
	}
	maps.Copy(h, header)
	maps.Copy(c, claims)
	id = i.token(t, h, c)
	i.grants(access, id)
	return access, id
}

func (i *issuer) grants(access string, id any) {
	i.set(func() {
		i.grant = map[string]any{"access_token": access, "token_type": "Bearer", "id_token": id, "profile": map[string]any{"id": "person"}}
	})
}

func (i *issuer) returned(a *login.Attempt) url.Values {
	return url.Values{"code": {"code"}, "state": {a.State}, "iss": {i.URL}}
}

func TestIDToken(t *testing.T) {
	i := newIssuer(t)
	c := i.client(t, login.ScopeOpenID, login.ScopeProfile, login.ScopePhone)
	a := c.Attempt(login.StartOptions{})
	to, err := url.Parse(a.URL)
	if q := to.Query(); err != nil || q.Get("scope") != "openid profile phone" || len(a.Nonce) != 43 || q.Get("nonce") != a.Nonce || q.Has("id_token_hint") {
		t.Errorf("starts at %s, want the scopes and the nonce %q", a.URL, a.Nonce)
	}
	if b := c.Attempt(login.StartOptions{}); b.Nonce == a.Nonce {
		t.Error("two logins have one nonce")
	}
	_, id := i.answer(t, a.Nonce, nil, nil)
	who, err := c.Complete(t.Context(), i.returned(a), a)
	if err != nil {
		t.Fatal(err)
	}
	want := login.IDToken{
		Subject: "person", AuthTime: noon.Unix() - 3, SessionID: "s1", TenantID: "tn", Mode: login.Live, Phone: "+22376000001", Name: "Awa",
		IssuedAt: noon.Unix(), Expires: noon.Unix() + 900, Raw: id,
	}
	if *who.IDToken != want {
		t.Errorf("got %+v, want %+v", *who.IDToken, want)
	}
}

// Without the scopes, no ID token is requested, and none is returned, even if the service sends one.
func TestIDToken_OnlyWithItsScope(t *testing.T) {
	i := newIssuer(t)
	c := i.client(t)
	a := c.Attempt(login.StartOptions{})
	if to, err := url.Parse(a.URL); err != nil || a.Nonce != "" || to.Query().Has("scope") || to.Query().Has("nonce") {
		t.Errorf("starts at %s, want no scope and no nonce", a.URL)
	}
	i.answer(t, "", nil, nil)
	if who, err := c.Complete(t.Context(), i.returned(a), a); err != nil || who.IDToken != nil {
		t.Errorf("got %+v, %v, want no ID token", who, err)
	}
	for name, scopes := range map[string][]string{"without openid": {login.ScopePhone}, "unknown": {login.ScopeOpenID, "email"}, "in one": {"openid phone"}} {
		var wrong *griot.ArgumentError
		_, err := login.New(login.Options{Issuer: i.URL, ClientID: "cl", RedirectURI: "https://shop.example/callback", Scopes: scopes})
		if !errors.As(err, &wrong) || wrong.Field != "scopes" {
			t.Errorf("%s: got %v, want an *ArgumentError of scopes", name, err)
		}
	}
}

func TestIDToken_Forgeries(t *testing.T) {
	i := newIssuer(t)
	c := i.client(t, login.ScopeOpenID)
	for name, tc := range map[string]struct {
		header, claims map[string]any
		change         func(access, id string) (string, any) // changes the response
		after          time.Duration
		problem        string // part of the error; empty: no error
	}{
		"good":                          {},
		"a clock that is a minute off":  {after: 15*time.Minute + 59*time.Second},
		"over":                          {claims: map[string]any{"exp": noon.Unix() - 60}, problem: "expired"},
		"no end":                        {claims: map[string]any{"exp": nil}, problem: "expired"},
		"from a minute ahead":           {claims: map[string]any{"iat": noon.Unix() + 59}},
		"from the future":               {claims: map[string]any{"iat": noon.Unix() + 60}, problem: "the future"},
		"of no time":                    {claims: map[string]any{"iat": nil}, problem: "the future"},
		"another nonce":                 {claims: map[string]any{"nonce": "other"}, problem: "another login"},
		"no nonce":                      {claims: map[string]any{"nonce": nil}, problem: "another login"},
		"another application":           {claims: map[string]any{"aud": "cl2"}, problem: "another application"},
		"several applications":          {claims: map[string]any{"aud": []string{"cl", "cl2"}}, problem: "cannot be read"},
		"another issuer":                {claims: map[string]any{"iss": "https://evil.example"}, problem: "another service"},
		"the other mode":                {claims: map[string]any{"mode": "TEST"}, problem: "mode"},
		"somebody else":                 {claims: map[string]any{"sub": "other"}, problem: "somebody else"},
		"nobody":                        {claims: map[string]any{"sub": nil}, problem: "somebody else"},
		"another hash":                  {claims: map[string]any{"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}, problem: "another access token"},
		"no hash":                       {claims: map[string]any{"at_hash": nil}, problem: "another access token"},
		"the type of an access token":   {header: map[string]any{"typ": "at+jwt"}, problem: "no ID token"},
		"no type":                       {header: map[string]any{"typ": nil}, problem: "no ID token"},
		"no algorithm":                  {header: map[string]any{"alg": "none"}, problem: "RS256"},
		"another algorithm":             {header: map[string]any{"alg": "HS256"}, problem: "RS256"},
		"an unknown key":                {header: map[string]any{"kid": "k2"}, problem: "its key"},
		"the access token in its place": {change: func(access, _ string) (string, any) { return access, access }, problem: "no ID token"},
		"it in the access token's place": {
			change: func(_, id string) (string, any) { return id, id }, problem: "no access token",
		},
		"unsigned": {change: func(access, id string) (string, any) { return access, id[:strings.LastIndexByte(id, '.')+1] }, problem: "cannot be read"},
		"the signature of the access token": {change: func(access, id string) (string, any) {
			return access, id[:strings.LastIndexByte(id, '.')] + access[strings.LastIndexByte(access, '.'):]
		}, problem: "signature"},
		"missing": {change: func(access, _ string) (string, any) { return access, nil }, problem: "sent no ID token"},
		"of an earlier login": {change: func(access, _ string) (string, any) {
			_, id := i.answer(t, "earlier", nil, nil)
			return access, id
		}, problem: "another login"},
	} {
		t.Run(name, func(t *testing.T) {
			a := c.Attempt(login.StartOptions{})
			access, id := i.answer(t, a.Nonce, tc.header, tc.claims)
			if tc.change != nil {
				i.grants(tc.change(access, id))
			}
			i.set(func() { i.now = noon.Add(tc.after) })
			who, err := c.Complete(t.Context(), i.returned(a), a)
			if tc.problem == "" {
				if err != nil || who.IDToken == nil {
					t.Errorf("got %+v, %v, want an ID token", who, err)
				}
				return
			}
			if who != nil || !errors.Is(err, login.ErrInvalidToken) || !strings.Contains(err.Error(), tc.problem) {
				t.Errorf("got %+v, %v, want invalid_token because of %q", who, err, tc.problem)
			}
		})
	}
	a := c.Attempt(login.StartOptions{})
	i.answer(t, "", nil, nil)
	a.Nonce = ""
	if who, err := c.Complete(t.Context(), i.returned(a), a); !errors.Is(err, login.ErrNoLogin) {
		t.Errorf("an attempt that has lost its nonce: got %+v, %v, want no_login", who, err)
	}
}

// A hint requests an ID token even without scopes, and the cookie contains the nonce.
func TestIDToken_AsksForTheSamePersonAgain(t *testing.T) {
	i := newIssuer(t)
	for name, c := range map[string]*login.Client{"with scopes": i.client(t, login.ScopeOpenID, login.ScopePhone), "without": i.client(t)} {
		started := httptest.NewRecorder()
		c.Redirect(started, httptest.NewRequest(http.MethodGet, "/pay", nil), login.StartOptions{IDTokenHint: "the.id.token"})
		to, err := started.Result().Location()
		if err != nil {
			t.Fatal(err)
		}
		q := to.Query()
		if q.Get("id_token_hint") != "the.id.token" || !strings.HasPrefix(q.Get("scope"), "openid") || q.Get("nonce") == "" {
			t.Errorf("%s: starts at %s, want the hint, openid, and a nonce", name, to)
		}
		finish := func(returned url.Values) (*login.SignedIn, error) {
			r := httptest.NewRequest(http.MethodGet, "/callback?"+returned.Encode(), nil)
			r.AddCookie(started.Result().Cookies()[0])
			return c.Finish(httptest.NewRecorder(), r)
		}
		_, id := i.answer(t, q.Get("nonce"), nil, nil)
		if who, err := finish(url.Values{"code": {"code"}, "state": {q.Get("state")}, "iss": {i.URL}}); err != nil || who.IDToken == nil || who.IDToken.Raw != id {
			t.Errorf("%s: got %+v, %v, want an ID token", name, who, err)
		}
		_, err = finish(url.Values{"error": {"login_required"}, "state": {q.Get("state")}, "iss": {i.URL}})
		if !errors.Is(err, login.ErrLoginRequired) || errors.Is(err, login.ErrAccessDenied) {
			t.Errorf("%s: another person: got %v, want login_required", name, err)
		}
	}
}
