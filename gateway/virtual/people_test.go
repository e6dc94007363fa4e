package virtual_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/gateway/virtual"
	"example.com/griot/internal/whatsappid"
)

// hide hides a phone's number behind a username and returns its ID.
func (g *fixture) hide(number, username string) string {
	g.t.Helper()
	id, _ := g.ok("PUT", "/dev/phones/"+number+"/privacy", `{"username":"`+username+`","hidden":true}`)["id"].(string)
	if parsed, ok := whatsappid.Parse(id); !ok || parsed.Linked() || parsed.Parent() || strings.Contains(id, number) {
		g.t.Fatalf("the ID is %q, want a business-scoped one without the number", id)
	}
	return id
}

// write makes a phone write a text and returns the message's ID.
func (g *fixture) write(number, text string) string {
	g.t.Helper()
	id, _ := g.ok("POST", "/dev/phones/"+number+"/messages", `{"channel":"whatsapp","to":"`+ourNumber+`","text":"`+text+`"}`)["id"].(string)
	return id
}

func (g *fixture) lastMessage() gateway.Inbound {
	g.t.Helper()
	all := g.sink.Messages()
	if len(all) == 0 {
		g.t.Fatal("the sink has no message")
	}
	return all[len(all)-1]
}

func toID(id string) *gateway.Outbound {
	out := outbound("")
	out.ToID = id
	return out
}

func TestPrivacy_HidesTheNumberBehindAUsername(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		path := "/dev/phones/" + aissata + "/privacy"
		none := object{"address": aissata, "id": nil, "username": nil, "hidden": false}
		if diff := cmp.Diff(none, g.ok("GET", path, "")); diff != "" {
			t.Errorf("without a username (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(none, g.ok("PUT", path, `{"username":"","hidden":false}`)); diff != "" {
			t.Errorf("without a username (-want +got):\n%s", diff)
		}
		g.write(aissata, "a")
		if in := g.lastMessage(); in.From != aissata || in.Person != (gateway.PersonID{}) {
			t.Errorf("without a username: %+v", in)
		}
		id := g.hide(aissata, "awa.t")
		if !strings.HasPrefix(id, "ML.") {
			t.Errorf("the ID %q of a number in Mali", id)
		}
		hidden := object{"address": aissata, "id": id, "username": "awa.t", "hidden": true}
		if diff := cmp.Diff(hidden, g.ok("GET", "/dev/phones/"+id+"/privacy", "")); diff != "" {
			t.Errorf("by ID (-want +got):\n%s", diff)
		}
		g.write(id, "b")
		if in := g.lastMessage(); in.From != "" || in.Person != (gateway.PersonID{ID: id, Username: "awa.t"}) || in.Text != "b" {
			t.Errorf("hidden: %+v", in)
		}
		g.ok("POST", "/dev/phones/"+aissata+"/messages", `{"channel":"sms","to":"22320000002","text":"c"}`)
		if in := g.lastMessage(); in.From != aissata || in.Person != (gateway.PersonID{}) {
			t.Errorf("an SMS: %+v", in)
		}
		g.ok("PUT", path, `{"hidden":false}`)
		g.write(aissata, "d")
		if in := g.lastMessage(); in.From != aissata || in.Person != (gateway.PersonID{ID: id, Username: "awa.t"}) {
			t.Errorf("shown again: %+v", in)
		}
		g.ok("PUT", path, `{"username":"@awa_2","hidden":true}`)
		if got := g.ok("GET", path, ""); got["id"] != id || got["username"] != "awa_2" {
			t.Errorf("another username: %v", got)
		}
		if got := g.ok("PUT", path, `{"username":""}`); got["hidden"] != false || got["username"] != nil || got["id"] != id {
			t.Errorf("no username anymore: %v", got)
		}
		g.write(aissata, "e")
		if in := g.lastMessage(); in.From != aissata || in.Person != (gateway.PersonID{ID: id}) {
			t.Errorf("no username anymore: %+v", in)
		}
		if other := g.hide(moussa, "moussa"); other == id {
			t.Error("two phones have one ID")
		}
		if other := g.hide("12025550123", "sam"); !strings.HasPrefix(other, "ZZ.") {
			t.Errorf("%q is the ID of a number with a shared calling code", other)
		}
		if got := g.texts(id); !slices.Equal(got, []string{"a", "b", "c", "d", "e"}) || len(g.texts(aissata)) != 5 {
			t.Errorf("the phone's list by ID: %v", got)
		}
		phones := g.list("/dev/phones-list", "phones")
		if phones[0]["id"] != id || phones[0]["username"] != nil || phones[2]["id"] == nil || phones[2]["username"] == nil || phones[2]["hidden"] != true || len(phones) != 4 {
			t.Errorf("the list of phones: %v", phones)
		}
	})
}

