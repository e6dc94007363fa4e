package system_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"example.com/griot/griot-whatsapp/phonetest"
)

// inInbox waits until the inbox contains a text, and its message contains the other texts.
func (d *deployment) inInbox(key, text string, more ...string) {
	d.t.Helper()
	eventually(d.t, "the inbox", func() string {
		r, err := call(d.t, "GET", d.api+"/api/inbox/messages?q="+url.QueryEscape(text), "", key)
		if err != nil || r.status != http.StatusOK || slices.ContainsFunc(append(more, text), func(s string) bool { return !strings.Contains(r.raw, s) }) {
			return fmt.Sprintf("got %+v, %v, want %q with %v\n%s", r, err, text, more, d.linked.out)
		}
		return ""
	})
}

// quotes replies to a person's message in the inbox, marks it as read, and checks the message on the phone.
func (d *deployment) quotes(key string, phone *phonetest.Phone, id string) {
	d.t.Helper()
	var found struct {
		Messages []struct {
			Conversation, Message struct{ ID string }
		}
	}
	eventually(d.t, "the question", func() string {
		r, err := call(d.t, "GET", d.api+"/api/inbox/messages?q="+url.QueryEscape("Et du mil ?"), "", key)
		if err != nil || json.Unmarshal([]byte(r.raw), &found) != nil || len(found.Messages) != 1 {
			return fmt.Sprintf("got %+v, %v, want one message", r, err)
		}
		return ""
	})
	m := found.Messages[0]
	r, err := call(d.t, "POST", d.api+"/api/inbox/conversations/"+m.Conversation.ID+"/reply", `{"text":"Du mil aussi.","replyTo":"`+m.Message.ID+`"}`, key)
	if err != nil || r.status != http.StatusOK && r.status != http.StatusAccepted {
		d.t.Fatalf("the reply: %v, %+v", err, r)
	}
	got := phone.Message(d.t).Message.GetExtendedTextMessage()
	if r, err := call(d.t, "POST", d.api+"/api/inbox/conversations/"+m.Conversation.ID+"/read", "", key); err != nil || r.status != http.StatusOK {
		d.t.Fatalf("marking as read: %v, %+v", err, r)
	}
	phonetest.Wait(d.t, phone, func(r *events.Receipt) bool {
		return r.Type == types.ReceiptTypeRead && slices.Contains(r.MessageIDs, id)
	})
	if of := got.GetContextInfo(); got.GetText() != "Du mil aussi." || of.GetStanzaID() != id || of.GetQuotedMessage().GetConversation() != "Et du mil ?" {
		d.t.Errorf("the phone got %v, want Du mil aussi. in answer to %s", got, id)
	}
}

// attached waits until the attachment of a message in the inbox can be read, and compares it.
func (d *deployment) attached(key, text string, want []byte) {
	d.t.Helper()
	eventually(d.t, "the attachment", func() string {
		r, err := call(d.t, "GET", d.api+"/api/inbox/messages?q="+url.QueryEscape(text), "", key)
		if err != nil {
			return err.Error()
		}
		address := regexp.MustCompile(`"mediaUrl":"([^"]+)"`).FindStringSubmatch(r.raw)
		if address == nil {
			return fmt.Sprintf("no mediaUrl in %s\n%s\n%s", r.raw, d.griot.out, d.linked.out)
		}
		got, err := call(d.t, "GET", address[1], "", key)
		if err != nil || got.status != http.StatusOK || got.raw != string(want) {
			return fmt.Sprintf("got %d, %v, and %d bytes, want %d", got.status, err, len(got.raw), len(want))
		}
		return ""
	})
}
