package cloudapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
)

// waba is the portfolio of people in the calls of the fake, which has no setting for it.
const waba = "waba:419561257915477"

func hidden(id string) gateway.PersonID {
	return gateway.PersonID{Portfolio: waba, ID: id, Username: "awa.t"}
}

// textFrom returns a text message with the given fields of its sender, beside contacts.
func textFrom(contacts, sender string) string {
	return envelope(ourNumberID, `"contacts":[`+contacts+`],"messages":[{`+sender+`"id":"wamid.A","timestamp":"1790000000","type":"text","text":{"body":"baobab kora djembe"}}]`)
}

// A message is from a number, an ID, or both, in each form that Meta and providers use.
func TestInbound_People(t *testing.T) {
	t.Parallel()
	const awa = `{"profile":{"name":"Awa","username":"awa.t"},"user_id":"ML.9001"}`
	long := "ML." + strings.Repeat("9", 128)
	for name, tt := range map[string]struct {
		contacts, sender string
		number, display  string
		person           gateway.PersonID
	}{
		"a number alone":             {`{"profile":{"name":"Awa"},"wa_id":"22370000001"}`, `"from":"22370000001",`, "22370000001", "Awa", gateway.PersonID{}},
		"a number with a plus":       {``, `"from":"+22370000001",`, "22370000001", "", gateway.PersonID{}},
		"a number that is a number":  {`{"profile":{"name":"Awa"},"wa_id":22370000001}`, `"from":22370000001,`, "22370000001", "Awa", gateway.PersonID{}},
		"number and ID":              {`{"profile":{"name":"Awa"},"wa_id":"22370000001","user_id":"ML.9001"}`, `"from":"22370000001","from_user_id":"ML.9001",`, "22370000001", "Awa", gateway.PersonID{Portfolio: waba, ID: "ML.9001"}},
		"the number is absent":       {awa, `"from_user_id":"ML.9001",`, "", "Awa", hidden("ML.9001")},
		"the number is null":         {strings.Replace(awa, `"user_id"`, `"wa_id":null,"user_id"`, 1), `"from":null,"from_user_id":"ML.9001",`, "", "Awa", hidden("ML.9001")},
		"the number is empty":        {strings.Replace(awa, `"user_id"`, `"wa_id":"","user_id"`, 1), `"from":"","from_user_id":"ML.9001",`, "", "Awa", hidden("ML.9001")},
		"the number is the ID":       {strings.Replace(awa, `"user_id"`, `"wa_id"`, 1), `"from":"ML.9001",`, "", "Awa", hidden("ML.9001")},
		"the number is both":         {strings.Replace(awa, `"user_id"`, `"wa_id":"ML.9001","user_id"`, 1), `"from":"ML.9001","from_user_id":"ML.9001",`, "", "Awa", hidden("ML.9001")},
		"the number is an object":    {awa, `"from":{"a":1},"from_user_id":"ML.9001",`, "", "Awa", hidden("ML.9001")},
		"no contacts":                {``, `"from_user_id":"ML.9001",`, "", "", gateway.PersonID{Portfolio: waba, ID: "ML.9001"}},
		"no name":                    {`{"user_id":"ML.9001"}`, `"from_user_id":"ML.9001",`, "", "", gateway.PersonID{Portfolio: waba, ID: "ML.9001"}},
		"names of other types":       {`{"profile":{"name":["Awa"],"username":{}},"user_id":"ML.9001"}`, `"from_user_id":"ML.9001",`, "", "", gateway.PersonID{Portfolio: waba, ID: "ML.9001"}},
		"a profile of another type":  {`{"profile":"Awa","user_id":"ML.9001"}`, `"from_user_id":"ML.9001",`, "", "", gateway.PersonID{Portfolio: waba, ID: "ML.9001"}},
		"a username with an @":       {strings.Replace(awa, "awa.t", "@awa.t", 1), `"from_user_id":"ML.9001",`, "", "Awa", hidden("ML.9001")},
		"no username":                {strings.Replace(awa, "awa.t", "awa t", 1), `"from_user_id":"ML.9001",`, "", "Awa", gateway.PersonID{Portfolio: waba, ID: "ML.9001"}},
		"only the contact knows":     {awa, ``, "", "Awa", hidden("ML.9001")},
		"the contact has the number": {strings.Replace(awa, `"user_id"`, `"wa_id":"22370000001","user_id"`, 1), `"from_user_id":"ML.9001",`, "22370000001", "Awa", hidden("ML.9001")},
		"the contact has the ID":     {strings.Replace(awa, `"user_id"`, `"wa_id":"22370000001","user_id"`, 1), `"from":"22370000001",`, "22370000001", "Awa", hidden("ML.9001")},
		"another person's contact":   {strings.Replace(awa, `"user_id"`, `"wa_id":"22370000001","user_id"`, 1), `"from":"22370000001","from_user_id":"ML.9002",`, "22370000001", "", gateway.PersonID{Portfolio: waba, ID: "ML.9002"}},
		"a parent ID": {
			strings.Replace(awa, `"user_id"`, `"parent_user_id":"ML.ENT.7","user_id"`, 1), `"from_user_id":"ML.9001","from_parent_user_id":"ML.ENT.7",`, "", "Awa",
			gateway.PersonID{Portfolio: waba, ID: "ML.9001", ParentID: "ML.ENT.7", Username: "awa.t"},
		},
		"a parent ID alone":         {``, `"from_parent_user_id":"ML.ENT.7",`, "", "", gateway.PersonID{Portfolio: waba, ID: "ML.ENT.7", ParentID: "ML.ENT.7"}},
		"a parent ID that is none":  {``, `"from_user_id":"ML.9001","from_parent_user_id":"ML.7",`, "", "", gateway.PersonID{Portfolio: waba, ID: "ML.9001"}},
		"the longest ID":            {``, `"from_user_id":"` + long + `",`, "", "", gateway.PersonID{Portfolio: waba, ID: long}},
		"an ID with a number":       {``, `"from":"22370000001","from_user_id":"` + long + `9",`, "22370000001", "", gateway.PersonID{}},
		"of Argentina":              {``, `"from_user_id":"AR.541112345678",`, "", "", gateway.PersonID{Portfolio: waba, ID: "AR.541112345678"}},
		"of Mexico":                 {``, `"from_user_id":"MX.525512345678",`, "", "", gateway.PersonID{Portfolio: waba, ID: "MX.525512345678"}},
		"of Brazil":                 {``, `"from_user_id":"BR.551187654321",`, "", "", gateway.PersonID{Portfolio: waba, ID: "BR.551187654321"}},
		"capitals are not the same": {`{"profile":{"name":"Awa"},"user_id":"ML.AB"}`, `"from_user_id":"ML.ab",`, "", "", gateway.PersonID{Portfolio: waba, ID: "ML.ab"}},
	} {
		s, env := newFakeGraph(t).open(nil)
		if w := callWebhook(s, signedCall(textFrom(tt.contacts, tt.sender))); w.Code != 200 {
			t.Errorf("%s: status %d", name, w.Code)
		}
		want := []gateway.Inbound{{
			ID: "wamid.A", Channel: gateway.WhatsApp, From: tt.number, Person: tt.person, To: ourNumber, DisplayName: tt.display,
			Type: gateway.InboundText, Text: "baobab kora djembe", At: time.Unix(1790000000, 0).UTC(),
		}}
		if diff := cmp.Diff(want, env.Sink.Messages()); diff != "" || len(env.Unhandled()) != 0 {
			t.Errorf("%s: %v (-want +got):\n%s", name, env.Unhandled(), diff)
		}
		if logged := env.Logged(); strings.Contains(logged, "ML.") || strings.Contains(logged, "awa") || strings.Contains(logged, "Awa") {
			t.Errorf("%s: logged %s", name, logged)
		}
	}
}

