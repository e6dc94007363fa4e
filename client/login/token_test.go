package login_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/client/login"
)

func TestVerify(t *testing.T) {
	i := newIssuer(t)
	c := i.client(t)
	one := func(name string, value any) map[string]any { return map[string]any{name: value} }
	good := i.token(t, nil, nil)
	parts := strings.Split(good, ".")
	for name, tc := range map[string]struct {
		token string
		after time.Duration
		want  error
	}{
		"good":                         {good, 0, nil},
		"its type in full":             {i.token(t, one("typ", "application/AT+JWT"), nil), 0, nil},
		"a clock that is a minute off": {good, 15*time.Minute + 59*time.Second, nil},
		"over":                         {good, 16 * time.Minute, login.ErrInvalidToken},
		"not valid yet, by a minute":   {good, -59 * time.Second, nil},
		"not valid yet":                {good, -time.Minute, login.ErrInvalidToken},
		"another type":                 {i.token(t, one("typ", "JWT"), nil), 0, login.ErrInvalidToken},
		"no type":                      {i.token(t, one("typ", nil), nil), 0, login.ErrInvalidToken},
		"no algorithm":                 {i.token(t, one("alg", "none"), nil), 0, login.ErrInvalidToken},
		"another algorithm":            {i.token(t, one("alg", "HS256"), nil), 0, login.ErrInvalidToken},
		"more than is known":           {i.token(t, one("crit", []string{"exp"}), nil), 0, login.ErrInvalidToken},
		"an unknown key":               {i.token(t, one("kid", "k2"), nil), 0, login.ErrInvalidToken},
		"no key":                       {i.token(t, one("kid", nil), nil), 0, login.ErrInvalidToken},
		"another issuer":               {i.token(t, nil, one("iss", i.URL+"/")), 0, login.ErrInvalidToken},
		"another application":          {i.token(t, nil, one("aud", "cl2")), 0, login.ErrInvalidToken},
		"several applications":         {i.token(t, nil, one("aud", []string{"cl"})), 0, login.ErrInvalidToken},
		"the other mode":               {i.token(t, nil, one("mode", "TEST")), 0, login.ErrInvalidToken},
		"no end":                       {i.token(t, nil, one("exp", nil)), 0, login.ErrInvalidToken},
		"an end beyond time":           {i.token(t, nil, one("exp", int64(1)<<62)), 0, login.ErrInvalidToken},
		"an end that is a text":        {i.token(t, nil, one("exp", "9999999999")), 0, login.ErrInvalidToken},
		"no beginning":                 {i.token(t, nil, one("nbf", nil)), 0, login.ErrInvalidToken},
		"nobody":                       {i.token(t, nil, one("sub", nil)), 0, login.ErrInvalidToken},
		"no signature":                 {parts[0] + "." + parts[1] + ".", 0, login.ErrInvalidToken},
		"the signature of another":     {parts[0] + "." + parts[1] + "." + strings.Split(i.token(t, nil, one("sub", "b")), ".")[2], 0, login.ErrInvalidToken},
		"other claims":                 {parts[0] + "." + strings.Split(i.token(t, nil, one("sub", "b")), ".")[1] + "." + parts[2], 0, login.ErrInvalidToken},
		"padding":                      {good + "=", 0, login.ErrInvalidToken},
		"a line feed":                  {good[:len(good)-9] + "\n" + good[len(good)-9:], 0, login.ErrInvalidToken},
		"a line break at its end":      {good + "\r\n", 0, login.ErrInvalidToken},
		"too many parts":               {good + ".x", 0, login.ErrInvalidToken},
		"too long":                     {strings.Repeat("a", 20<<10), 0, login.ErrInvalidToken},
		"nothing":                      {"", 0, login.ErrInvalidToken},
	} {
		i.set(func() { i.now = noon.Add(tc.after) })
		claims, err := c.Verify(t.Context(), tc.token)
		if !errors.Is(err, tc.want) || (claims == nil) != (tc.want != nil) {
			t.Errorf("%s: got %+v, %v, want %v", name, claims, err, tc.want)
		}
	}
}