func TestPrivacy_BadInput(t *testing.T) {
	t.Parallel()
	g := open(t, "")
	id := g.hide(aissata, "awa.t")
	for _, tt := range []struct {
		address, body string
		status        int
		code          string
	}{
		{aissata, `{"username":"aw"}`, 400, "invalid_username"},
		{aissata, `{"username":"` + strings.Repeat("a", 36) + `"}`, 400, "invalid_username"},
		{aissata, `{"username":"Awa"}`, 400, "invalid_username"},
		{aissata, `{"username":"awa t"}`, 400, "invalid_username"},
		{aissata, `{"username":"123"}`, 400, "invalid_username"},
		{aissata, `{"username":"awa\n"}`, 400, "invalid_username"},
		{aissata, `{"username":"","hidden":true}`, 400, "username_required"},
		{moussa, `{"hidden":true}`, 400, "username_required"},
		{aissata, `{"username":7}`, 400, "invalid_json"},
		{aissata, `{"name":"awa"}`, 400, "invalid_json"},
		{mailbox, `{"username":"awa.t"}`, 400, "invalid_address"},
		{family, `{"username":"awa.t"}`, 400, "invalid_address"},
		{"ML.9001", `{"username":"awa.t"}`, 404, "phone_not_found"},
		{strings.ToLower(id), `{"username":"awa.t"}`, 400, "invalid_address"},
		{"123@lid", `{"username":"awa.t"}`, 404, "phone_not_found"},
	} {
		if status, answer := g.call("PUT", "/dev/phones/"+tt.address+"/privacy", tt.body); status != tt.status || answer["error"] != tt.code {
			t.Errorf("%s %s: %d, %v; want %s", tt.address, tt.body, status, answer, tt.code)
		}
	}
	if got := g.ok("GET", "/dev/phones/"+aissata+"/privacy", ""); got["username"] != "awa.t" || got["hidden"] != true {
		t.Errorf("afterward: %v", got)
	}
	for i := range 10_010 {
		status, answer := g.call("PUT", fmt.Sprintf("/dev/phones/2236%07d/privacy", i), `{"username":"someone"}`)
		if want := i < 9_999; (status == 200) != want || !want && answer["error"] != "too_many_phones" {
			t.Fatalf("phone %d: %d, %v", i, status, answer)
		}
	}
	g.ok("PUT", "/dev/phones/"+aissata+"/privacy", `{"hidden":false}`)
	if n := len(g.list("/dev/phones-list", "phones")); n != 52 {
		t.Errorf("%d phones are listed", n)
	}
}