// A message keeps its sender and its text although any other field is absent, null, or of another type.
func TestInbound_FieldsOfOtherTypes(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"contacts", "metadata.display_phone_number", "messaging_product", "messages.0.id", "messages.0.timestamp", "messages.0.context", "messages.0.errors", "messages.0.type", "messages.0.new", "messages.0.from_parent_user_id"} {
		for _, other := range []string{"", "null", `""`, "7", "-1", `"x"`, "[]", "[7]", "{}", "true"} {
			if field == "messages.0.type" && other != "" && other != "null" && other != `""` {
				continue // another type
			}
			var call map[string]any
			body := envelope(ourNumberID, `"contacts":[{"user_id":"ML.9001"}],"messages":[{"from":"22370000001","from_user_id":"ML.9001","id":"wamid.A","timestamp":"1790000000","type":"text","text":{"body":"baobab"}}]`)
			if err := json.Unmarshal([]byte(body), &call); err != nil {
				t.Fatal(err)
			}
			at := call["entry"].([]any)[0].(map[string]any)["changes"].([]any)[0].(map[string]any)["value"].(map[string]any)
			path := strings.Split(field, ".")
			for _, name := range path[:len(path)-1] {
				if name == "0" {
					continue
				}
				if list, ok := at[name].([]any); ok {
					at = list[0].(map[string]any)
				} else {
					at = at[name].(map[string]any)
				}
			}
			delete(at, path[len(path)-1])
			if other != "" {
				at[path[len(path)-1]] = json.RawMessage(other)
			}
			raw, err := json.Marshal(call)
			if err != nil {
				t.Fatal(err)
			}
			s, env := newFakeGraph(t).open(nil)
			w := callWebhook(s, signedCall(string(raw)))
			got := env.Sink.Messages()
			if w.Code != 200 || len(got) != 1 || got[0].From != "22370000001" || got[0].Person.ID != "ML.9001" || got[0].Text != "baobab" || got[0].Type != gateway.InboundText || got[0].ID == "" || got[0].At.IsZero() {
				t.Errorf("%s is %s: %d %+v", field, other, w.Code, got)
			}
			if callWebhook(s, signedCall(string(raw))); len(env.Sink.Messages()) != 2 || env.Sink.Messages()[1].ID != got[0].ID {
				t.Errorf("%s is %s: another ID when it is repeated", field, other)
			}
		}
	}
}

