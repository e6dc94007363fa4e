package cloudapi

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/peertest"
)

// decision is what becomes of a webhook field or a type of messages.
type decision struct {
	name  string // of the field, the type, or the status
	field string // messages, if empty
	value string // the lists of the value
	want  string // message, receipt, the kind of a change, or the reason why it is dropped
}

// call returns a call with the value.
func (d *decision) call() string {
	return strings.Replace(envelope(ourNumberID, d.value), `"field":"messages"`, `"field":"`+map[bool]string{true: "messages", false: d.field}[d.field == ""]+`"`, 1)
}

// decisions returns an example of everything that Meta documents as a report to a webhook of WhatsApp.
func decisions() []decision {
	message := func(kind, rest string) string {
		return `"contacts":[{"profile":{"name":"Awa","username":"awa.t"},"user_id":"ML.9001"}],"messages":[{"from_user_id":"ML.9001","id":"wamid.A","timestamp":"1790000000","type":"` + kind + `",` + rest + `}]`
	}
	status := func(status string) string {
		return `"statuses":[{"id":"wamid.B","status":"` + status + `","timestamp":"1790000000","recipient_user_id":"ML.9001"}]`
	}
	system := func(kind string) string {
		return `"messages":[{"from":"22370000001","id":"wamid.C","timestamp":"1790000000","type":"system","system":{"type":"` + kind + `","user_id":"ML.9002","previous_user_id":"ML.9001","body":"User Awa changed"}}]`
	}
	dropped := func(field string) decision {
		return decision{field, field, `"` + field + `":[{"id":"1"}]`, gateway.UnhandledKind}
	}
	return []decision{
		{"text", "", message("text", `"text":{"body":"baobab"}`), "message"},
		{"image", "", message("image", `"image":{"id":"1"}`), "message"},
		{"video", "", message("video", `"video":{"id":"1"}`), "message"},
		{"audio", "", message("audio", `"audio":{"id":"1"}`), "message"},
		{"document", "", message("document", `"document":{"id":"1"}`), "message"},
		{"sticker", "", message("sticker", `"sticker":{"id":"1"}`), "message"},
		{"location", "", message("location", `"location":{"latitude":1,"longitude":2}`), "message"},
		{"contacts", "", message("contacts", `"contacts":[{"origin":"contact_request","phones":[{"phone":"+22370000001","wa_id":"22370000001"}]}]`), "message"},
		{"reaction", "", message("reaction", `"reaction":{"message_id":"wamid.B","emoji":"👍"}`), "message"},
		{"button", "", message("button", `"button":{"text":"Oui"}`), "message"},
		{"interactive", "", message("interactive", `"interactive":{"type":"button_reply","button_reply":{"id":"a","title":"Oui"}}`), "message"},
		{"call_permission_reply", "", message("interactive", `"interactive":{"type":"call_permission_reply","call_permission_reply":{"response":"accept"}}`), "message"},
		{"order", "", message("order", `"order":{"product_items":[{"product_retailer_id":"a","quantity":2}]}`), "message"},
		{"unsupported", "", message("unsupported", `"errors":[{"code":131060}]`), "message"},
		{"request_welcome", "", message("request_welcome", `"a":1`), gateway.UnhandledKind},
		{"edit", "", message("edit", `"edit":{"original_message_id":"wamid.B","message":{"type":"text","text":{"body":"baobab"}}}`), string(gateway.MessageEdited)},
		{"revoke", "", message("revoke", `"revoke":{"original_message_id":"wamid.B"}`), string(gateway.MessageDeleted)},
		{"user_changed_number", "", system("user_changed_number"), string(gateway.NumberChanged)},
		{"customer_changed_number", "", system("customer_changed_number"), string(gateway.NumberChanged)},
		{"user_changed_user_id", "", system("user_changed_user_id"), string(gateway.IDChanged)},
		{"customer_identity_changed", "", system("customer_identity_changed"), gateway.UnhandledKind},
		{"sent", "", status("sent"), "receipt"},
		{"delivered", "", status("delivered"), "receipt"},
		{"read", "", status("read"), "receipt"},
		{"played", "", status("played"), "receipt"},
		{"failed", "", status("failed"), "receipt"},
		{"deleted", "", status("deleted"), gateway.UnhandledKind},
		{"warning", "", status("warning"), gateway.UnhandledKind},
		{"messages", "messages", message("text", `"text":{"body":"baobab"}`), "message"},
		{"standby", "standby", message("text", `"text":{"body":"baobab"}`), "message"},
		{"message_echoes", "standby", `"message_echoes":[{"from":"22376000001","to_user_id":"ML.9001","id":"wamid.E","type":"text","text":{"body":"baobab"}}]`, gateway.UnhandledKind},
		{"user_preferences", "user_preferences", `"user_preferences":[{"user_id":"ML.9001","category":"marketing_messages","value":"stop","timestamp":1790000000}]`, string(gateway.MarketingStopped)},
		{"user_id_update", "user_id_update", `"user_id_update":[{"wa_id":"22370000001","user_id":{"previous":"ML.9001","current":"ML.9002"}}]`, string(gateway.IDChanged)},
		{"smb_message_echoes", "smb_message_echoes", `"message_echoes":[{"from":"22376000001","to":"22370000001","to_user_id":"ML.9001","id":"wamid.E","type":"text","text":{"body":"baobab"}}]`, gateway.UnhandledKind},
		dropped("calls"), dropped("history"), dropped("smb_app_state_sync"), dropped("messaging_handovers"),
		dropped("group_lifecycle_update"), dropped("group_participants_update"), dropped("group_settings_update"), dropped("group_status_update"),
		dropped("account_alerts"), dropped("account_review_update"), dropped("account_settings_update"), dropped("account_update"), dropped("automatic_events"),
		dropped("business_capability_update"), dropped("business_status_update"), dropped("message_template_components_update"), dropped("message_template_quality_update"),
		dropped("message_template_status_update"), dropped("partner_solutions"), dropped("payment_configuration_update"), dropped("phone_number_name_update"),
		dropped("phone_number_quality_update"), dropped("security"), dropped("template_category_update"), dropped("template_correct_category_detection"), dropped("flows"),
	}
}

