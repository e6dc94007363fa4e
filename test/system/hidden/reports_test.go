package hidden_test

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// Each report that Meta documents about people whose number is hidden is counted once, as what it is: nothing is lost
// without a trace.
func TestReports_EachIsCountedOnce(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		s := w.start()
		w.api(s, 200, "POST", "/api/send", fmt.Sprintf(`{"channel":"whatsapp","to":%q,"message":"To an ID"}`, awaID))
		w.api(s, 200, "POST", "/api/send", fmt.Sprintf(`{"channel":"whatsapp","to":%q,"message":"To a number"}`, "22376000009"))
		w.meta.waitFor(t, 2)
		texts := 0
		for _, report := range reports() {
			before := counters(t, s)
			webhook(t, s, report.field, cmp.Or(report.of, oursID), strings.ReplaceAll(report.content, "$NOW", strconv.FormatInt(now(), 10)))
			after := counters(t, s)
			maps.DeleteFunc(after, func(name string, n float64) bool { return n == before[name] })
			if len(after) != 1 || after[report.want] != before[report.want]+1 {
				t.Errorf("%s %s: counted %v, want one more of %s", report.field, report.content, after, report.want)
			}
			if report.want == inbound {
				texts += strings.Count(report.content, "tamarind")
			}
		}
		found := strings.Count(w.api(s, 200, "GET", "/api/inbox/messages?q=tamarind&limit=100", "").Raw, `"content":"tamarind`)
		if found != texts {
			t.Errorf("the inbox has %d of the texts, want %d", found, texts)
		}
		for _, url := range []string{s.Internal + "/readyz", s.Api + "/healthz", s.Auth + "/healthz"} {
			if r, err := systemtest.Call("GET", url, ""); err != nil || r.Status != 200 {
				t.Errorf("%s: %v, %+v, want 200", url, err, r)
			}
		}
		s.End(t)
	})
}