// A call can have several people and messages. No message is given another's person.
func TestInbound_SeveralPeople(t *testing.T) {
	t.Parallel()
	s, env := newFakeGraph(t).open(nil)
	message := func(sender, id string) string {
		return `{` + sender + `"id":"` + id + `","type":"text","text":{"body":"a"}}`
	}
	callWebhook(s, signedCall(envelope(ourNumberID, `"contacts":[{"profile":{"name":"Awa","username":"awa.t"},"user_id":"ML.9001"},{"profile":{"name":"Moussa"},"wa_id":"22370000002"},{"profile":{"name":"Fanta"},"wa_id":"22370000003","user_id":"ML.9003"}],
 "messages":[`+message(`"from":"22370000002",`, "1")+`,`+message(`"from_user_id":"ML.9001",`, "2")+`,`+message(`"from_user_id":"ML.9003",`, "3")+`,`+message(``, "4")+`,`+message(`"from_user_id":"ML.9001",`, "5")+`]`)))
	var got []string
	for _, in := range env.Sink.Messages() {
		got = append(got, fmt.Sprintf("%s %s %s %s", in.ID, in.From, in.Person.ID, in.DisplayName))
	}
	if diff := cmp.Diff([]string{"1 22370000002  Moussa", "2  ML.9001 Awa", "3 22370000003 ML.9003 Fanta", "5  ML.9001 Awa"}, got); diff != "" || env.Unhandled()[gateway.UnhandledNoSender] != 1 {
		t.Error(diff, env.Unhandled())
	}
}

// The setting names the portfolio. Without it, it is the business account, if Meta names it.
func TestInbound_Portfolio(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string][2]string{`"id":"419561257915477"`: {waba, "sahel"}, `"id":419561257915477`: {waba, "sahel"}, `"id":""`: {"", "sahel"}, `"id":null`: {"", "sahel"}, `"id":"a b"`: {"", "sahel"}, `"x":1`: {"", "sahel"}} {
		for i, setting := range []string{"", "sahel"} {
			s, env := newFakeGraph(t).open(map[string]any{"portfolio": setting})
			callWebhook(s, signedCall(strings.Replace(textFrom(``, `"from_user_id":"ML.9001",`), `"id":"419561257915477"`, entry, 1)))
			if got := env.Sink.Messages(); len(got) != 1 || got[0].Person.Portfolio != want[i] {
				t.Errorf("%s with %q: %+v", entry, setting, got)
			}
		}
	}
}

// The display number identifies our number if its ID is missing. Without both, the sink looks for it.
func TestInbound_NumberWithoutID(t *testing.T) {
	t.Parallel()
	s, env := newFakeGraph(t).open(nil)
	for _, metadata := range []string{`{"display_phone_number":"` + ourNumber + `"}`, `{"display_phone_number":"+223 76 00 00 01","phone_number_id":null}`, `{"display_phone_number":"15550783881"}`, `null`} {
		callWebhook(s, signedCall(strings.Replace(textFrom(``, `"from":"22370000001",`), `{"display_phone_number":"15550783881","phone_number_id":"`+ourNumberID+`"}`, metadata, 1)))
	}
	if got := env.Sink.Messages(); len(got) != 3 || got[0].To != ourNumber || got[1].To != ourNumber || got[2].To != "" || env.Unhandled()[gateway.UnhandledNumber] != 1 {
		t.Errorf("%+v %v", got, env.Unhandled())
	}
}

