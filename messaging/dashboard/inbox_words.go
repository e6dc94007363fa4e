package dashboard

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
)

// typeName returns the name of a type, or "" for a text.
func typeName(lang i18n.Lang, t gateway.InboundType) string {
	if key := "dashboard.inbox.type_" + string(t); lang.Has(key) {
		return lang.T(key)
	}
	return ""
}

// mediaMissing explains why an attachment is missing. It returns "" if none is.
func mediaMissing(lang i18n.Lang, reason string) string {
	switch key := "dashboard.inbox.media_" + reason; {
	case reason == "":
		return ""
	case lang.Has(key):
		return lang.T(key)
	}
	return lang.T("dashboard.inbox.media_unavailable")
}

// readable returns the readable content of a message in one line.
func readable(lang i18n.Lang, m *inbox.Message) string {
	if !m.DeletedAt.IsZero() {
		return lang.T("dashboard.inbox.type_deleted")
	}
	for _, s := range []string{m.Content, m.FileName, m.Choice.Title, typeName(lang, m.Type)} {
		if s != "" {
			return s
		}
	}
	return ""
}

const (
	excerptSize   = 90 // in characters
	excerptBefore = 12
)

// excerpt returns the part of a text around the search text.
func excerpt(text, search string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	start := 0
	if at := strings.Index(strings.ToLower(string(runes)), strings.ToLower(search)); at >= 0 {
		start = max(0, min(len([]rune(strings.ToLower(string(runes))[:at])), len(runes))-excerptBefore)
	}
	end := min(len(runes), start+excerptSize)
	out := string(runes[start:end])
	if start > 0 {
		out = "…" + out
	}
	if end < len(runes) {
		out += "…"
	}
	return out
}

// webLink returns an address that a browser can safely open, or "" for any other.
func webLink(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	return u.String()
}

// answers returns the data of a submitted form.
func answers(response string) []fact {
	if response == "" {
		return nil
	}
	var values map[string]any
	if err := json.Unmarshal([]byte(response), &values); err != nil {
		return []fact{{Value: response, Mono: true}}
	}
	var list []fact
	for name, value := range values {
		text, ok := value.(string)
		if b, err := json.Marshal(value); !ok && err == nil {
			text = string(b)
		}
		list = append(list, fact{Label: name, Value: text})
	}
	slices.SortFunc(list, func(a, b fact) int { return strings.Compare(a.Label, b.Label) })
	return list
}

// replyFailure explains why a reply failed.
func replyFailure(lang i18n.Lang, m *message.Message) string {
	if m == nil || m.Failure == nil {
		return ""
	}
	if m.Failure.Code == windowClosed {
		return lang.T("dashboard.inbox.window_closed")
	}
	return reason(lang, m.Failure)
}

// windowClosed is the failure code for a text that WhatsApp accepts only within 24 hours of the contact's last message.
const windowClosed = "window_closed"
