package cloudapi

import (
	"strings"

	"example.com/griot/internal/whatsappid"
)

// shapeProblem returns the error in the body of a message, or "".
func shapeProblem(m map[string]any) string {
	allowed := map[string][]string{
		"text": {"body", "preview_url"}, "image": {"id", "link", "caption"}, "video": {"id", "link", "caption"}, "audio": {"id", "link"},
		"document": {"id", "link", "caption", "filename"}, "template": {"name", "language", "components"},
		"interactive": {"type", "header", "body", "footer", "action"},
	}
	kind, _ := m["type"].(string)
	content, ok := m[kind].(map[string]any)
	if !ok || allowed[kind] == nil {
		return "no content of type " + kind
	}
	for name := range m {
		switch name {
		case "messaging_product", "recipient_type", "to", "recipient", "type", "biz_opaque_callback_data", "context", kind:
		default:
			return "unexpected " + name
		}
	}
	for name, v := range content {
		if !strings.Contains(" "+strings.Join(allowed[kind], " ")+" ", " "+name+" ") || v == "" {
			return "unexpected " + kind + "." + name
		}
	}
	if kind != "text" && kind != "template" && kind != "interactive" && (content["id"] == nil) == (content["link"] == nil) {
		return "one of id and link"
	}
	if m["messaging_product"] != "whatsapp" {
		return "messaging_product"
	}
	to, _ := m["to"].(string)
	if id, _ := m["recipient"].(string); m["recipient"] != nil {
		if m["to"] != nil || m["recipient_type"] != "individual" || !whatsappid.Is(id) || strings.HasSuffix(id, "@lid") {
			return "recipient"
		}
		return ""
	}
	if m["recipient_type"] == "individual" && !strings.HasPrefix(to, "+") || m["recipient_type"] == "group" && strings.ContainsAny(to, "+@") {
		return "to"
	}
	return ""
}