// While Meta's Business Agent has a conversation, messages and statuses are the same in another field.
func TestInbound_Standby(t *testing.T) {
	t.Parallel()
	s, env := newFakeGraph(t).open(nil)
	body := envelope(ourNumberID, `"messages":[{"from_user_id":"ML.9001","id":"wamid.A","type":"text","text":{"body":"STOP"}}],"statuses":[{"id":"wamid.B","status":"read","timestamp":"1"}],"message_echoes":[{"id":"wamid.C"},{"id":"wamid.D"}]`)
	callWebhook(s, signedCall(strings.Replace(body, `"field":"messages"`, `"field":"standby"`, 1)))
	callWebhook(s, signedCall(body))
	got := env.Sink.Messages()
	if len(got) != 2 || !got[0].Standby || got[1].Standby || got[0].Text != "STOP" || len(env.Sink.Receipts()) != 2 || env.Unhandled()[gateway.UnhandledKind] != 4 {
		t.Errorf("%+v %+v %v", got, env.Sink.Receipts(), env.Unhandled())
	}
}

// Only the card of WhatsApp's button shares a number, and only one.
func TestInbound_SharedNumber(t *testing.T) {
	t.Parallel()
	const number = `"phones":[{"phone":"+223 70 00 00 01","wa_id":"22370000001","type":"CELL"}]`
	by := func(phones string) string { return `,"contacts":[{"origin":"contact_request",` + phones + `}]` }
	for name, tt := range map[string]struct{ content, want string }{
		"by the button":                {by(number), "22370000001"},
		"with a name":                  {by(`"name":{"formatted_name":"Awa"},"vcard":null,` + number), "22370000001"},
		"the origin of the message":    {`,"origin":"contact_request","contacts":[{` + number + `}]`, "22370000001"},
		"only the ID of WhatsApp":      {by(`"phones":[{"wa_id":"22370000001"}]`), "22370000001"},
		"only the number":              {by(`"phones":[{"phone":"+22370000001"}]`), "22370000001"},
		"not a list":                   {`,"contacts":{"origin":"contact_request","phones":{"phone":"+22370000001"}}`, "22370000001"},
		"of Brazil":                    {by(`"phones":[{"phone":"+55 11 98765-4321","wa_id":"551187654321"}]`), "551187654321"},
		"by hand":                      {`,"contacts":[{"origin":"other",` + number + `}]`, ""},
		"without an origin":            {`,"contacts":[{` + number + `}]`, ""},
		"of two origins":               {`,"origin":"other","contacts":[{"origin":"contact_request",` + number + `}]`, ""},
		"an origin of another type":    {`,"contacts":[{"origin":["contact_request"],` + number + `}]`, ""},
		"in another spelling":          {`,"contacts":[{"origin":"Contact_Request",` + number + `}]`, ""},
		"with a vCard":                 {by(`"vcard":"BEGIN:VCARD",` + number), ""},
		"forwarded":                    {by(number) + `,"context":{"forwarded":true}`, ""},
		"forwarded often":              {by(number) + `,"context":{"frequently_forwarded":true}`, ""},
		"two numbers":                  {by(`"phones":[{"phone":"+22370000001"},{"phone":"+22370000002"}]`), ""},
		"a second number is no number": {by(`"phones":[{"phone":"+22370000001"},7]`), ""},
		"two cards":                    {`,"contacts":[{"origin":"contact_request",` + number + `},{"origin":"contact_request"}]`, ""},
		"a second card is no card":     {`,"contacts":[{"origin":"contact_request",` + number + `},7]`, ""},
		"no number":                    {by(`"phones":[]`), ""},
		"a national number":            {by(`"phones":[{"phone":"70000001"}]`), ""},
		"numbers that differ":          {by(`"phones":[{"phone":"+22370000002","wa_id":"22370000001"}]`), ""},
		"a number that is none":        {by(`"phones":[{"phone":"ask Awa","wa_id":"22370000001"}]`), ""},
		"an ID":                        {by(`"phones":[{"wa_id":"ML.9001"}]`), ""},
	} {
		for sender, shares := range map[string]bool{`"from_user_id":"ML.9001",`: true, `"from":"` + tt.want + `","from_user_id":"ML.9001",`: true, `"from":"22370000009","from_user_id":"ML.9001",`: false, `"from":"22370000001",`: false} {
			s, env := newFakeGraph(t).open(nil)
			callWebhook(s, signedCall(envelope(ourNumberID, `"messages":[{`+sender+`"id":"wamid.A","timestamp":"1790000000","type":"contacts"`+tt.content+`}]`)))
			want := ""
			if shares {
				want = tt.want
			}
			if got := env.Sink.Messages(); len(got) != 1 || got[0].Shared != want {
				t.Errorf("%s, %s: %+v", name, sender, got)
			}
		}
	}
	s, env := newFakeGraph(t).open(nil)
	callWebhook(s, signedCall(envelope(ourNumberID, `"messages":[{"from_user_id":"ML.9001","id":"wamid.A","type":"contacts"`+by(number)+`}]`)))
	if got := env.Sink.Messages()[0]; got.Type != gateway.InboundContacts || got.Text != "+22370000001" {
		t.Errorf("%+v", got)
	}
}

