package cloudapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/whatsappid"
)

// inboundJSON returns a message from aissata with the field that its type names.
func inboundJSON(kind, content string) string {
	return envelope(ourNumberID, `"contacts":[{"profile":{"name":"Aïssata"},"wa_id":"22370000011"}],"messages":[{"from":"22370000011","id":"wamid.A=","timestamp":"1749416383","type":"`+
		kind+`"`+content+`}]`)
}

func TestInbound_Types(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	for name, tt := range map[string]struct {
		kind, content string
		want          gateway.Inbound
	}{
		"text":            {"text", `,"text":{"body":"Où est ma commande ?"}`, gateway.Inbound{Type: "text", Text: "Où est ma commande ?"}},
		"text with NUL":   {"text", `,"text":{"body":"a\u0000b\ud800"}`, gateway.Inbound{Type: "text", Text: "ab\uFFFD"}},
		"answer to an ad": {"text", `,"text":{"body":"Bonjour"},"referral":{"source_url":"https://fb.me/x","body":"Promo"}`, gateway.Inbound{Type: "text", Text: "Bonjour"}},
		"image": {
			"image", `,"image":{"caption":"Le reçu","mime_type":"image/jpeg","sha256":"S","id":"1003"}`,
			gateway.Inbound{Type: "image", Text: "Le reçu", MIMEType: "image/jpeg", MediaURL: ourNumber + "/1003"},
		},
		"image with an address": {
			"image", `,"image":{"mime_type":"image/jpeg","id":"no id at all","url":"https://cdn.test/x?y=1"}`,
			gateway.Inbound{Type: "image", MIMEType: "image/jpeg", MediaURL: "https://cdn.test/x?y=1"},
		},
		"video":                   {"video", `,"video":{"mime_type":"video/mp4","id":"1"}`, gateway.Inbound{Type: "video", MIMEType: "video/mp4", MediaURL: ourNumber + "/1"}},
		"voice":                   {"audio", `,"audio":{"mime_type":"audio/ogg; codecs=opus","id":"1","voice":true}`, gateway.Inbound{Type: "audio", MIMEType: "audio/ogg; codecs=opus", MediaURL: ourNumber + "/1"}},
		"sticker":                 {"sticker", `,"sticker":{"mime_type":"image/webp","id":"1","animated":false}`, gateway.Inbound{Type: "sticker", MIMEType: "image/webp", MediaURL: ourNumber + "/1"}},
		"document":                {"document", `,"document":{"caption":"c","filename":"reçu.pdf","mime_type":"application/pdf","id":"1"}`, gateway.Inbound{Type: "document", Text: "c", FileName: "reçu.pdf", MIMEType: "application/pdf", MediaURL: ourNumber + "/1"}},
		"location":                {"location", `,"location":{"latitude":12.6392,"longitude":-8.0029,"name":"Marché rose","address":"Bamako"}`, gateway.Inbound{Type: "location", Text: "12.6392,-8.0029 Marché rose, Bamako"}},
		"place without a name":    {"location", `,"location":{"latitude":12.6392,"longitude":-8.0029}`, gateway.Inbound{Type: "location", Text: "12.6392,-8.0029"}},
		"place with an address":   {"location", `,"location":{"latitude":12.6392,"longitude":-8.0029,"address":"Bamako"}`, gateway.Inbound{Type: "location", Text: "12.6392,-8.0029 Bamako"}},
		"place named so":          {"location", `,"location":{"latitude":0,"longitude":-8.5,"name":"Bamako","address":"Bamako"}`, gateway.Inbound{Type: "location", Text: "0,-8.5 Bamako"}},
		"contact":                 {"contacts", `,"contacts":[{"name":{"first_name":"Lucía","formatted_name":"Lucía Gómez"},"org":{"company":"Google"},"phones":[{"phone":"+1 (983) 555-2319","wa_id":"19835552319","type":"MOBILE"}]}]`, gateway.Inbound{Type: "contacts", Text: "Lucía Gómez +19835552319"}},
		"contacts":                {"contacts", `,"contacts":[{"name":{"formatted_name":"Moussa Keïta"},"phones":[{"phone":"+223 70-00 00 02"},{"phone":"76 00 00 02","wa_id":"22376000002"},{"phone":"76000003"}]},{"name":{"first_name":"Awa"}}]`, gateway.Inbound{Type: "contacts", Text: "Moussa Keïta +22370000002 +22376000002 76000003, Awa"}},
		"a number twice":          {"contacts", `,"contacts":[{"name":{"first_name":"Awa","last_name":"Diallo"},"phones":[{"phone":"+22370000002","type":"HOME"},{"phone":"+223 7000 0002","type":"CELL"}]}]`, gateway.Inbound{Type: "contacts", Text: "Awa Diallo +22370000002"}},
		"numbers as people copy":  {"contacts", `,"contacts":[{"name":{"first_name":"Awa"},"phones":[{"phone":"\u202a+223 70\u201100 00 02\u202c"},{"phone":"+٢٢٣ ٧٦٠٠٠٠٠٢"},{"phone":"(+44) (0)7911 123456"}]}]`, gateway.Inbound{Type: "contacts", Text: "Awa +22370000002 +22376000002 +447911123456"}},
		"a number alone":          {"contacts", `,"contacts":[{"phones":[{"wa_id":"22370000002"}]},{"org":{"company":"Kora"},"phones":[{"phone":"ask Awa"}]}]`, gateway.Inbound{Type: "contacts", Text: "+22370000002, Kora"}},
		"contacts of a new form":  {"contacts", `,"contacts":["a",{"name":7,"phones":[8,{"phone":9},{"phone":"+22370000002"}]},{"name":{"formatted_name":"Awa"},"phones":{}}]`, gateway.Inbound{Type: "contacts", Text: "9 +22370000002, Awa"}},
		"reaction":                {"reaction", `,"reaction":{"message_id":"wamid.B","emoji":"👍"}`, gateway.Inbound{Type: "reaction", Text: "👍", ReplyTo: gateway.Quoted{ProviderID: "wamid.B"}}},
		"quote":                   {"text", `,"text":{"body":"oui"},"context":{"from":"22370000001","id":"wamid.B"}`, gateway.Inbound{Type: "text", Text: "oui", ReplyTo: gateway.Quoted{ProviderID: "wamid.B"}}},
		"forwarded":               {"text", `,"text":{"body":"oui"},"context":{"forwarded":true}`, gateway.Inbound{Type: "text", Text: "oui"}},
		"quote of a new form":     {"text", `,"text":{"body":"oui"},"context":["wamid.B"]`, gateway.Inbound{Type: "text", Text: "oui"}},
		"button":                  {"button", `,"button":{"payload":"p","text":"Oui"},"context":{"id":"wamid.B"}`, gateway.Inbound{Type: "text", Text: "Oui", Choice: gateway.Choice{ID: "p", Title: "Oui"}, ReplyTo: gateway.Quoted{ProviderID: "wamid.B"}}},
		"button of a message":     {"interactive", `,"interactive":{"type":"button_reply","button_reply":{"id":"x","title":"Annuler"}}`, gateway.Inbound{Type: "text", Text: "Annuler", Choice: gateway.Choice{ID: "x", Title: "Annuler"}}},
		"row of a list":           {"interactive", `,"interactive":{"type":"list_reply","list_reply":{"id":"x","title":"Express","description":"d"}}`, gateway.Inbound{Type: "text", Text: "Express", Choice: gateway.Choice{ID: "x", Title: "Express"}}},
		"form":                    {"interactive", `,"interactive":{"type":"nfm_reply","nfm_reply":{"body":"Sent","name":"flow","response_json":"{\"taille\": 42, \"flow_token\":\"t\"}"}}`, gateway.Inbound{Type: "text", Text: "Sent", Response: `{"flow_token":"t","taille":42}`}},
		"form, unreadable":        {"interactive", `,"interactive":{"type":"nfm_reply","nfm_reply":{"body":"Sent","name":"flow","response_json":"[1]"}}`, gateway.Inbound{Type: "text", Text: "Sent"}},
		"order":                   {"order", `,"order":{"catalog_id":"1","text":"vite","product_items":[{"product_retailer_id":"a","quantity":2},{"product_retailer_id":"b","quantity":"1"}]}`, gateway.Inbound{Type: "text", Text: "2 × a, 1 × b\nvite"}},
		"unsupported":             {"unsupported", `,"errors":[{"code":131051,"title":"t"}]`, gateway.Inbound{Type: "unsupported"}},
		"unsupported, another":    {"unsupported", `,"unsupported":{"type":"poll"},"errors":[{"code":131060,"title":"t"}]`, gateway.Inbound{Type: "unsupported"}},
		"something new":           {"hologram", `,"hologram":{"id":"1"}`, gateway.Inbound{Type: "unsupported"}},
		"something new, a text":   {"hologram", `,"hologram":{"id":"1","body":"oui"}`, gateway.Inbound{Type: "unsupported", Text: "oui"}},
		"a text without a type":   {"", `,"text":{"body":"oui"}`, gateway.Inbound{Type: "text", Text: "oui"}},
		"a text that is a text":   {"text", `,"text":"oui"`, gateway.Inbound{Type: "text", Text: "oui"}},
		"a text that is a number": {"text", `,"text":{"body":41235}`, gateway.Inbound{Type: "text", Text: "41235"}},
		"a call's permission":     {"interactive", `,"interactive":{"type":"call_permission_reply","call_permission_reply":{"response":"accept"}}`, gateway.Inbound{Type: "unsupported"}},
		"a product list":          {"interactive", `,"interactive":{"type":"product_list_reply","product_list_reply":{"id":"1"}}`, gateway.Inbound{Type: "unsupported"}},
		"an image without an id":  {"image", `,"image":{"caption":"Le reçu"}`, gateway.Inbound{Type: "image", Text: "Le reçu", MediaLost: gateway.MediaUnavailable}},
		"text of another form":    {"text", `,"text":["a"]`, gateway.Inbound{Type: "unsupported"}},
		"text without a text":     {"text", ``, gateway.Inbound{Type: "unsupported"}},
	} {
		s, env := g.open(nil)
		if w := callWebhook(s, signedCall(inboundJSON(tt.kind, tt.content))); w.Code != 200 {
			t.Errorf("%s: %d", name, w.Code)
		}
		tt.want.ID, tt.want.Channel, tt.want.From, tt.want.To, tt.want.DisplayName = "wamid.A=", gateway.WhatsApp, aissata, ourNumber, "Aïssata"
		tt.want.At = time.Unix(1749416383, 0).UTC()
		if diff := cmp.Diff([]gateway.Inbound{tt.want}, env.Sink.Messages()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, word := range []string{"Aïssata", aissata, "commande"} {
			if strings.Contains(env.Logged(), word) {
				t.Errorf("%s: the log repeats %q", name, word)
			}
		}
	}
}

// Cards are read up to a limit.
func TestInbound_ManyContacts(t *testing.T) {
	t.Parallel()
	var cards, numbers []string
	for n := range 50 {
		numbers = append(numbers, fmt.Sprintf(`{"phone":"+223%d"}`, 70000000+n))
	}
	for range 200 {
		cards = append(cards, `{"name":{"formatted_name":"`+strings.Repeat("é", 1000)+`"},"phones":[`+strings.Join(numbers, ",")+`]}`)
	}
	s, env := newFakeGraph(t).open(nil)
	if w := callWebhook(s, signedCall(inboundJSON("contacts", `,"contacts":[`+strings.Join(cards, ",")+`]`))); w.Code != 200 {
		t.Fatalf("status %d, want 200", w.Code)
	}
	if got := env.Sink.Messages(); len(got) != 1 || strings.Count(got[0].Text, "é") != maxCards*maxCardName || strings.Count(got[0].Text, "+") != maxCards*maxCardNumbers {
		t.Errorf("%d messages", len(got))
	}
}

// What is not a message from one person to us is counted with its reason and logged; the rest of the call is stored.
func TestInbound_Dropped(t *testing.T) {
	t.Parallel()
	good := `{"from":"22370000011","id":"wamid.Z","timestamp":1749416383,"type":"text","text":{"body":"oui"}}`
	beside := func(item string) string { return envelope(ourNumberID, `"messages":[`+item+`,`+good+`]`) }
	for name, tt := range map[string]struct {
		body   string
		reason string
		count  int
	}{
		"group":                    {beside(`{"from":"22370000011","group_id":"Y2","id":"a","timestamp":"1","type":"text","text":{"body":"baobab"}}`), gateway.UnhandledGroup, 1},
		"group, without a number":  {beside(`{"from_user_id":"ML.9001","group_id":"Y2","id":"a","type":"text","text":{"body":"baobab"}}`), gateway.UnhandledGroup, 1},
		"no person":                {beside(`{"id":"a","timestamp":"1","type":"text","text":{"body":"baobab"}}`), gateway.UnhandledNoSender, 1},
		"no person but a name":     {envelope(ourNumberID, `"contacts":[{"profile":{"name":"Awa","username":"awa.t"}}],"messages":[{"id":"a","type":"text","text":{"body":"baobab"}},`+good+`]`), gateway.UnhandledNoSender, 1},
		"a LID":                    {beside(`{"from":"123456789012345@lid","id":"a","type":"text","text":{"body":"baobab"}}`), gateway.UnhandledNoSender, 1},
		"no ID after all":          {beside(`{"from":"","from_user_id":"ML-9001","id":"a","type":"text","text":{"body":"baobab"}}`), gateway.UnhandledNoSender, 1},
		"the chat was opened":      {beside(`{"from":"22370000011","id":"a","timestamp":"1","type":"request_welcome"}`), gateway.UnhandledKind, 1},
		"a reaction taken back":    {beside(`{"from":"22370000011","id":"a","timestamp":"1","type":"reaction","reaction":{"message_id":"wamid.B"}}`), gateway.UnhandledKind, 1},
		"an empty reaction":        {beside(`{"from":"22370000011","id":"a","timestamp":"1","type":"reaction","reaction":{"message_id":"wamid.B","emoji":""}}`), gateway.UnhandledKind, 1},
		"a reaction without emoji": {beside(`{"from":"22370000011","id":"a","timestamp":"1","type":"reaction","reaction":{"message_id":"wamid.B","emoji":null}}`), gateway.UnhandledKind, 1},
		"not objects":              {envelope(ourNumberID, `"contacts":["x"],"messages":["a",null,7,`+good+`]`), gateway.UnhandledUnreadable, 3},
		"statuses of nothing":      {envelope(ourNumberID, `"messages":[`+good+`],"statuses":["a",null,{"status":"sent"}]`), gateway.UnhandledUnreadable, 3},
		"statuses without a use":   {envelope(ourNumberID, `"messages":[`+good+`],"statuses":[{"id":"b","status":"deleted"},{"id":"b","status":"warning"},{"id":"b"}]`), gateway.UnhandledKind, 3},
		"other number":             {strings.Replace(envelope("999", `"messages":[`+strings.Replace(good, "Z", "Y", 1)+`,{}]`), `"changes":[`, `"changes":[{"field":"messages","value":{"metadata":{"phone_number_id":"`+ourNumberID+`"},"messages":[`+good+`]}},`, 1), gateway.UnhandledNumber, 2},
		"other field":              {strings.Replace(beside(good), `"changes":[`, `"changes":[{"field":"account_update","value":"x"},{"field":"group_lifecycle_update","value":{"groups":[{"added_participants":[{"wa_id":16505551234}]}]}},`, 1), gateway.UnhandledKind, 2},
		"unreadable values":        {strings.Replace(beside(good), `"changes":[`, `"changes":[7,{"field":"messages","value":7},{"field":"messages"},`, 1), gateway.UnhandledUnreadable, 3},
		"unreadable entry":         {strings.Replace(beside(good), `"entry":[`, `"entry":[7,`, 1), gateway.UnhandledUnreadable, 1},
		"an error of the number":   {strings.Replace(beside(good), `"changes":[`, `"changes":[{"field":"messages","value":{"metadata":{"phone_number_id":"`+ourNumberID+`"},"errors":[{"code":1}]}},`, 1), gateway.UnhandledKind, 1},
	} {
		s, env := newFakeGraph(t).open(nil)
		if w := callWebhook(s, signedCall(tt.body)); w.Code != 200 {
			t.Errorf("%s: %d", name, w.Code)
		}
		got := env.Sink.Messages()
		if len(got) == 0 || got[0].ID != "wamid.Z" || len(env.Sink.Receipts())+len(env.Sink.Changes()) != 0 {
			t.Errorf("%s: %+v %+v %+v", name, got, env.Sink.Receipts(), env.Sink.Changes())
		}
		if diff := cmp.Diff(map[string]int{tt.reason: tt.count}, env.Unhandled()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if logged := env.Logged(); !strings.Contains(logged, "WARN") || !strings.Contains(logged, tt.reason) || strings.Contains(logged, "baobab") || strings.Contains(logged, "2237000") {
			t.Errorf("%s: logged %s", name, logged)
		}
	}
}

func TestReceipts(t *testing.T) {
	t.Parallel()
	s, env := newFakeGraph(t).open(nil)
	const at = `"timestamp":"1749416383","recipient_id":"22370000011"`
	body := envelope(ourNumberID, `"statuses":[{"id":"w1","status":"sent",`+at+`,"biz_opaque_callback_data":"msg_1","conversation":{"id":"c","expiration_timestamp":"1"}},
 {"id":"w1","status":"delivered",`+at+`,"biz_opaque_callback_data":"msg_1"},{"id":"w2","status":"read",`+at+`},{"id":"w3","status":"played",`+at+`},
 {"id":"w4","status":"failed",`+at+`,"biz_opaque_callback_data":"msg_4","errors":[{"code":"131047","title":"Re-engagement message","message":"m","error_data":{"details":"Bonjour 22370000011"},"href":"h"}]},
 {"id":"w5","status":"failed",`+at+`,"errors":[{"code":"soon"}]}]`)
	if w := callWebhook(s, signedCall(body)); w.Code != 200 {
		t.Fatalf("status %d, want 200", w.Code)
	}
	when := time.Unix(1749416383, 0).UTC()
	want := []gateway.Receipt{
		{Ref: "msg_1", ProviderID: "w1", Status: gateway.ReceiptSent, At: when, Recipient: aissata},
		{Ref: "msg_1", ProviderID: "w1", Status: gateway.ReceiptDelivered, At: when, Recipient: aissata},
		{ProviderID: "w2", Status: gateway.ReceiptRead, At: when, Recipient: aissata},
		{ProviderID: "w3", Status: gateway.ReceiptRead, At: when, Recipient: aissata},
		{Ref: "msg_4", ProviderID: "w4", Status: gateway.ReceiptFailed, At: when, Recipient: aissata, Err: &gateway.Error{Class: gateway.Permanent, Code: "window_closed", ProviderCode: "131047"}},
		{ProviderID: "w5", Status: gateway.ReceiptFailed, At: when, Recipient: aissata, Err: &gateway.Error{Class: gateway.Permanent, Code: "message_refused"}},
	}
	if diff := cmp.Diff(want, env.Sink.Receipts()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A wrong signature is refused before the body is parsed. Parsing would result in 400.
func TestWebhook_Signatures(t *testing.T) {
	t.Parallel()
	s, env := newFakeGraph(t).open(nil)
	good := inboundJSON("text", `,"text":{"body":"a"}`)
	for name, tt := range map[string]struct{ body, header string }{
		"none":              {good, ""},
		"no scheme":         {good, strings.TrimPrefix(signature(secret, good), "sha256=")},
		"sha1":              {good, strings.Replace(signature(secret, good), "sha256=", "sha1=", 1)},
		"another secret":    {good, signature("other", good)},
		"of another body":   {good + " ", signature(secret, good)},
		"cut":               {good, signature(secret, good)[:40]},
		"longer":            {good, signature(secret, good) + "00"},
		"not hex":           {good, "sha256=zz"},
		"empty":             {good, "sha256="},
		"unreadable":        {"{", signature("other", "{")},
		"with empty secret": {good, signature("", good)},
	} {
		r := signedCall(tt.body)
		r.Header.Set("X-Hub-Signature-256", tt.header)
		if w := callWebhook(s, r); w.Code != http.StatusForbidden {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	if len(env.Sink.Messages()) != 0 {
		t.Error("something was stored")
	}
	for _, unreadable := range []string{"{", "[]", "null", `"entry"`} {
		if w := callWebhook(s, signedCall(unreadable)); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", unreadable, w.Code)
		}
	}
	if w := callWebhook(s, signedCall(good)); w.Code != 200 || len(env.Sink.Messages()) != 1 {
		t.Errorf("a valid signature: %d", w.Code)
	}
	closed, _ := newFakeGraph(t).open(map[string]any{"app_secret": "", "verify_token": ""})
	r := signedCall(good)
	r.Header.Set("X-Hub-Signature-256", signature("", good))
	if w := callWebhook(closed, r); w.Code != http.StatusForbidden || closed.Info().Receipts {
		t.Errorf("without a secret: %d", w.Code)
	}
	if w := callWebhook(closed, httptest.NewRequest(http.MethodGet, "/?hub.mode=subscribe&hub.verify_token=&hub.challenge=1", nil)); w.Code != http.StatusForbidden {
		t.Errorf("without a verify token: %d", w.Code)
	}
}

func TestWebhook_Challenge(t *testing.T) {
	t.Parallel()
	s, _ := newFakeGraph(t).open(nil)
	challenge := "1158201444"
	get := func(mode, given string) *httptest.ResponseRecorder {
		q := url.Values{"hub.mode": {mode}, "hub.verify_token": {given}, "hub.challenge": {challenge}}
		return callWebhook(s, httptest.NewRequest(http.MethodGet, "/?"+q.Encode(), nil))
	}
	if w := get("subscribe", verify); w.Code != 200 || w.Body.String() != challenge || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		t.Errorf("%d %q %v", w.Code, w.Body, w.Header())
	}
	for _, w := range []*httptest.ResponseRecorder{get("subscribe", "x"), get("subscribe", ""), get("subscribe", verify+"x"), get("unsubscribe", verify), get("", verify)} {
		if w.Code != http.StatusForbidden || w.Body.Len() != 0 {
			t.Errorf("%d %q", w.Code, w.Body)
		}
	}
	challenge = "<script>"
	if w := get("subscribe", verify); w.Code != http.StatusForbidden || w.Body.Len() != 0 {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	if w := callWebhook(s, httptest.NewRequest(http.MethodPut, "/", nil)); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("PUT: %d", w.Code)
	}
}

// If a call is not stored, it is refused, so that Meta repeats all of it.
func TestWebhook_SinkFails(t *testing.T) {
	t.Parallel()
	s, env := newFakeGraph(t).open(nil)
	body := envelope(ourNumberID, `"messages":[{"from":"22370000011","id":"a","timestamp":"1","type":"text","text":{"body":"a"}},{"from":"22370000011","id":"b","timestamp":"1","type":"text","text":{"body":"b"}}],
 "statuses":[{"id":"w","status":"sent","timestamp":"1"}]`)
	for refusals := range 3 {
		env.Sink.Refuse(1)
		if w := callWebhook(s, signedCall(body)); w.Code != http.StatusInternalServerError {
			t.Errorf("%d: %d", refusals, w.Code)
		}
	}
	if w := callWebhook(s, signedCall(body)); w.Code != 200 || len(env.Sink.Messages()) != 2 || len(env.Sink.Receipts()) != 1 {
		t.Errorf("%d, %+v", w.Code, env.Sink.Messages())
	}
	if strings.Contains(env.Logged(), aissata) {
		t.Error("the log repeats the number")
	}
}

func TestWebhook_Flood(t *testing.T) {
	t.Parallel()
	s, env := newFakeGraph(t).open(nil)
	huge := inboundJSON("text", `,"text":{"body":"`+strings.Repeat("a", maxBody)+`"}`)
	if w := callWebhook(s, signedCall(huge)); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("%d", w.Code)
	}
	if len(env.Sink.Messages()) != 0 {
		t.Error("it was stored")
	}
}

func FuzzWebhook(f *testing.F) {
	for _, seed := range []string{
		inboundJSON("text", `,"text":{"body":"a"}`), inboundJSON("location", `,"location":{"latitude":1e300,"longitude":-0}`), inboundJSON("order", `,"order":{"product_items":[{"quantity":1e9}]}`),
		inboundJSON("contacts", `,"contacts":[{}]`), inboundJSON("image", `,"image":{"id":"a","caption":"b"}`), inboundJSON("interactive", `,"interactive":{"list_reply":{"title":"a"}}`),
		envelope(ourNumberID, `"statuses":[{"id":"w","status":"failed","timestamp":"1","errors":[{"code":131026}]}]`), `{"entry":[{"changes":[{"field":"messages","value":null}]}]}`, `null`, `{`,
	} {
		f.Add([]byte(seed))
	}
	for _, d := range decisions() {
		f.Add([]byte(d.call()))
	}
	settings := json.RawMessage(`{"access_token":"a","app_secret":"` + secret + `","verify_token":"v","phone_numbers":[{"id":"` + ourNumberID + `","number":"` + ourNumber + `"}]}`)
	f.Fuzz(func(t *testing.T, body []byte) {
		env := gatewaytest.NewEnvironment()
		s := gatewaytest.Open[*sender](t, Open, env, settings)
		status := callWebhook(s, signedCall(string(body))).Code
		if object := map[string]any{}; status != 200 && json.Unmarshal(body, &object) == nil && object != nil {
			t.Fatalf("status %d for an object", status)
		}
		hasNUL := func(texts ...string) bool { return strings.ContainsRune(strings.Join(texts, ""), 0) }
		isID := func(p gateway.PersonID) bool {
			return (p.ID == "" || whatsappid.Is(p.ID)) && (p.ParentID == "" || whatsappid.Is(p.ParentID)) && (p.Portfolio == "" || p.ID+p.ParentID+p.Username != "")
		}
		isOfChange := func(p gateway.PersonID) bool { // with the portfolio of the old ID
			p.Portfolio = ""
			return isID(p)
		}
		isNumber := func(number string) bool {
			_, ok := phone.Parse(number)
			return number == "" || ok && number[0] != '+'
		}
		for _, in := range env.Sink.Messages() {
			if in.ID == "" || in.Address() == "" || in.At.IsZero() || !in.Type.Known() || !isNumber(in.From) || !isNumber(in.Shared) || !isID(in.Person) || in.Shared != "" && in.Person.ID == "" ||
				hasNUL(in.ID, in.Text, in.DisplayName, in.FileName, in.MIMEType, in.MediaURL, in.Choice.ID, in.Choice.Title, in.ReplyTo.ProviderID) {
				t.Errorf("%+v", in)
			}
		}
		for _, r := range env.Sink.Receipts() {
			if r.Status == "" || r.At.IsZero() || (r.Status == gateway.ReceiptFailed) != (r.Err != nil) || !isNumber(r.Recipient) || !isID(r.Person) || hasNUL(r.Ref, r.ProviderID) {
				t.Errorf("%+v", r)
			}
		}
		for _, c := range env.Sink.Changes() {
			if c.ID == "" || c.At.IsZero() || !isNumber(c.From) || !isNumber(c.OldNumber) || !isOfChange(c.Person) || c.From+c.Person.ID+c.OldNumber+c.OldID == "" ||
				(c.MessageID != "") != (c.Kind == gateway.MessageEdited || c.Kind == gateway.MessageDeleted) || (c.Content != nil) != (c.Kind == gateway.MessageEdited) || hasNUL(c.ID, c.MessageID) {
				t.Errorf("%+v", c)
			}
		}
	})
}

// No message is lost because of a single field.
func TestInbound_Kept(t *testing.T) {
	t.Parallel()
	const value = "entry.0.changes.0.value."
	kept := peertest.KeptMessage{
		Call: envelope(ourNumberID, `"contacts":[{"profile":{"name":"Aïssata"},"wa_id":"22370000011"}],"messages":[{"from":"22370000011","id":"wamid.A=","timestamp":"1779416383","type":"text",
			"text":{"body":"Bonjour"},"context":{"from":"22370000001","id":"wamid.B"}}]`),
		From: aissata, Text: "Bonjour", Sender: []string{value + "messages.0.from", value + "contacts.0.wa_id"}, Body: []string{value + "messages.0.text.body"},
		Others: []string{"entry.0.changes.0.field", value + "metadata.phone_number_id"}, // another kind of report, another number of ours
		Time:   value + "messages.0.timestamp", At: time.Unix(1779416383, 0),
		Open: func(t *testing.T) (func(string) int, *gatewaytest.Environment) {
			s, env := newFakeGraph(t).open(map[string]any{"phone_numbers": []any{map[string]any{"id": ourNumberID, "number": "+" + ourNumber}}})
			return func(body string) int { return callWebhook(s, signedCall(body)).Code }, env
		},
	}
	kept.Run(t)
}
