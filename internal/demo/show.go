package demo

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/griot/internal/accesstoken"
	"example.com/griot/internal/i18n"
	"example.com/griot/web"
)

// checks lists what was verified, in the order in which it was.
func (a *App) checks(lang i18n.Lang, c *Client, token *verified) []web.DemoCheck {
	checks := []web.DemoCheck{
		{What: lang.T("demo.check_state")},
		{What: lang.T("demo.check_response_iss"), Value: a.authURL},
		{What: lang.T("demo.check_pkce")},
	}
	if c.ClientSecret != "" {
		checks = append(checks, web.DemoCheck{What: lang.T("demo.check_secret")})
	}
	return append(checks,
		web.DemoCheck{What: lang.T("demo.check_type"), Value: accesstoken.Type},
		web.DemoCheck{What: lang.T("demo.check_signature"), Value: "kid " + token.keyID},
		web.DemoCheck{What: lang.T("demo.check_iss"), Value: a.authURL},
		web.DemoCheck{What: lang.T("demo.check_aud"), Value: c.ClientID},
		web.DemoCheck{What: lang.T("demo.check_exp")},
		web.DemoCheck{What: lang.T("demo.check_sub"), Value: token.subject},
	)
}

// factsOf lists members by name, and writes times out.
func factsOf(members map[string]any) []web.DemoFact {
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

// formatValue shows a text as it is and everything else as JSON.
func formatValue(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the template escapes
	if err := e.Encode(value); err != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}