// A receipt has the recipient's number, ID, and price, as far as Meta reports them.
// Rules: M201.
func TestReceipts_People(t *testing.T) {
	t.Parallel()
	awa := gateway.PersonID{Portfolio: waba, ID: "ML.9001"}
	for name, tt := range map[string]struct {
		contacts, status string
		recipient        string
		person           gateway.PersonID
		pricing          *gateway.Pricing
	}{
		"to a number":          {`{"profile":{"name":"Awa","username":"awa.t"},"wa_id":"22370000001","user_id":"ML.9001"}`, `"recipient_id":"22370000001","recipient_user_id":"ML.9001"`, "22370000001", hidden("ML.9001"), nil},
		"to an ID":             {`{"user_id":"ML.9001"}`, `"recipient_user_id":"ML.9001"`, "", awa, nil},
		"an ID as the number":  {``, `"recipient_id":"ML.9001"`, "", awa, nil},
		"null":                 {``, `"recipient_id":null,"recipient_user_id":"ML.9001","pricing":null`, "", awa, nil},
		"nobody":               {``, `"x":1`, "", gateway.PersonID{}, nil},
		"only the contact":     {`{"wa_id":"22370000001","user_id":"ML.9001"}`, `"x":1`, "22370000001", awa, nil},
		"a parent":             {``, `"recipient_user_id":"ML.9001","recipient_parent_user_id":"ML.ENT.7"`, "", gateway.PersonID{Portfolio: waba, ID: "ML.9001", ParentID: "ML.ENT.7"}, nil},
		"a parent's old name":  {``, `"recipient_user_id":"ML.9001","parent_recipient_user_id":"ML.ENT.7"`, "", gateway.PersonID{Portfolio: waba, ID: "ML.9001", ParentID: "ML.ENT.7"}, nil},
		"a group":              {`{"wa_id":"22370000001","user_id":"ML.9001"}`, `"recipient_type":"group","recipient_id":"Y2","recipient_participant_id":"22370000001","recipient_participant_user_id":"ML.9001"`, "", gateway.PersonID{}, nil},
		"billable":             {``, `"pricing":{"billable":true,"pricing_model":"PMP","category":"utility","type":"regular"}`, "", gateway.PersonID{}, &gateway.Pricing{Billable: true, Category: "utility"}},
		"free":                 {``, `"pricing":{"billable":false,"category":"SERVICE"}`, "", gateway.PersonID{}, &gateway.Pricing{Category: "service"}},
		"priced by its type":   {``, `"pricing":{"pricing_model":"PMP","category":"marketing","type":"regular"}`, "", gateway.PersonID{}, &gateway.Pricing{Billable: true, Category: "marketing"}},
		"free by its type":     {``, `"pricing":{"billable":null,"category":"service","type":"free_entry_point"}`, "", gateway.PersonID{}, &gateway.Pricing{Category: "service"}},
		"a price of nothing":   {``, `"pricing":{}`, "", gateway.PersonID{}, nil},
		"a card of prices":     {``, `"pricing":[{"billable":true}],"card":{"pricing":{"billable":{}}},"new":[{}]`, "", gateway.PersonID{}, nil},
		"a price without type": {``, `"pricing":"free"`, "", gateway.PersonID{}, nil},
		"a category of no use": {``, `"pricing":{"billable":true,"category":"a b"}`, "", gateway.PersonID{}, &gateway.Pricing{Billable: true}},
	} {
		s, env := newFakeGraph(t).open(nil)
		callWebhook(s, signedCall(envelope(ourNumberID, `"contacts":[`+tt.contacts+`],"statuses":[{"id":"w","status":"delivered","timestamp":"1790000000","biz_opaque_callback_data":"msg_1",`+tt.status+`}]`)))
		want := []gateway.Receipt{{Ref: "msg_1", ProviderID: "w", Status: gateway.ReceiptDelivered, At: time.Unix(1790000000, 0).UTC(), Recipient: tt.recipient, Person: tt.person, Pricing: tt.pricing}}
		if diff := cmp.Diff(want, env.Sink.Receipts()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