// counters returns what the gateway has counted of Meta's reports, by the name of the metric and the labels.
func counters(t *testing.T, s *systemtest.Server) map[string]float64 {
	t.Helper()
	r, err := systemtest.Call("GET", s.Internal+"/metrics", "")
	if err != nil || r.Status != 200 {
		t.Fatalf("metrics: %v, %+v", err, r)
	}
	found := map[string]float64{}
	for line := range strings.Lines(r.Raw) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, isGateway := strings.CutPrefix(name, "griot_gateway_")
		kind, _, _ := strings.Cut(name, "{")
		switch kind {
		case "inbound_total", "receipts_total", "receipts_unreadable_total", "changes_total", "unhandled_total", "dropped_total":
			if !isGateway || !strings.Contains(name, `gateway="meta"`) {
				continue
			}
			if found[name], err = strconv.ParseFloat(value, 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	return found
}

type report struct {
	field, content string
	want           string // the counter
	of             string // the ID of our number; empty: the account's sender
}

// inbound counts messages.
const inbound = `inbound_total{gateway="meta"}`

// reports returns the reports in the order of a conversation. Awa hides the number, Bin doesn't.
func reports() []report {
	change := func(kind string) string { return `changes_total{gateway="meta",kind="` + kind + `"}` }
	receipt := func(status string) string { return `receipts_total{gateway="meta",status="` + status + `"}` }
	unhandled := func(reason string) string { return `unhandled_total{gateway="meta",reason="` + reason + `"}` }
	hidden := contact(awaID) + ","
	shown := `"contacts":[{"profile":{"name":"Bin"},"wa_id":"22376000002","user_id":"ML.9002"}],`
	from := func(id, rest string) string {
		return `"messages":[{"from_user_id":"ML.9001","id":"wamid.` + id + `","timestamp":"$NOW",` + rest + `}]`
	}
	status := func(id, status, rest string) string {
		return `"statuses":[{"id":"wamid.` + id + `","status":"` + status + `","timestamp":"$NOW",` + rest + `}]`
	}
	return []report{
		// Messages
		{field: "messages", content: hidden + from("a1", `"type":"text","text":{"body":"tamarind 1"}`), want: inbound},
		{field: "messages", content: from("a2", `"type":"text","text":{"body":"tamarind 2"}`), want: inbound},
		{field: "messages", content: hidden + from("a3", `"from":"","type":"text","text":{"body":"tamarind 3"}`), want: inbound},
		{field: "messages", content: hidden + from("a4", `"from":null,"type":"text","text":{"body":"tamarind 4"}`), want: inbound},
		{field: "messages", content: `"messages":[{"from":"ML.9001","id":"wamid.a5","timestamp":"$NOW","type":"text","text":{"body":"tamarind 5"}}]`, want: inbound},
		{field: "messages", content: hidden + `"messages":[{"id":"wamid.a6","timestamp":"$NOW","type":"text","text":{"body":"tamarind 6"}}]`, want: inbound},
		{field: "messages", content: hidden + from("a7", `"from_parent_user_id":"ML.ENT.77","type":"text","text":{"body":"tamarind 7"}`), want: inbound},
		{field: "messages", content: hidden + from("a8", `"group_id":"Y2FwaV9ncm91cA","type":"text","text":{"body":"to a group"}`), want: unhandled("group")},
		{field: "messages", content: shown + `"messages":[{"from":"22376000002","from_user_id":"ML.9002","id":"wamid.b1","timestamp":"$NOW","type":"text","text":{"body":"tamarind 8"}}]`, want: inbound},
		{field: "messages", content: `"messages":[{"id":"wamid.c1","timestamp":"$NOW","type":"text","text":{"body":"from nobody"}}]`, want: unhandled("no_sender")},
		{field: "messages", content: hidden + from("c2", `"type":"text","text":{"body":"to another number"}`), want: unhandled("unknown_number"), of: "999"},
		{field: "standby", content: hidden + from("a9", `"type":"text","text":{"body":"tamarind 9"}`), want: inbound},

		// Statuses of a message to an ID, and of one to a number
		{field: "messages", content: `"contacts":[{"profile":{"name":"Awa"},"user_id":"ML.9001"}],` + status("1", "sent", `"recipient_user_id":"ML.9001"`), want: receipt("sent")},
		{field: "messages", content: hidden + status("1", "delivered", `"recipient_user_id":"ML.9001","parent_recipient_user_id":"ML.ENT.77"`), want: receipt("delivered")},
		{field: "messages", content: hidden + status("1", "played", `"recipient_user_id":"ML.9001"`), want: receipt("read")},
		{field: "messages", content: status("2", "failed", `"recipient_id":"22376000009","errors":[{"code":131026}]`), want: receipt("failed")},
		{field: "messages", content: hidden + status("1", "deleted", `"recipient_user_id":"ML.9001"`), want: unhandled("unknown_kind")},

		// Contacts
		{field: "messages", content: hidden + from("a10", `"type":"contacts","contacts":[{"origin":"contact_request","phones":[{"phone":"+22376000001","wa_id":"22376000001","type":"CELL"}]}]`), want: inbound},
		{field: "messages", content: hidden + from("a11", `"type":"contacts","contacts":[{"origin":"other","vcard":"BEGIN:VCARD","name":{"formatted_name":"Moussa"},"phones":[{"phone":"+22376000003"}]}]`), want: inbound},

		// Edits, deletions, and what can't be read
		{field: "messages", content: hidden + from("a12", `"type":"edit","edit":{"original_message_id":"wamid.a1","message":{"type":"text","text":{"body":"tamarind 1, edited"}}}`), want: change("message_edited")},
		{field: "messages", content: hidden + from("a13", `"type":"revoke","revoke":{"original_message_id":"wamid.a11"}`), want: change("message_deleted")},
		{field: "messages", content: hidden + from("a14", `"type":"unsupported","errors":[{"code":131051}],"unsupported":{"type":"unknown"}`), want: inbound},
		{field: "messages", content: hidden + from("a15", `"type":"interactive","interactive":{"type":"call_permission_reply","call_permission_reply":{"response":"accept"}}`), want: inbound},
		{field: "messages", content: hidden + from("a16", `"type":"request_welcome"`), want: unhandled("unknown_kind")},

		// Preferences
		{field: "user_preferences", content: hidden + `"user_preferences":[{"user_id":"ML.9001","category":"marketing_messages","value":"stop","detail":"User requested to stop","timestamp":$NOW}]`, want: change("marketing_stopped")},
		{field: "user_preferences", content: shown + `"user_preferences":[{"wa_id":"22376000002","user_id":"ML.9002","category":"marketing_messages","value":"resume","detail":"User requested to resume","timestamp":$NOW}]`, want: change("marketing_resumed")},

		// Changed numbers and IDs
		{field: "messages", content: `"messages":[{"from":"22376000002","id":"wamid.d1","timestamp":"$NOW","type":"system","system":{"type":"user_changed_number","wa_id":"22376000012","user_id":"ML.9012","previous_user_id":"ML.9002","body":"User Bin changed"}}]`, want: change("number_changed")},
		{field: "messages", content: `"messages":[{"id":"wamid.d2","timestamp":"$NOW","type":"system","system":{"type":"user_changed_user_id","user_id":"ML.9011","previous_user_id":"ML.9001","previous_parent_user_id":"ML.ENT.77","body":"User changed"}}]`, want: change("id_changed")},
		{field: "messages", content: `"messages":[{"from":"22376000012","id":"wamid.d3","timestamp":"$NOW","type":"system","system":{"type":"customer_identity_changed"}}]`, want: unhandled("unknown_kind")},
		{field: "user_id_update", content: `"user_id_update":[{"user_id":{"previous":"ML.9012","current":"ML.9022"},"timestamp":"$NOW"}]`, want: change("id_changed")},

		// Fields that Griot doesn't read
		{field: "smb_message_echoes", content: `"message_echoes":[{"from":"22370000001","to_user_id":"ML.9001","id":"wamid.e1","type":"text","text":{"body":"echo"}}]`, want: unhandled("unknown_kind")},
		{field: "calls", content: `"calls":[{"id":"wacid.1","from_user_id":"ML.9001","event":"connect"}]`, want: unhandled("unknown_kind")},
		{field: "group_participants_update", content: `"groups":[{"group_id":"Y2FwaV9ncm91cA","removed_participants":[{"user_id":"ML.9001"}]}]`, want: unhandled("unknown_kind")},
		{field: "history", content: `"history":[{"threads":[]}]`, want: unhandled("unknown_kind")},
		{field: "smb_app_state_sync", content: `"state_sync":[{"type":"contact","contact":{"user_id":"ML.9001"}}]`, want: unhandled("unknown_kind")},
		{field: "messaging_handovers", content: `"messaging_handovers":[{}]`, want: unhandled("unknown_kind")},
	}
}
