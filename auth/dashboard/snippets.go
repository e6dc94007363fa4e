package dashboard

import (
	"net/url"
	"strconv"
	"strings"

	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/web"
)

// snippets returns the code that an application needs, with the client's own values filled in. The secret is not
// included, because it is shown only once.
func (d *Dashboard) snippets(c *tenant.Client) []web.Code {
	return []web.Code{
		{ID: "snippet-html", Title: "HTML", Text: fill(htmlSnippet, d.Own.URL, c)},
		{ID: "snippet-curl", Title: "curl", Text: fill(curlSnippet, d.Own.URL, c)},
		{ID: "snippet-go", Title: "Go", Text: fill(goSnippet, d.Own.URL, c)},
		{ID: "snippet-js", Title: "JavaScript", Text: fill(jsSnippet, d.Own.URL, c)},
	}
}

// fill puts a client's values into a snippet and removes the lines that start with another client type.
func fill(snippet, issuer string, c *tenant.Client) string {
	redirect := c.RedirectURIs[0]
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(snippet), "\n") {
		first, rest, _ := strings.Cut(line, " ")
		switch first {
		case string(c.Type):
			line = rest
		case string(tenant.Public), string(tenant.Confidential):
			continue
		}
		lines = append(lines, line)
	}
	jsHTTP := ""
	if strings.HasPrefix(issuer, "http://") { // griot dev
		jsHTTP = ", execute: [client.allowInsecureRequests]"
	}
	return strings.NewReplacer(
		"{js-http}", jsHTTP,
		"{issuer}", issuer, "{client}", c.ClientID, "{redirect}", redirect, "{redirect-query}", url.QueryEscape(redirect), "{redirect-quoted}", strconv.Quote(redirect),
		"{redirect-shell}", "'"+strings.ReplaceAll(redirect, "'", `'\''`)+"'",
	).Replace(strings.Join(lines, "\n"))
}

const htmlSnippet = `
<link rel="stylesheet" href="{issuer}/button.css">
<script src="{issuer}/button.js" async></script>

<!-- /login is yours: it makes the state and the verifier, and leads to {issuer}/authorize. -->
<a class="griot-button" href="/login"></a>
`

const curlSnippet = `
# 1. Make a state and a verifier, and keep both for this browser.
STATE=$(openssl rand -hex 16)
VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d =)

# 2. Open this in the browser.
echo "{issuer}/authorize?response_type=code&client_id={client}&redirect_uri={redirect-query}&state=$STATE&code_challenge=$CHALLENGE&code_challenge_method=S256"

# 3. Exchange the code that comes back with your state, within 60 seconds.
curl {issuer}/oauth2/token \
  -d grant_type=authorization_code -d client_id={client} \
CONFIDENTIAL   -d "client_secret=$CLIENT_SECRET" \
  --data-urlencode redirect_uri={redirect-shell} -d "code=$CODE" -d "code_verifier=$VERIFIER"
`

const goSnippet = `
import (
	"golang.org/x/oauth2"
)

griot := oauth2.Config{
	ClientID:     "{client}",
CONFIDENTIAL 	ClientSecret: os.Getenv("CLIENT_SECRET"),
	RedirectURL:  {redirect-quoted},
	Endpoint:     oauth2.Endpoint{AuthURL: "{issuer}/authorize", TokenURL: "{issuer}/oauth2/token", AuthStyle: oauth2.AuthStyleInParams},
}

// Start: keep both for this browser, in a cookie.
state, verifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
http.Redirect(w, r, griot.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), http.StatusSeeOther)

// At the redirect address, once the state is the same:
token, err := griot.Exchange(ctx, r.URL.Query().Get("code"), oauth2.VerifierOption(verifier))
`

const jsSnippet = `
import * as client from 'openid-client'

CONFIDENTIAL const auth = client.ClientSecretPost(process.env.CLIENT_SECRET)
CONFIDENTIAL const griot = await client.discovery(new URL('{issuer}'), '{client}', undefined, auth, { algorithm: 'oauth2'{js-http} })
PUBLIC const griot = await client.discovery(new URL('{issuer}'), '{client}', undefined, client.None(), { algorithm: 'oauth2'{js-http} })

// Start: keep both for this browser, in a cookie.
const state = client.randomState()
const verifier = client.randomPKCECodeVerifier()
const url = client.buildAuthorizationUrl(griot, {
  redirect_uri: {redirect-quoted}, state,
  code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
})

// At the redirect address: checks state and iss.
const answer = await client.authorizationCodeGrant(griot, currentUrl, { expectedState: state, pkceCodeVerifier: verifier })
`

// tryURL returns the address that starts a login of a TEST client, in which no message is sent. No one has the verifier
// of its challenge, so the code at its end can't be redeemed. The application doesn't know the state and must refuse
// it.
func tryURL(c *tenant.Client) string {
	q := url.Values{
		"response_type": {"code"}, "client_id": {c.ClientID}, "redirect_uri": {c.RedirectURIs[0]}, "state": {"try-" + id.Token(16)},
		"code_challenge": {oauth.S256(id.Token(32))}, "code_challenge_method": {"S256"},
	}
	return httpx.WithQuery("/authorize", q)
}
