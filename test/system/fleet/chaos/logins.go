package chaos

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"example.com/griot/test/system/fleet/history"
)

const (
	verifier   = "a-verifier-of-forty-three-characters-or-more-x"
	redirect   = "https://shop.example/callback"
	loginTime  = 30 * time.Second
	afterUse   = 3 * time.Second // time for which a revoked token is tried
	keyWithin  = 2 * time.Second // M13: until every node refuses a revoked key
	pollPause  = 100 * time.Millisecond
	loginPause = time.Second
)

// signIn signs people in until ctx ends. The code of every other login is exchanged at two nodes at the same time. The
// tokens of the others are revoked.
func (c *client) signIn(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		name := fmt.Sprintf("login %d-%d", c.number, n)
		if code := c.login(ctx, name); code != "" {
			if n%2 == 0 {
				var both sync.WaitGroup
				for _, d := range []*node{c.anyNode(), c.anyNode()} {
					both.Go(func() { c.redeem(d, name, code) })
				}
				both.Wait()
			} else if token := c.redeem(c.anyNode(), name, code); token != "" {
				c.revoke(ctx, name, token)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(loginPause):
		}
	}
}

// login takes a browser through a login in the sandbox and returns its code; "" if a fault ended it.
func (c *client) login(ctx context.Context, name string) (code string) {
	sum := sha256.Sum256([]byte(verifier))
	r, err := request(http.MethodGet, c.anyNode().auth+"/authorize?"+url.Values{
		"client_id": {c.r.app.ClientID}, "redirect_uri": {redirect}, "state": {"0123456789abcdef"}, "code_challenge_method": {"S256"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])},
	}.Encode(), nil, requestTime)
	if err != nil || r.status != http.StatusSeeOther {
		return ""
	}
	page, err := url.Parse(r.header.Get("Location"))
	if err != nil {
		return ""
	}
	cookie, _, _ := strings.Cut(r.header.Get("Set-Cookie"), ";")
	id := page.Query().Get("loginKeyId")
	proof := map[string]string{"loginKeyId": id, "phoneE164": "22300000001"}
	proofs := time.Now().Add(time.Duration(c.rng.IntN(500)) * time.Millisecond)
	for end, left := time.Now().Add(loginTime), 5; ctx.Err() == nil && left > 0 && time.Now().Before(end); time.Sleep(pollPause) {
		if !proofs.IsZero() && time.Now().After(proofs) {
			r, err := request(http.MethodPost, c.anyNode().auth+"/authorize/sandbox", proof, requestTime, "Cookie", cookie, "Origin", c.r.nodes[0].auth)
			if err == nil && r.status < 500 {
				proofs = time.Time{}
			}
		}
		d := c.anyNode()
		e := history.Event{Kind: history.Poll, Begin: c.r.rec.now(), Login: name, Node: d.name}
		r, err := request(http.MethodGet, d.auth+"/authorize/status?loginKeyId="+id, nil, requestTime, "Cookie", cookie)
		if err != nil || r.status != http.StatusOK {
			continue
		}
		e.Status = r.text("status")
		c.r.rec.add(e)
		if back, err := url.Parse(r.text("redirectUrl")); err == nil && back.Query().Get("code") != "" {
			code = back.Query().Get("code")
		}
		if code != "" { // further polls of other nodes, where the status must not go back
			left--
		}
	}
	return code
}

// redeem exchanges a code, and returns the token.
func (c *client) redeem(d *node, name, code string) string {
	e := history.Event{Kind: history.Redeem, Begin: c.r.rec.now(), Code: name, Result: history.Unknown}
	r, err := request(http.MethodPost, d.auth+"/token", map[string]string{
		"grant_type": "authorization_code", "code": code, "redirect_uri": redirect, "client_id": c.r.app.ClientID, "client_secret": c.r.app.ClientSecret, "code_verifier": verifier,
	}, requestTime)
	if err == nil && r.status < 500 {
		e.Result = history.Refused
		if r.status == http.StatusCreated {
			e.Result = history.Accepted
		}
	}
	c.r.rec.add(e)
	if e.Result != history.Accepted {
		return ""
	}
	var token struct {
		Token string `json:"access_token"`
	}
	_ = json.Unmarshal(r.raw, &token)
	return token.Token
}

// revoke revokes a token and then tries it at every node.
func (c *client) revoke(ctx context.Context, name, token string) {
	body := map[string]string{"token": token, "client_id": c.r.app.ClientID, "client_secret": c.r.app.ClientSecret}
	introspect := func(d *node) {
		e := history.Event{Kind: history.Use, Begin: c.r.rec.now(), Token: name, Result: history.Unknown}
		if r, err := request(http.MethodPost, d.auth+"/oauth2/introspect", body, requestTime); err == nil && r.status == http.StatusOK {
			e.Result = history.Refused
			if r.body["active"] == true {
				e.Result = history.Accepted
			}
		}
		c.r.rec.add(e)
	}
	for _, d := range c.r.nodes { // now all of them might have it in memory
		introspect(d)
	}
	e := history.Event{Kind: history.Revoke, Begin: c.r.rec.now(), Token: name, Result: history.Unknown}
	if r, err := request(http.MethodPost, c.anyNode().auth+"/oauth2/revoke", body, requestTime); err == nil && r.status == http.StatusOK {
		e.Result = history.Accepted
	}
	c.r.rec.add(e)
	c.r.tryFor(ctx, afterUse, introspect)
}

// tryFor calls use repeatedly for every node, for a time.
func (r *run) tryFor(ctx context.Context, most time.Duration, use func(*node)) {
	for end := time.Now().Add(most); ctx.Err() == nil && time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		for _, d := range r.nodes {
			use(d)
		}
	}
}

// revokeKeys revokes API keys that all nodes have used, one after another.
func (c *client) revokeKeys(ctx context.Context, keys []apiKey) {
	for _, k := range keys {
		name := "key " + k.ID
		use := func(d *node) {
			e := history.Event{Kind: history.Use, Begin: c.r.rec.now(), Token: name, Result: history.Unknown}
			if r, err := request(http.MethodGet, d.api+"/api/key", nil, requestTime, "Authorization", "Bearer "+k.Key); err == nil && r.status < 500 {
				e.Result = history.Refused
				if r.status == http.StatusOK {
					e.Result = history.Accepted
				}
			}
			c.r.rec.add(e)
		}
		for _, d := range c.r.nodes {
			use(d)
		}
		e := history.Event{Kind: history.Revoke, Begin: c.r.rec.now(), Token: name, Result: history.Unknown, Within: keyWithin.Microseconds()}
		if err := c.anyNode().admin(nil, "api-keys", "revoke", "--account", c.r.accounts[0].id, k.ID); err == nil {
			e.Result = history.Accepted
		}
		c.r.rec.add(e)
		c.r.tryFor(ctx, keyWithin+afterUse, use)
		if ctx.Err() != nil {
			return
		}
	}
}
