package system_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"google.golang.org/protobuf/proto"

	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/phonetest"
)

// written is a message that a phone sends, and what becomes of it.
type written struct {
	name       string
	message    *waE2E.Message
	attachment *phonetest.Attachment // instead of message
	kind, text string                // in the inbox; an empty kind: nothing
}

// around returns a message within a wrapper.
func around(m *waE2E.Message) *waE2E.FutureProofMessage {
	return &waE2E.FutureProofMessage{Message: m}
}

func conversation(text string) *waE2E.Message {
	return &waE2E.Message{Conversation: &text}
}

// kindsOfMessages are messages of each kind that people send, in the order in which they are sent.
func kindsOfMessages() []written {
	deep := conversation("twenty wrappers")
	for range 20 {
		deep = &waE2E.Message{EphemeralMessage: around(deep)}
	}
	key := &waCommon.MessageKey{FromMe: proto.Bool(true), ID: proto.String("3EB0000000000000000001"), RemoteJID: proto.String(shop + "@s.whatsapp.net")}
	file := func(kind whatsmeow.MediaType, mimeType, caption, name string) *phonetest.Attachment {
		return &phonetest.Attachment{Kind: kind, Data: []byte("the bytes of " + caption + name), MIMEType: mimeType, Caption: caption, FileName: name}
	}
	vcard := "BEGIN:VCARD\nVERSION:3.0\nFN:Moussa Keïta\nTEL;type=CELL;waid=22370000002:+223 70 00 00 02\nEND:VCARD"
	return []written{
		{name: "text", message: conversation("a text"), kind: "text", text: "a text"},
		{name: "text with a preview", message: &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String("an extended text")}}, kind: "text", text: "an extended text"},
		{name: "disappearing", message: &waE2E.Message{EphemeralMessage: around(conversation("a disappearing text"))}, kind: "text", text: "a disappearing text"},
		{name: "forwarded by a bot", message: &waE2E.Message{BotForwardedMessage: around(conversation("forwarded by a bot"))}, kind: "text", text: "forwarded by a bot"},
		{name: "mention", message: &waE2E.Message{GroupMentionedMessage: around(conversation("a mention"))}, kind: "text", text: "a mention"},
		{name: "spoiler", message: &waE2E.Message{SpoilerMessage: around(conversation("a spoiler"))}, kind: "text", text: "a spoiler"},
		{name: "many wrappers", message: deep, kind: "text", text: "twenty wrappers"},
		{name: "image", attachment: file(whatsmeow.MediaImage, "image/png", "a picture", ""), kind: "image", text: "a picture"},
		{name: "video", attachment: file(whatsmeow.MediaVideo, "video/mp4", "a video", ""), kind: "video", text: "a video"},
		{name: "voice", attachment: file(whatsmeow.MediaAudio, "audio/ogg; codecs=opus", "", ""), kind: "audio"},
		{name: "document", attachment: file(whatsmeow.MediaDocument, "application/pdf", "a document", "facture.pdf"), kind: "document", text: "a document"},
		{name: "sticker", attachment: file(phonetest.Sticker, "image/webp", "", ""), kind: "sticker"},
		{name: "place", message: &waE2E.Message{LocationMessage: &waE2E.LocationMessage{
			DegreesLatitude: proto.Float64(12.6392), DegreesLongitude: proto.Float64(-8.0029), Name: proto.String("Marché rose"), Address: proto.String("Bamako"),
		}}, kind: "location", text: "12.6392,-8.0029 Marché rose, Bamako"},
		{name: "live place", message: &waE2E.Message{LiveLocationMessage: &waE2E.LiveLocationMessage{
			DegreesLatitude: proto.Float64(12.5), DegreesLongitude: proto.Float64(-8), Caption: proto.String("On my way"),
		}}, kind: "location", text: "12.5,-8 On my way"},
		{name: "card", message: &waE2E.Message{ContactMessage: &waE2E.ContactMessage{DisplayName: proto.String("Moussa Keïta"), Vcard: &vcard}}, kind: "contacts", text: "Moussa Keïta +22370000002"},
		{name: "order", message: &waE2E.Message{OrderMessage: &waE2E.OrderMessage{Message: proto.String("a note of an order"), ItemCount: proto.Int32(2)}}, kind: "unsupported", text: "a note of an order"},
		{name: "group invitation", message: &waE2E.Message{GroupInviteMessage: &waE2E.GroupInviteMessage{GroupName: proto.String("Parents"), Caption: proto.String("join us")}}, kind: "unsupported", text: "join us"},
		{name: "poll", message: &waE2E.Message{PollCreationMessageV3: &waE2E.PollCreationMessage{
			Name: proto.String("Which day?"), Options: []*waE2E.PollCreationMessage_Option{{OptionName: proto.String("Monday")}, {OptionName: proto.String("Friday")}},
		}}, kind: "unsupported", text: "Which day?"},
		{name: "event", message: &waE2E.Message{EventMessage: &waE2E.EventMessage{Name: proto.String("The opening"), Description: proto.String("at noon")}}, kind: "unsupported", text: "The opening"},
		{name: "list", message: &waE2E.Message{ListMessage: &waE2E.ListMessage{Title: proto.String("a menu"), Description: proto.String("what a list says")}}, kind: "unsupported", text: "what a list says"},
		{name: "buttons", message: &waE2E.Message{ButtonsMessage: &waE2E.ButtonsMessage{ContentText: proto.String("what buttons say")}}, kind: "unsupported", text: "what buttons say"},
		{name: "interactive", message: &waE2E.Message{InteractiveMessage: &waE2E.InteractiveMessage{Body: &waE2E.InteractiveMessage_Body{Text: proto.String("an interactive body")}}}, kind: "unsupported", text: "an interactive body"},
		{name: "template", message: &waE2E.Message{TemplateMessage: &waE2E.TemplateMessage{HydratedTemplate: &waE2E.TemplateMessage_HydratedFourRowTemplate{
			HydratedContentText: proto.String("a template's body"),
		}}}, kind: "unsupported", text: "a template's body"},
		{name: "chosen button", message: &waE2E.Message{TemplateButtonReplyMessage: &waE2E.TemplateButtonReplyMessage{SelectedID: proto.String("yes"), SelectedDisplayText: proto.String("Yes, please")}}, kind: "text", text: "Yes, please"},
		{name: "chosen row", message: &waE2E.Message{ListResponseMessage: &waE2E.ListResponseMessage{Title: proto.String("The first row")}}, kind: "text", text: "The first row"},
		{name: "album", message: &waE2E.Message{AlbumMessage: &waE2E.AlbumMessage{ExpectedImageCount: proto.Uint32(2)}}},
		{name: "pin", message: &waE2E.Message{PinInChatMessage: &waE2E.PinInChatMessage{Key: key, Type: waE2E.PinInChatMessage_PIN_FOR_ALL.Enum()}}},
		{name: "kept message", message: &waE2E.Message{KeepInChatMessage: &waE2E.KeepInChatMessage{Key: key, KeepType: waE2E.KeepType_KEEP_FOR_ALL.Enum()}}},
		{name: "call", message: &waE2E.Message{CallLogMesssage: &waE2E.CallLogMessage{IsVideo: proto.Bool(false)}}},
		{name: "poll vote", message: &waE2E.Message{PollUpdateMessage: &waE2E.PollUpdateMessage{PollCreationMessageKey: key}}},
		{name: "the last", message: conversation("the last text"), kind: "text", text: "the last text"},
	}
}

