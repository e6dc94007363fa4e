package mailtext

import (
	"errors"
	"net/url"
	"strings"

	"example.com/griot/gateway/internal/setting"
)

// Unsubscribe are the settings of the header List-Unsubscribe (RFC 2369). A driver embeds them in its own.
type Unsubscribe struct {
	ListUnsubscribe     string `json:"list_unsubscribe"`
	ListUnsubscribePost bool   `json:"list_unsubscribe_post"`
}

// OneClick is the value of List-Unsubscribe-Post (RFC 8058).
const OneClick = "List-Unsubscribe=One-Click"

// refPlaceholder is replaced by the message's reference in list_unsubscribe.
const refPlaceholder = "{ref}"

// Check returns an error unless list_unsubscribe is an email address or an HTTPS URL.
func (u Unsubscribe) Check() error {
	switch {
	case u.ListUnsubscribe != "" && !isUnsubscribe(u.ListUnsubscribe):
		return errors.New("settings: list_unsubscribe must be an email address, or an address that begins with https://")
	case u.ListUnsubscribePost && !strings.HasPrefix(u.ListUnsubscribe, "https://"):
		return errors.New("settings: list_unsubscribe_post goes with an https address in list_unsubscribe")
	}
	return nil
}

func isUnsubscribe(s string) bool {
	if !setting.IsWord(s) || strings.ContainsAny(s, "<>,\"") || len(s) > 500 {
		return false
	}
	if IsAddress(s) {
		return true
	}
	u, err := url.Parse(strings.ReplaceAll(s, refPlaceholder, "x"))
	return err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil
}

// Headers returns the values of List-Unsubscribe and List-Unsubscribe-Post for a message, or "" for none. A sensitive
// message, such as a code, has neither.
func (u Unsubscribe) Headers(ref string, sensitive bool) (list, post string) {
	if sensitive || u.ListUnsubscribe == "" {
		return "", ""
	}
	if u.ListUnsubscribePost {
		post = OneClick
	}
	if strings.HasPrefix(u.ListUnsubscribe, "https://") {
		return "<" + strings.ReplaceAll(u.ListUnsubscribe, refPlaceholder, ref) + ">", post
	}
	return "<mailto:" + u.ListUnsubscribe + "?subject=" + ref + ">", post
}