func TestPrivacy_SurvivesARestart(t *testing.T) {
	t.Parallel()
	g := withFile(t)
	g.sink.Refuse(1)
	id := g.hide(aissata, "awa.t")
	g.write(aissata, "refused by the sink")
	g.ok("PUT", "/dev/phones/"+aissata+"/privacy", `{"hidden":false}`)
	g.hide(moussa, "moussa")
	before := g.ok("GET", "/dev/phones/"+moussa+"/privacy", "")
	g.send(toID(id))
	g.reopen()
	if diff := cmp.Diff(before, g.ok("GET", "/dev/phones/"+moussa+"/privacy", "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	g.run()
	g.wait("the message and the receipt", func() bool { m, r := g.sink.Counts(); return m == 1 && r == 1 })
	if in := g.lastMessage(); in.From != "" || in.Person != (gateway.PersonID{ID: id, Username: "awa.t"}) {
		t.Errorf("a message is as it was when it was written: %+v", in)
	}
	if r := g.sink.Receipts()[0]; r.Person.ID != id || r.Recipient != aissata {
		t.Errorf("%+v", r)
	}
}

func TestSend_ToAnID(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		g.run()
		id := g.hide(aissata, "awa.t")
		byID, byNumber, sms, other := toID(id), outbound(aissata), outbound(aissata), outbound(moussa)
		sms.Channel = gateway.SMS
		person := gateway.PersonID{ID: id, Username: "awa.t"}
		want := map[string]gateway.Receipt{
			byID.Ref: {Person: person}, byNumber.Ref: {Person: person, Recipient: aissata}, sms.Ref: {}, other.Ref: {},
		}
		for _, out := range []*gateway.Outbound{byID, byNumber, sms, other} {
			g.send(out)
		}
		g.wait("the receipts", func() bool { return len(g.sink.Receipts()) == 4 })
		for _, r := range g.sink.Receipts() {
			if w := want[r.Ref]; r.Person != w.Person || r.Recipient != w.Recipient {
				t.Errorf("%+v, want %+v", r, w)
			}
		}
		list := g.messages(aissata)
		if len(list) != 3 || list[0]["to"] != id || list[1]["to"] != aissata || list[0]["text"] != "Bonjour" {
			t.Errorf("the phone's list: %v", list)
		}
		g.ok("POST", "/dev/phones/"+id+"/messages/"+list[0]["id"].(string)+"/read", "")
		g.wait("the read receipt", func() bool { return len(g.sink.Receipts()) == 5 })
		if r := g.sink.Receipts()[4]; r.Status != gateway.ReceiptRead || r.Recipient != "" || r.Person != person {
			t.Errorf("%+v", r)
		}
		g.ok("PUT", "/dev/phones/"+aissata+"/privacy", `{"hidden":false}`)
		g.send(toID(id))
		g.wait("a receipt", func() bool { return len(g.sink.Receipts()) == 6 })
		if r := g.sink.Receipts()[5]; r.Recipient != aissata || r.Person != person {
			t.Errorf("a number that isn't hidden: %+v", r)
		}

		unknown := toID("ML.9001")
		g.refused(unknown, gateway.Unreachable, "virtual_unknown_id")
		if got := g.outcomes(unknown.Ref); !slices.Equal(got, []string{"unreachable"}) {
			t.Errorf("attempts: %v", got)
		}
		inTo, both, smsToID, number, email := outbound(id), toID(id), toID(id), toID(aissata), toID(id)
		both.To, smsToID.Channel, email.Channel = aissata, gateway.SMS, gateway.Email
		for _, out := range []*gateway.Outbound{inTo, both, smsToID, number, email} {
			g.refused(out, gateway.Permanent, "invalid_recipient")
		}
		g.ok("PUT", "/dev/phones/"+id, `{"blocked":true}`)
		g.refused(toID(id), gateway.Unreachable, "virtual_blocked")
		if again := g.send(byID); again.ProviderID != list[0]["id"] {
			t.Errorf("%v is not the first message", again)
		}
	})
}

func TestMarkRead_ByID(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		id := g.hide(aissata, "awa.t")
		g.hide(moussa, "moussa")
		r := &gateway.Read{Channel: gateway.WhatsApp, From: ourNumber, ToID: "ML.9001", IDs: []string{g.write(aissata, "a")}}
		for _, want := range []string{"delivered", "read"} {
			if err := g.MarkRead(context.Background(), r); err != nil {
				t.Fatal(err)
			}
			if got := g.messages(aissata)[0]["status"]; got != want {
				t.Errorf("marked as read with %s: %v, want %s", r.ToID, got, want)
			}
			r.ToID = id
		}
	})
}