// webhookLog keeps the received events.
type webhookLog struct {
	mu     sync.Mutex
	events []map[string]any
}

func (l *webhookLog) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var event map[string]any
	if err == nil && json.Unmarshal(raw, &event) == nil {
		l.mu.Lock()
		l.events = append(l.events, event)
		l.mu.Unlock()
	}
}

// has reports whether an event has come whose fields have the values.
func (l *webhookLog) has(fields map[string]any) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.events, func(e map[string]any) bool {
		for name, want := range fields {
			if e[name] != want {
				return false
			}
		}
		return true
	})
}

// inboxMessage is a message in the inbox.
type inboxMessage struct {
	ID, Type, Content, MediaURL string
	EditedAt, DeletedAt         int64
}

// A message of each kind is sent from a real phone, and read back from the inbox, the webhook, and the assistant, in the
// order in which it was written. Then the person edits one, deletes one, and reacts to one.
func TestKinds(t *testing.T) {
	s, err := fakewhatsapp.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.AddUser(shop, "900001")
	s.AddUser(awa, "100001")
	d, business := devWithWhatsApp(t, s)
	key := business.key()
	d.pairSender(business.sender(), shop)
	hooks := &webhookLog{}
	endpoint := httptest.NewServer(hooks)
	t.Cleanup(endpoint.Close)
	d.verb("webhooks", "set", "--data", d.dir, "--account", business.ID, "--url", endpoint.URL)
	phone := phonetest.New(t, s, awa)

	ids := map[string]string{}
	var want []string
	for _, w := range kindsOfMessages() {
		if w.attachment != nil {
			phone.SendAttachment(t, shop, *w.attachment)
		} else {
			ids[w.name] = phone.SendMessage(t, shop, w.message)
		}
		if w.kind != "" {
			want = append(want, w.kind+": "+w.text)
		}
	}
	var conversationID string
	list := func() []inboxMessage {
		var page struct{ Conversations []struct{ ID string } }
		r, err := call(t, "GET", d.api+"/api/inbox/conversations?q="+awa, "", key)
		if err != nil || json.Unmarshal([]byte(r.raw), &page) != nil || len(page.Conversations) != 1 {
			return nil
		}
		conversationID = page.Conversations[0].ID
		var messages struct{ Messages []inboxMessage }
		r, err = call(t, "GET", d.api+"/api/inbox/conversations/"+conversationID+"/messages?limit=100", "", key)
		if err != nil || json.Unmarshal([]byte(r.raw), &messages) != nil {
			return nil
		}
		slices.Reverse(messages.Messages)
		return messages.Messages
	}
	eventually(t, "the inbox", func() string {
		var got []string
		for _, m := range list() {
			first, _, _ := strings.Cut(m.Content, "\n")
			if m.Type == "unsupported" && !slices.Contains(want, m.Type+": "+first) { // the texts that follow describe it
				first = m.Content
				for _, w := range want {
					if kind, text, _ := strings.Cut(w, ": "); kind == m.Type && slices.Contains(strings.Split(m.Content, "\n"), text) {
						first = text
					}
				}
			}
			got = append(got, m.Type+": "+first)
		}
		if !slices.Equal(got, want) {
			return fmt.Sprintf("got  %q\nwant %q\n%s", got, want, linkedLog(d.dir))
		}
		return ""
	})
	messages := list()
	for _, m := range messages {
		eventually(t, "the event", func() string {
			if !hooks.has(map[string]any{"event": "message.received", "messageId": m.ID, "type": m.Type}) {
				return fmt.Sprintf("none for %+v", m)
			}
			return ""
		})
		if slices.Contains([]string{"image", "video", "audio", "document", "sticker"}, m.Type) {
			eventually(t, "the attachment", func() string {
				now := list()
				at := slices.IndexFunc(now, func(n inboxMessage) bool { return n.ID == m.ID })
				if r, err := call(t, "GET", now[at].MediaURL, "", key); err != nil || !strings.HasPrefix(r.raw, "the bytes of ") {
					return fmt.Sprintf("%+v: %v", now[at], err)
				}
				return ""
			})
		}
	}
	r, err := call(t, "POST", d.api+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_conversation","arguments":{"conversationId":"`+conversationID+`","limit":50}}}`,
		"Authorization: Bearer "+strings.TrimPrefix(key, "X-API-Key: "))
	if err != nil || r.status != http.StatusOK {
		t.Fatalf("the assistant: %v, %+v", err, r)
	}
	for _, w := range kindsOfMessages() {
		if quoted, _ := json.Marshal(w.text); !strings.Contains(r.raw, strings.Trim(string(quoted), `"`)) {
			t.Errorf("the assistant doesn't show %q", w.text)
		}
	}

	own := func(name string) *waCommon.MessageKey {
		return &waCommon.MessageKey{FromMe: proto.Bool(true), ID: proto.String(ids[name]), RemoteJID: proto.String(shop + "@s.whatsapp.net")}
	}
	phone.SendMessage(t, shop, &waE2E.Message{EditedMessage: around(&waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{
		Type: waE2E.ProtocolMessage_MESSAGE_EDIT.Enum(), Key: own("text"), EditedMessage: conversation("an edited text"),
	}})})
	phone.SendMessage(t, shop, &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{Type: waE2E.ProtocolMessage_REVOKE.Enum(), Key: own("disappearing")}})
	phone.SendMessage(t, shop, &waE2E.Message{ReactionMessage: &waE2E.ReactionMessage{Key: own("the last"), Text: proto.String("👍")}})
	eventually(t, "the changes", func() string {
		now := list()
		if len(now) != len(messages)+1 || now[0].Content != "an edited text" || now[0].EditedAt == 0 || now[2].Content != "" || now[2].DeletedAt == 0 || now[len(now)-1].Type != "reaction" || now[len(now)-1].Content != "👍" {
			return fmt.Sprintf("the messages are %+v", now)
		}
		return ""
	})
	for _, e := range []map[string]any{
		{"event": "message.edited", "messageId": messages[0].ID, "text": "an edited text"}, {"event": "message.deleted", "messageId": messages[2].ID}, {"event": "message.received", "type": "reaction", "text": "👍"},
	} {
		eventually(t, "the event", func() string {
			if !hooks.has(e) {
				return fmt.Sprintf("no %v", e)
			}
			return ""
		})
	}
}
