package httpx

import (
	"net/url"
	"slices"
	"strings"
)

// ParseQuery parses the parameters of a URL or a form. Only & separates them. As in browsers, a semicolon is a part of
// a value.
//
// A + is a space. In the parameters named by plus, it is a plus. These contain times, numbers, or email addresses,
// which have no spaces, and callers forget to escape the + of 10:00+01:00.
func ParseQuery(raw string, plus ...string) (url.Values, error) {
	raw = strings.ReplaceAll(raw, ";", "%3B")
	if len(plus) > 0 && strings.Contains(raw, "+") {
		pairs := strings.Split(raw, "&")
		for i, pair := range pairs {
			name, value, _ := strings.Cut(pair, "=")
			if decoded, err := url.QueryUnescape(name); err == nil && slices.Contains(plus, decoded) {
				pairs[i] = name + "=" + strings.ReplaceAll(value, "+", "%2B")
			}
		}
		raw = strings.Join(pairs, "&")
	}
	return url.ParseQuery(raw)
}