func TestNumberRequest_TheButtonSharesTheNumber(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		g.run()
		id := g.hide(aissata, "awa.t")
		r := &gateway.NumberRequest{Ref: "ask_1", From: ourNumber, ToID: id, Text: "Please share your number."}
		ack, err := g.AskForNumber(context.Background(), r)
		if again, err2 := g.AskForNumber(context.Background(), r); err != nil || err2 != nil || again != ack {
			t.Fatalf("%v %v, %v %v", ack, err, again, err2)
		}
		g.wait("the receipt", func() bool { return len(g.sink.Receipts()) == 1 })
		if got := g.sink.Receipts()[0]; got.Ref != "ask_1" || got.ProviderID != ack.ProviderID || got.Person.ID != id || got.Recipient != "" {
			t.Errorf("%+v", got)
		}
		if g.options.Path != "" {
			g.reopenRunning()
		}
		plain := g.send(toID(id))
		list := g.messages(aissata)
		if len(list) != 2 || list[0]["numberRequest"] != true || list[0]["text"] != r.Text || list[0]["from"] != ourNumber || list[1]["numberRequest"] != nil {
			t.Fatalf("the phone's list: %v", list)
		}
		path := "/dev/phones/" + aissata + "/messages/"
		for what, code := range map[string]string{plain.ProviderID: "no_request", "vp_none": "message_not_found"} {
			if _, answer := g.call("POST", path+what+"/share", "{}"); answer["error"] != code {
				t.Errorf("%v, want %s", answer, code)
			}
		}
		pressed := g.ok("POST", path+ack.ProviderID+"/share", "{}")
		if pressed["type"] != "contacts" || pressed["text"] != "+"+aissata || pressed["to"] != ourNumber || pressed["status"] != "delivered" {
			t.Errorf("%v", pressed)
		}
		want := gateway.Inbound{
			ID: pressed["id"].(string), Channel: gateway.WhatsApp, Person: gateway.PersonID{ID: id, Username: "awa.t"}, To: ourNumber,
			Type: gateway.InboundContacts, Text: "+" + aissata, Shared: aissata, At: g.clock.Now(),
		}
		if diff := cmp.Diff(want, g.lastMessage()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		g.ok("POST", "/dev/phones/"+aissata+"/messages", `{"channel":"whatsapp","to":"`+ourNumber+`","type":"contacts","text":"Awa +`+aissata+`"}`)
		if in := g.lastMessage(); in.Shared != "" || in.From != "" || in.Type != gateway.InboundContacts || in.Person.ID != id {
			t.Errorf("a card that was sent by hand: %+v", in)
		}
		r.Ref, r.ToID = "ask_2", "ML.9001"
		if _, err := g.AskForNumber(context.Background(), r); gateway.AsError(err).Class != gateway.Unreachable {
			t.Errorf("an unknown ID: %v", err)
		}
		r.ToID = aissata
		if _, err := g.AskForNumber(context.Background(), r); gateway.AsError(err).Class != gateway.Permanent {
			t.Errorf("a number: %v", err)
		}
		g.ok("PUT", "/dev/faults/whatsapp", `{"outcome":"temporary"}`)
		r.ToID = id
		if _, err := g.AskForNumber(context.Background(), r); gateway.AsError(err).Class != gateway.Temporary {
			t.Errorf("a fault: %v", err)
		}
	})
}

// reopenRunning reopens a gateway whose Run a test has started, and runs it again.
func (g *fixture) reopenRunning() {
	g.t.Helper()
	g.stop()
	g.reopen()
	g.run()
}

