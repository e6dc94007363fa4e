package smtp

import (
	"net/url"
	"regexp"
	"strings"

	"griot/gateway/internal/setting"
)

// refPlace is where a message's reference goes in list_unsubscribe.
const refPlace = "{ref}"

// isUnsubscribe: an e-mail address, or an https address. Both go into a header between angle brackets.
func isUnsubscribe(s string) bool {
	if !setting.IsWord(s) || strings.ContainsAny(s, "<>,\"") || len(s) > 500 {
		return false
	}
	if _, ok := address(s); ok {
		return true
	}
	u, err := url.Parse(strings.ReplaceAll(s, refPlace, "x"))
	return err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil
}

// unsubscribe is the value of List-Unsubscribe (RFC 2369) for a message; "" without one.
func (s settings) unsubscribe(ref string) string {
	switch {
	case s.ListUnsubscribe == "":
		return ""
	case strings.HasPrefix(s.ListUnsubscribe, "https://"):
		return "<" + strings.ReplaceAll(s.ListUnsubscribe, refPlace, ref) + ">"
	}
	return "<mailto:" + s.ListUnsubscribe + "?subject=" + ref + ">"
}

var labels = regexp.MustCompile(`\A[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\z`)

// isLabels reports whether s is a name as in DNS; "" is.
func isLabels(s string) bool { return s == "" || len(s) <= 253 && labels.MatchString(s) }
