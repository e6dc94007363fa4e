package demo

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/griot/client/login"
	"example.com/griot/internal/i18n"
	"example.com/griot/web"
)

// clientData returns a client for the pages. Its address is absolute, so that the cookie is set for the host of the
// redirect address.
func (a *App) clientData(n int) web.DemoClient {
	c := &a.clients[n]
	return web.DemoClient{Name: c.Name, ClientID: c.ClientID, Type: c.Type, Mode: c.Mode, StartURL: a.baseURL + startPath + "/start/" + strconv.Itoa(n)}
}

// checks returns the client's checks, in their order.
func (a *App) checks(lang i18n.Lang, c *Client, token *login.Claims) []web.DemoCheck {
	checks := []web.DemoCheck{
		{What: lang.T("demo.check_state")},
		{What: lang.T("demo.check_response_iss"), Value: a.authURL},
		{What: lang.T("demo.check_pkce")},
	}
	if c.ClientSecret != "" {
		checks = append(checks, web.DemoCheck{What: lang.T("demo.check_secret")})
	}
	return append(checks,
		web.DemoCheck{What: lang.T("demo.check_type"), Value: "at+jwt"},
		web.DemoCheck{What: lang.T("demo.check_signature"), Value: "kid " + token.KeyID},
		web.DemoCheck{What: lang.T("demo.check_iss"), Value: a.authURL},
		web.DemoCheck{What: lang.T("demo.check_aud"), Value: c.ClientID},
		web.DemoCheck{What: lang.T("demo.check_exp")},
		web.DemoCheck{What: lang.T("demo.check_sub"), Value: token.Subject},
	)
}

// profileOf returns the profile's JSON.
func profileOf(who *login.SignedIn) json.RawMessage {
	raw, _ := json.Marshal(who.Profile) // it was decoded from JSON
	return raw
}

// payloadOf returns the claims of a token that the client has checked.
func payloadOf(token string) json.RawMessage {
	_, rest, _ := strings.Cut(token, ".")
	payload, _, _ := strings.Cut(rest, ".")
	claims, _ := base64.RawURLEncoding.DecodeString(payload)
	return claims
}

// factsOf returns the fields of a JSON object by name, with readable times.
func factsOf(object json.RawMessage) []web.DemoFact {
	var members map[string]any
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()          // numbers stay as they are written
	_ = d.Decode(&members) // the client has already decoded it
	list := make([]web.DemoFact, 0, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		fact := web.DemoFact{Name: name, Value: formatValue(members[name])}
		if n, ok := members[name].(json.Number); ok && isTime(name) {
			if seconds, err := n.Int64(); err == nil {
				fact.Note = time.Unix(seconds, 0).UTC().Format(time.DateTime) + " UTC"
			}
		}
		list = append(list, fact)
	}
	return list
}

// isTime reports whether a claim counts seconds since 1970.
func isTime(claim string) bool {
	return slices.Contains([]string{"iat", "nbf", "exp", "auth_time"}, claim)
}

// formatValue returns a text unchanged, and any other value as JSON.
func formatValue(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the template escapes it
	if err := e.Encode(value); err != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}