func TestNumberRequest_TheSharedNumberIsRetried(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		id := g.hide(aissata, "awa.t")
		ack, err := g.AskForNumber(context.Background(), &gateway.NumberRequest{Ref: "ask_1", From: ourNumber, ToID: id, Text: "?"})
		if err != nil {
			t.Fatal(err)
		}
		g.sink.Refuse(1)
		if got := g.ok("POST", "/dev/phones/"+id+"/messages/"+ack.ProviderID+"/share", ""); got["status"] != "sent" {
			t.Errorf("%v", got)
		}
		if g.options.Path != "" {
			g.reopen()
		}
		g.run()
		g.wait("the number", func() bool { return len(g.sink.Messages()) == 1 })
		if in := g.lastMessage(); in.Shared != aissata || in.From != "" || in.Person.ID != id {
			t.Errorf("%+v", in)
		}
	})
}

func TestRevise_EditsAndDeletesWhatThePhoneHasSent(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		g.run()
		id := g.hide(aissata, "awa.t")
		message := g.write(aissata, "Bonjuor")
		picture := g.ok("POST", "/dev/phones/"+aissata+"/messages", `{"channel":"whatsapp","to":"`+ourNumber+`","text":"secret","mediaUrl":"https://files.example/a.png","mimeType":"image/png"}`)["id"].(string)
		path := "/dev/phones/" + aissata + "/messages/"
		g.sink.Refuse(2)
		if got := g.ok("PUT", path+message, `{"text":"Bonjour"}`); got["text"] != "Bonjour" || got["revised"] != "edited" || got["id"] != message {
			t.Errorf("%v", got)
		}
		g.ok("PUT", path+picture, `{"text":""}`)
		if got := g.ok("DELETE", path+message, ""); got["text"] != nil || got["revised"] != "deleted" {
			t.Errorf("%v", got)
		}
		g.wait("the changes", func() bool { return len(g.sink.Changes()) == 3 })
		person := gateway.PersonID{ID: id, Username: "awa.t"}
		seen := map[string]bool{}
		for _, c := range g.sink.Changes() {
			seen[c.ID] = true
			want := gateway.Change{ID: c.ID, Channel: gateway.WhatsApp, Kind: gateway.MessageEdited, To: ourNumber, Person: person, MessageID: c.MessageID, At: g.clock.Now()}
			switch {
			case c.MessageID == picture:
				want.Content = &gateway.Inbound{Type: gateway.InboundImage, MediaURL: "https://files.example/a.png", MIMEType: "image/png"}
			case c.Kind == gateway.MessageDeleted:
				want.Kind = gateway.MessageDeleted
			default:
				want.Content = &gateway.Inbound{Type: gateway.InboundText, Text: "Bonjour"}
			}
			if diff := cmp.Diff(want, c); diff != "" || c.MessageID != message && c.MessageID != picture {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
		if delete(seen, ""); len(seen) != 3 {
			t.Errorf("the changes have %d IDs", len(seen))
		}
		g.ok("DELETE", path+picture, "{}")
		if g.options.Path != "" {
			g.reopenRunning()
		}
		list := g.messages(aissata)
		if list[0]["text"] != nil || list[0]["revised"] != "deleted" || list[0]["status"] != "delivered" || list[1]["mediaUrl"] != nil || list[1]["text"] != nil || list[1]["type"] != "image" {
			t.Errorf("the phone's list: %v", list)
		}

		received := g.send(outbound(aissata)).ProviderID
		place := g.ok("POST", "/dev/phones/"+aissata+"/messages", `{"channel":"whatsapp","to":"`+ourNumber+`","type":"location","text":"1,2"}`)["id"].(string)
		sms := g.ok("POST", "/dev/phones/"+aissata+"/messages", `{"channel":"sms","to":"22320000002","text":"x"}`)["id"].(string)
		text := g.write(aissata, "x")
		for _, tt := range []struct {
			message, body string
			status        int
			code          string
		}{
			{message, `{"text":"x"}`, 409, "message_deleted"},
			{received, `{"text":"x"}`, 400, "not_editable"},
			{place, `{"text":"x"}`, 400, "not_editable"},
			{sms, `{"text":"x"}`, 400, "not_editable"},
			{text, `{"text":""}`, 400, "invalid_text"},
			{text, `{"text":"` + strings.Repeat("é", 4097) + `"}`, 400, "invalid_text"},
			{text, `{}`, 400, "invalid_text"},
			{"vp_none", `{"text":"x"}`, 404, "message_not_found"},
		} {
			if status, answer := g.call("PUT", path+tt.message, tt.body); status != tt.status || answer["error"] != tt.code {
				t.Errorf("%s: %d %v, want %s", tt.body, status, answer, tt.code)
			}
		}
		for _, tt := range []struct {
			address, message string
			status           int
			code             string
		}{{aissata, message, 409, "message_deleted"}, {aissata, sms, 400, "not_editable"}, {moussa, text, 404, "message_not_found"}, {mailbox, text, 400, "invalid_address"}} {
			if status, answer := g.call("DELETE", "/dev/phones/"+tt.address+"/messages/"+tt.message, ""); status != tt.status || answer["error"] != tt.code {
				t.Errorf("%d %v, want %s", status, answer, tt.code)
			}
		}
		g.ok("DELETE", path+place, "")
	})
}