func TestVerify_KeepsEveryClaim(t *testing.T) {
	i := newIssuer(t)
	claims, err := i.client(t).Verify(t.Context(), i.token(t, nil, map[string]any{"newer": 12345678901234567}))
	if err != nil || claims.KeyID != "k1" || !strings.Contains(string(claims.Raw), `"newer":12345678901234567`) {
		t.Errorf("got %+v, %v", claims, err)
	}
}

// The service's keys are fetched as rarely as the response allows, once for concurrent callers, and cached keys are
// used while the service is unreachable.
func TestVerify_AsksForKeysSeldom(t *testing.T) {
	i := newIssuer(t)
	c := i.client(t)
	good, unknown := i.token(t, nil, nil), i.token(t, map[string]any{"kid": "k2"}, nil)
	verify := func(token string, want error, asked int, what string) {
		t.Helper()
		if _, err := c.Verify(t.Context(), token); !errors.Is(err, want) || i.timesAsked() != asked {
			t.Errorf("%s: got %v after %d requests, want %v after %d", what, err, i.timesAsked(), want, asked)
		}
	}
	var all sync.WaitGroup
	for range 20 {
		all.Add(1)
		go func() {
			defer all.Done()
			if _, err := c.Verify(context.Background(), good); err != nil {
				t.Error(err)
			}
		}()
	}
	all.Wait()
	verify(good, nil, 1, "twenty at once")
	for range 10 {
		verify(unknown, login.ErrInvalidToken, 1, "an unknown key within the first minute")
	}
	i.set(func() { i.now = noon.Add(time.Minute); i.ids = append(i.ids, "k2") })
	verify(good, nil, 1, "a known key after a minute")
	verify(unknown, nil, 2, "a new key after a minute")
	i.set(func() { i.now = noon.Add(5 * time.Minute); i.fails = true })
	verify(good, nil, 2, "known keys within five minutes")
	i.set(func() { i.now = noon.Add(6 * time.Minute) })
	verify(good, nil, 3, "known keys of a service that does not answer")
	verify(good, nil, 3, "known keys, within the minute after that")
	verify(i.token(t, map[string]any{"kid": "k3"}, nil), griot.ErrUnexpectedAnswer, 4, "an unknown key of a service that does not answer")
	i.set(func() { i.fails = false; i.ids = []string{"k2"}; i.now = noon.Add(7 * time.Minute) })
	verify(good, login.ErrInvalidToken, 5, "a key that was withdrawn")
	i.set(func() { i.now = noon.Add(-time.Hour) })
	verify(unknown, login.ErrInvalidToken, 6, "a clock that was set back asks again")
}

func TestVerify_EndsWithTheContext(t *testing.T) {
	i := newIssuer(t)
	good := i.token(t, nil, nil)
	i.mu.Lock() // the service does not respond
	c, err := login.New(login.Options{Issuer: i.URL, ClientID: "cl", RedirectURI: "https://shop.example/callback", Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Verify(ctx, good)
	i.mu.Unlock()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's end", err)
	}
	if _, err := c.Verify(t.Context(), good); err != nil {
		t.Errorf("the next: got %v, want nil: the fetch was for all who wait", err)
	}
}

func FuzzVerify(f *testing.F) {
	i := newIssuer(f)
	c, good := i.client(f), i.token(f, nil, nil)
	f.Add(good)
	f.Add(i.token(f, map[string]any{"alg": "none"}, nil))
	f.Add(strings.Replace(good, ".", "..", 1))
	f.Add("e30.e30.e30")
	f.Fuzz(func(t *testing.T, token string) {
		claims, err := c.Verify(t.Context(), token)
		if (claims == nil) == (err == nil) || err != nil && !errors.Is(err, login.ErrInvalidToken) {
			t.Fatalf("got %+v, %v, want claims or invalid_token", claims, err)
		}
		if err == nil && token != good {
			t.Fatalf("%q is taken for signed", token)
		}
		if err != nil && len(token) > 8 && strings.Contains(fmt.Sprint(err), token) {
			t.Fatalf("the token is in %v", err)
		}
	})
}