// Everything that Meta can report is either passed on, or counted with its reason and logged as a warning.
func TestWebhook_Decisions(t *testing.T) {
	t.Parallel()
	for _, d := range decisions() {
		s, env := newFakeGraph(t).open(nil)
		if w := callWebhook(s, signedCall(d.call())); w.Code != 200 {
			t.Errorf("%s: status %d", d.name, w.Code)
		}
		var got []string
		for range env.Sink.Messages() {
			got = append(got, "message")
		}
		for range env.Sink.Receipts() {
			got = append(got, "receipt")
		}
		for _, c := range env.Sink.Changes() {
			got = append(got, string(c.Kind))
		}
		got = append(got, slices.Collect(maps.Keys(env.Unhandled()))...)
		if !slices.Equal(got, []string{d.want}) {
			t.Errorf("%s: got %v, want %s", d.name, got, d.want)
		}
		isDropped := slices.Contains(gateway.Unhandled(), d.want)
		if logged := env.Logged(); isDropped != strings.Contains(logged, "WARN") || strings.Contains(logged, "baobab") || strings.Contains(logged, "9001") || strings.Contains(logged, "2237000") {
			t.Errorf("%s: logged %q", d.name, logged)
		}
	}
}

// The page names each type, status, and field that Griot reads, and those that it drops although they are about people.
func TestWebhook_DecisionsAreDocumented(t *testing.T) {
	t.Parallel()
	var names []string
	for _, d := range decisions() {
		if about := d.field == "" || slices.Contains([]string{"messages", "standby", "user_preferences", "user_id_update", "smb_message_echoes", "calls", "history", "smb_app_state_sync", "messaging_handovers"}, d.field); about {
			names = append(names, d.name)
		}
	}
	peertest.CheckNames(t, "../../docs/gateways/cloudapi.md", names, 30)
}
