package cloudapi

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/griot/gateway"
)

// Changes of numbers, IDs, messages, and preferences.
func TestChanges(t *testing.T) {
	t.Parallel()
	at := time.Unix(1790000000, 0).UTC()
	awa, after := gateway.PersonID{Portfolio: waba, ID: "ML.9001"}, gateway.PersonID{Portfolio: waba, ID: "ML.9002"}
	system := func(sender, content string) string {
		return `"messages":[{` + sender + `"id":"wamid.C","timestamp":"1790000000","type":"system","system":{"body":"User 22370000003 changed to 22370000004",` + content + `}}]`
	}
	message := func(sender, kind, content string) string {
		return `"contacts":[{"profile":{"name":"Awa"},"user_id":"ML.9001"}],"messages":[{` + sender + `"id":"wamid.C","timestamp":"1790000000","type":"` + kind + `","` + kind + `":` + content + `}]`
	}
	edited := func(content gateway.Inbound) gateway.Change {
		return gateway.Change{Kind: gateway.MessageEdited, Person: awa, MessageID: "wamid.B", Content: &content}
	}
	preference := func(fields string) string { return `"user_preferences":[{"timestamp":1790000000,` + fields + `}]` }
	for name, tt := range map[string]struct {
		field, value string
		want         gateway.Change
	}{
		"number and ID": {
			"messages", system(`"from":"22370000001",`, `"type":"user_changed_number","wa_id":"22370000002","user_id":"ML.9002","previous_user_id":"ML.9001","previous_parent_user_id":"ML.ENT.1","parent_user_id":"ML.ENT.2"`),
			gateway.Change{Kind: gateway.NumberChanged, From: "22370000002", Person: gateway.PersonID{Portfolio: waba, ID: "ML.9002", ParentID: "ML.ENT.2"}, OldNumber: "22370000001", OldID: "ML.9001", OldParent: "ML.ENT.1"},
		},
		"only numbers":             {"messages", system(`"from":"22370000001",`, `"type":"user_changed_number","wa_id":"22370000002"`), gateway.Change{Kind: gateway.NumberChanged, From: "22370000002", Person: gateway.PersonID{Portfolio: waba}, OldNumber: "22370000001"}},
		"the oldest form":          {"messages", system(``, `"type":"customer_changed_number","new_wa_id":"22370000002","wa_id":"22370000001","customer":"22370000001"`), gateway.Change{Kind: gateway.NumberChanged, From: "22370000002", Person: gateway.PersonID{Portfolio: waba}, OldNumber: "22370000001"}},
		"the new one is unknown":   {"messages", system(`"from":"22370000001",`, `"type":"user_changed_number","user_id":"ML.9002"`), gateway.Change{Kind: gateway.NumberChanged, Person: after, OldNumber: "22370000001"}},
		"the new ID is unknown":    {"messages", system(``, `"type":"user_changed_number","previous_user_id":"ML.9001"`), gateway.Change{Kind: gateway.NumberChanged, Person: gateway.PersonID{Portfolio: waba}, OldID: "ML.9001"}},
		"the old one is unknown":   {"messages", system(``, `"type":"user_changed_number","wa_id":"22370000002","user_id":"ML.9002","previous_user_id":"ML.9001"`), gateway.Change{Kind: gateway.NumberChanged, From: "22370000002", Person: after, OldID: "ML.9001"}},
		"only IDs":                 {"messages", system(``, `"type":"user_changed_user_id","user_id":"ML.9002","previous_user_id":"ML.9001"`), gateway.Change{Kind: gateway.IDChanged, Person: after, OldID: "ML.9001"}},
		"IDs and nulls":            {"messages", system(`"from":null,`, `"type":"user_changed_user_id","wa_id":"","user_id":"ML.9002","previous_user_id":"ML.9001","previous_parent_user_id":null`), gateway.Change{Kind: gateway.IDChanged, Person: after, OldID: "ML.9001"}},
		"the sender has the new":   {"messages", system(`"from_user_id":"ML.9002",`, `"type":"user_changed_user_id","previous_user_id":"ML.9001"`), gateway.Change{Kind: gateway.IDChanged, Person: after, OldID: "ML.9001"}},
		"the sender has the old":   {"messages", system(`"from_user_id":"ML.9001",`, `"type":"user_changed_user_id","user_id":"ML.9002"`), gateway.Change{Kind: gateway.IDChanged, Person: after, OldID: "ML.9001"}},
		"the sender has the same":  {"messages", system(`"from_user_id":"ML.9002",`, `"type":"user_changed_user_id","user_id":"ML.9002"`), gateway.Change{Kind: gateway.IDChanged, Person: after}},
		"an ID with two numbers":   {"messages", system(`"from":"22370000001",`, `"type":"user_changed_user_id","wa_id":"22370000002","user_id":"ML.9002","previous_user_id":"ML.9001"`), gateway.Change{Kind: gateway.NumberChanged, From: "22370000002", Person: after, OldNumber: "22370000001", OldID: "ML.9001"}},
		"an ID with one number":    {"messages", system(`"from":"22370000001",`, `"type":"user_changed_user_id","wa_id":"22370000001","user_id":"ML.9002","previous_user_id":"ML.9001"`), gateway.Change{Kind: gateway.IDChanged, From: "22370000001", Person: after, OldID: "ML.9001"}},
		"an ID with an old number": {"messages", system(`"from":"22370000001",`, `"type":"user_changed_user_id","user_id":"ML.9002","previous_user_id":"ML.9001"`), gateway.Change{Kind: gateway.IDChanged, Person: after, OldID: "ML.9001"}},
		"the withdrawn field": {
			"user_id_update", `"user_id_update":[{"wa_id":"22370000001","user_id":{"previous":"ML.9001","current":"ML.9002"},"parent_user_id":{"previous":"ML.ENT.1","current":"ML.ENT.2"},"detail":"x","timestamp":1790000000}]`,
			gateway.Change{Kind: gateway.IDChanged, From: "22370000001", Person: gateway.PersonID{Portfolio: waba, ID: "ML.9002", ParentID: "ML.ENT.2"}, OldID: "ML.9001", OldParent: "ML.ENT.1"},
		},
		"the withdrawn field, flat": {"user_id_update", `"user_id_update":{"user_id":"ML.9002","previous_user_id":"ML.9001","timestamp":"1790000000"}`, gateway.Change{Kind: gateway.IDChanged, Person: after, OldID: "ML.9001"}},
		"edited": {
			"messages", message(`"from_user_id":"ML.9001",`, "edit", `{"original_message_id":"wamid.B","message":{"type":"text","text":{"body":"oui"}}}`), edited(gateway.Inbound{Type: gateway.InboundText, Text: "oui"}),
		},
		"a caption edited": {
			"messages", message(`"from_user_id":"ML.9001",`, "edit", `{"original_message_id":"wamid.B","message":{"type":"image","image":{"id":"1003","mime_type":"image/jpeg","caption":"oui"}}}`),
			edited(gateway.Inbound{Type: gateway.InboundImage, Text: "oui", MediaURL: "1003", MIMEType: "image/jpeg"}),
		},
		"edited without a type": {"messages", message(``, "edit", `{"original_message_id":"wamid.B","message":{"text":{"body":"oui"}}}`), edited(gateway.Inbound{Type: gateway.InboundText, Text: "oui"})},
		"deleted":               {"messages", message(`"from_user_id":"ML.9001",`, "revoke", `{"original_message_id":"wamid.B"}`), gateway.Change{Kind: gateway.MessageDeleted, Person: awa, MessageID: "wamid.B"}},
		"deleted by a number":   {"messages", message(`"from":"22370000001","from_user_id":"ML.9001",`, "revoke", `{"original_message_id":"wamid.B"}`), gateway.Change{Kind: gateway.MessageDeleted, From: "22370000001", Person: awa, MessageID: "wamid.B"}},
		"deleted on standby":    {"standby", message(`"from_user_id":"ML.9001",`, "revoke", `{"original_message_id":"wamid.B"}`), gateway.Change{Kind: gateway.MessageDeleted, Person: awa, MessageID: "wamid.B"}},
		"no marketing": {
			"user_preferences", preference(`"wa_id":"22370000001","user_id":"ML.9001","detail":"User requested to stop marketing messages","category":"marketing_messages","value":"stop"`),
			gateway.Change{Kind: gateway.MarketingStopped, From: "22370000001", Person: awa},
		},
		"marketing":             {"user_preferences", preference(`"user_id":"ML.9001","category":"marketing_messages","value":"resume"`), gateway.Change{Kind: gateway.MarketingResumed, Person: awa}},
		"marketing to a number": {"user_preferences", preference(`"wa_id":"22370000001","category":"marketing_messages","value":"resume"`), gateway.Change{Kind: gateway.MarketingResumed, From: "22370000001"}},
		"marketing to a contact": {
			"user_preferences", `"contacts":[{"user_id":"ML.9001"}],` + preference(`"category":"marketing_messages","value":"stop"`), gateway.Change{Kind: gateway.MarketingStopped, Person: awa},
		},
	} {
		s, env := newFakeGraph(t).open(nil)
		body := strings.Replace(envelope(ourNumberID, tt.value), `"field":"messages"`, `"field":"`+tt.field+`"`, 1)
		env.Sink.Refuse(1)
		if w := callWebhook(s, signedCall(body)); w.Code != http.StatusInternalServerError {
			t.Errorf("%s: status %d although it was not stored", name, w.Code)
		}
		for range 2 {
			if w := callWebhook(s, signedCall(body)); w.Code != 200 {
				t.Errorf("%s: status %d", name, w.Code)
			}
		}
		got := env.Sink.Changes()
		if len(got) != 2 || got[0].ID == "" || got[0].ID != got[1].ID || len(env.Sink.Messages())+len(env.Unhandled()) != 0 {
			t.Errorf("%s: %+v %v", name, got, env.Unhandled())
			continue
		}
		tt.want.Channel, tt.want.To = gateway.WhatsApp, ourNumber
		if !tt.want.At.IsZero() || tt.field != "user_id_update" || strings.Contains(tt.value, "timestamp") {
			tt.want.At = at
		}
		if diff := cmp.Diff(tt.want, got[0], cmpopts.IgnoreFields(gateway.Change{}, "ID")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if logged := env.Logged(); strings.Contains(logged, "9001") || strings.Contains(logged, "2237000") {
			t.Errorf("%s: logged %s", name, logged)
		}
	}
}

// A change without a person, a message, or a use is counted.
func TestChanges_Dropped(t *testing.T) {
	t.Parallel()
	message := func(fields string) string { return `"messages":[{"id":"a",` + fields + `}]` }
	for name, tt := range map[string]struct{ field, value, reason string }{
		"of nobody":                 {"messages", message(`"type":"system","system":{"type":"user_changed_number","body":"User 22370000001 changed to 22370000002"}`), gateway.UnhandledNoSender},
		"without content":           {"messages", message(`"type":"system","from":"22370000001"`), gateway.UnhandledUnreadable},
		"of another kind":           {"messages", message(`"type":"system","from":"22370000001","system":{"type":"customer_identity_changed"}`), gateway.UnhandledKind},
		"in a group":                {"messages", message(`"type":"system","group_id":"Y2","system":{"type":"user_changed_number"}`), gateway.UnhandledGroup},
		"edited by nobody":          {"messages", message(`"type":"edit","edit":{"original_message_id":"b","message":{"type":"text","text":{"body":"c"}}}`), gateway.UnhandledNoSender},
		"edited without a message":  {"messages", message(`"type":"edit","from":"22370000001","edit":{"message":{"type":"text","text":{"body":"c"}}}`), gateway.UnhandledUnreadable},
		"edited without content":    {"messages", message(`"type":"edit","from":"22370000001","edit":{"original_message_id":"b"}`), gateway.UnhandledUnreadable},
		"edited beyond recognition": {"messages", message(`"type":"edit","from":"22370000001","edit":{"original_message_id":"b","message":{"type":"text"}}`), gateway.UnhandledUnreadable},
		"deleted without a message": {"messages", message(`"type":"revoke","from":"22370000001","revoke":{}`), gateway.UnhandledUnreadable},
		"another preference":        {"user_preferences", `"user_preferences":[{"user_id":"ML.9001","category":"calls","value":"stop"}]`, gateway.UnhandledKind},
		"another value":             {"user_preferences", `"user_preferences":[{"user_id":"ML.9001","category":"marketing_messages","value":"later"}]`, gateway.UnhandledKind},
		"nobody's preference":       {"user_preferences", `"user_preferences":[{"category":"marketing_messages","value":"stop"}]`, gateway.UnhandledNoSender},
		"not a preference":          {"user_preferences", `"user_preferences":[7]`, gateway.UnhandledUnreadable},
		"not an update":             {"user_id_update", `"user_id_update":[7]`, gateway.UnhandledUnreadable},
		"nobody's update":           {"user_id_update", `"user_id_update":[{"detail":"x"}]`, gateway.UnhandledNoSender},
	} {
		s, env := newFakeGraph(t).open(nil)
		body := strings.Replace(envelope(ourNumberID, tt.value), `"field":"messages"`, `"field":"`+tt.field+`"`, 1)
		if w := callWebhook(s, signedCall(body)); w.Code != 200 {
			t.Errorf("%s: status %d", name, w.Code)
		}
		if diff := cmp.Diff(map[string]int{tt.reason: 1}, env.Unhandled()); diff != "" || len(env.Sink.Messages())+len(env.Sink.Changes()) != 0 {
			t.Errorf("%s: %s %+v %+v", name, diff, env.Sink.Messages(), env.Sink.Changes())
		}
	}
}