func TestRevise_NotBeforeTheMessageHasArrived(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		g.sink.Refuse(1)
		message := g.write(aissata, "x")
		for _, method := range []string{"PUT", "DELETE"} {
			body := map[string]string{"PUT": `{"text":"y"}`}[method]
			if status, answer := g.call(method, "/dev/phones/"+aissata+"/messages/"+message, body); status != 409 || answer["error"] != "message_waiting" {
				t.Errorf("%s: %d %v", method, status, answer)
			}
		}
		if got := g.texts(aissata); !slices.Equal(got, []string{"x"}) {
			t.Errorf("%v", got)
		}
	})
}

func TestNumber_TheNewOneHasAnotherID(t *testing.T) {
	t.Parallel()
	const newNumber = "22370000099"
	onBothStores(t, func(t *testing.T, g *fixture) {
		g.run()
		oldID := g.hide(aissata, "awa.t")
		g.write(aissata, "x")
		other := outbound(aissata)
		other.From = "22320000003"
		g.send(other)
		g.ok("POST", "/dev/phones/"+aissata+"/messages", `{"channel":"sms","to":"22320000002","text":"x"}`)

		moved := g.ok("POST", "/dev/phones/"+oldID+"/number", `{"to":"+`+newNumber+`"}`)
		newID, _ := moved["id"].(string)
		if diff := cmp.Diff(object{"address": newNumber, "id": newID, "username": "awa.t", "hidden": true}, moved); diff != "" || newID == oldID {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		g.wait("the changes", func() bool { return len(g.sink.Changes()) == 2 })
		for i, our := range []string{ourNumber, "22320000003"} {
			c := g.sink.Changes()[i]
			want := gateway.Change{
				ID: c.ID, Channel: gateway.WhatsApp, Kind: gateway.IDChanged, To: our, Person: gateway.PersonID{ID: newID, Username: "awa.t"}, OldID: oldID, At: g.clock.Now(),
			}
			if diff := cmp.Diff(want, c); diff != "" || c.ID == "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
		g.refused(toID(oldID), gateway.Unreachable, "virtual_unknown_id")
		g.send(toID(newID))
		if len(g.messages(newNumber)) != 1 || len(g.messages(aissata)) != 3 {
			t.Error("a message to the new ID is on another phone")
		}
		if g.options.Path != "" {
			g.reopenRunning()
			g.refused(toID(oldID), gateway.Unreachable, "virtual_unknown_id")
		}

		// The number's next owner is somebody else.
		left := g.ok("GET", "/dev/phones/"+aissata+"/privacy", "")
		if left["hidden"] != false || left["username"] != nil || left["id"] == oldID || left["id"] == newID || left["id"] == nil {
			t.Errorf("the former number: %v", left)
		}
		if next := g.hide(aissata, "moussa"); next != left["id"] {
			t.Errorf("the next owner has the ID %s, want %v", next, left["id"])
		}

		g.ok("PUT", "/dev/phones/"+newNumber+"/privacy", `{"hidden":false}`)
		g.write(newNumber, "y")
		back := g.ok("POST", "/dev/phones/"+newNumber+"/number", `{"to":"`+aissata+`"}`)
		if back["id"] == oldID || back["id"] == left["id"] || back["id"] == newID || back["username"] != "awa.t" {
			t.Errorf("the number is taken over: %v", back)
		}
		g.wait("the change", func() bool { return len(g.sink.Changes()) == 3 })
		c := g.sink.Changes()[2]
		if c.Kind != gateway.NumberChanged || c.From != aissata || c.OldNumber != newNumber || c.OldID != newID || c.Person.ID != back["id"] || c.To != ourNumber {
			t.Errorf("%+v", c)
		}

		g.write(moussa, "z")
		if got := g.ok("POST", "/dev/phones/"+moussa+"/number", `{"to":"22370000098"}`); got["id"] != nil {
			t.Errorf("a phone that never had a username: %v", got)
		}
		g.wait("the change", func() bool { return len(g.sink.Changes()) == 4 })
		if c := g.sink.Changes()[3]; c.Kind != gateway.NumberChanged || c.From != "22370000098" || c.OldNumber != moussa || c.OldID != "" || c.Person != (gateway.PersonID{}) {
			t.Errorf("%+v", c)
		}
		for _, body := range []string{`{"to":"` + aissata + `"}`, `{"to":""}`, `{}`, `{"to":"x"}`, `{"to":"ML.9001"}`} {
			if status, answer := g.call("POST", "/dev/phones/"+aissata+"/number", body); status != 400 || answer["error"] != "invalid_number" {
				t.Errorf("%s: %d %v", body, status, answer)
			}
		}
	})
}

func TestChanges_SurviveARestart(t *testing.T) {
	t.Parallel()
	g := withFile(t)
	message := g.write(aissata, "x")
	g.ok("PUT", "/dev/phones/"+aissata+"/messages/"+message, `{"text":"y"}`)
	g.reopen()
	stop := g.run()
	g.wait("the change", func() bool { return len(g.sink.Changes()) == 1 })
	if c := g.sink.Changes()[0]; c.MessageID != message || c.From != aissata || c.Content.Text != "y" {
		t.Errorf("%+v", c)
	}
	stop()
	g.reopen()
	g.run()
	g.send(outbound(moussa))
	g.wait("a receipt", func() bool { return len(g.sink.Receipts()) == 1 })
	if n := len(g.sink.Changes()); n != 1 {
		t.Errorf("%d changes, want the one only once", n)
	}
}

func TestOptions_OfTheLogin(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]func(*virtual.Options) **atomic.Bool{
		"askForNumber":  func(o *virtual.Options) **atomic.Bool { return &o.AskForNumber },
		"confirmSignIn": func(o *virtual.Options) **atomic.Bool { return &o.ConfirmSignIn },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBothStores(t, func(t *testing.T, g *fixture) {
				option, body := in(&g.options), `{"`+name+`":true}`
				if status, answer := g.call("PUT", "/dev/phones-options", body); status != 400 || answer["error"] != "invalid_json" || g.ok("GET", "/dev/phones-options", "")[name] != nil {
					t.Errorf("without the setting: %d %v", status, answer)
				}
				*option = new(atomic.Bool)
				g.reopen()
				if got := g.ok("GET", "/dev/phones-options", ""); got[name] != false || got["deduplicate"] != true {
					t.Errorf("%v", got)
				}
				if got := g.ok("PUT", "/dev/phones-options", body); got[name] != true || !(*option).Load() || got["deduplicate"] != true {
					t.Errorf("%v", got)
				}
				if g.options.Path == "" {
					return
				}
				*option = new(atomic.Bool)
				g.reopen()
				if !(*option).Load() {
					t.Error("the file doesn't keep it")
				}
			})
		})
	}
}
