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

// typeName names what is not a text; "" for a text.
func typeName(lang i18n.Lang, t gateway.InboundType) string {
	switch t {
	case gateway.InboundImage:
		return lang.T("dashboard.inbox.image")
	case gateway.InboundVideo:
		return lang.T("dashboard.inbox.video")
	case gateway.InboundAudio:
		return lang.T("dashboard.inbox.audio")
	case gateway.InboundDocument:
		return lang.T("dashboard.inbox.document")
	case gateway.InboundSticker:
		return lang.T("dashboard.inbox.sticker")
	case gateway.InboundLocation:
		return lang.T("dashboard.inbox.location")
	case gateway.InboundContacts:
		return lang.T("dashboard.inbox.contacts")
	case gateway.InboundReaction:
		return lang.T("dashboard.inbox.reaction")
	case gateway.InboundOther:
		return lang.T("dashboard.inbox.unsupported")
	case gateway.InboundText:
	}
	return ""
}

// mediaMissing says why an attachment is missing; "" where none is.
func mediaMissing(lang i18n.Lang, reason string) string {
	switch reason {
	case "":
		return ""
	case inbox.MediaPending:
		return lang.T("dashboard.inbox.media_pending")
	case gateway.MediaTooLarge:
		return lang.T("dashboard.inbox.media_too_large")
	case gateway.MediaAccountFull:
		return lang.T("dashboard.inbox.media_account_full")
	}
	return lang.T("dashboard.inbox.media_unavailable")
}

// readable is what can be read of a message in one line.
func readable(lang i18n.Lang, m *inbox.Message) string {
	for _, s := range []string{m.Content, m.FileName, m.Choice.Title, typeName(lang, m.Type)} {
		if s != "" {
			return s
		}
	}
	return ""
}

const (
	excerptSize   = 90 // characters
	excerptBefore = 12
)

// excerpt is the part of a text around what was searched for.
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

// webLink returns an address that a browser may be led to; "" for any other.
func webLink(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	return u.String()
}

// answers are what a contact filled a form in with.
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

// replyFailure says why a reply failed.
func replyFailure(lang i18n.Lang, m *message.Message) string {
	if m == nil || m.Failure == nil {
		return ""
	}
	if m.Failure.Code == windowClosed {
		return lang.T("dashboard.inbox.window_closed")
	}
	return reason(lang, m.Failure)
}

// windowClosed is the failure of a text that WhatsApp takes only within 24 hours of the contact's last message.
const windowClosed = "window_closed"
