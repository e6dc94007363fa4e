package gateway_test

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/gateway"
	"example.com/griot/griot-whatsapp/phonetest"
	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/storetest"
)

func TestGateway_DeliversAndReceives(t *testing.T) {
	w := newWorld(t, func(c *gateway.Config) { c.Pace = protocol.Pace{Sender: 4000, Pair: 6000, Burst: 1} }, storetest.Limits)
	phone := phonetest.New(t, w.whatsApp, awa)

	_, info := ask[protocol.Info](t, w.gateway, "GET", "/info", nil)
	if info.Protocol != 1 || info.Deduplicates || !info.Receipts || !info.Groups || !info.Replies || !info.Read || info.Media != "bytes" || info.Pace.Sender < 4000 || info.Pace.Sender > 6000 ||
		len(info.Connections) != 1 || info.Connections[0].State != "connected" || info.Connections[0].From != shop {
		t.Errorf("info is %+v, want one connected number, and a pace of 4 to 6 seconds", info)
	}

	if f := w.refused(message("msg_0", "Promotion !", nil)); f != (protocol.Failure{Class: "unreachable", Code: "first_contact"}) {
		t.Errorf("a stranger: %+v, want first_contact", f)
	}
	if status, r := ask[protocol.Refusal](t, w.gateway, "GET", "/messages/msg_0", nil); status != http.StatusNotFound || r.Error.Code != "never_seen" {
		t.Errorf("the refused one: %d %+v, want never_seen", status, r)
	}
	phone.Send(t, shop, "Bonjour")
	if m := w.inbound(); m.From != awa || m.To != shop || m.Text != "Bonjour" || m.Kind != "text" || m.Choice != nil {
		t.Errorf("the message is %+v, want Bonjour from %s", m, awa)
	}

	buttons := object{"header": "Livraison", "buttons": []object{{"id": "yes", "title": "Oui"}, {"id": "no", "title": "Non"}}, "footer": "Merci"}
	accepted := w.taken(message("msg_1", "Êtes-vous là ?", object{"interactive": buttons}))
	got := phone.Message(t)
	if text := phonetest.Text(got.Message); text != "*Livraison*\n\nÊtes-vous là ?\n\n1. Oui\n2. Non\n\n_Merci_" || got.Info.ID != accepted.ProviderID {
		t.Errorf("the phone got %q with id %s, want the choices and %s", text, got.Info.ID, accepted.ProviderID)
	}
	if r := w.next("receipt", func(e protocol.Event) bool { return e.Receipt != nil }).Receipt; r.Reference != "msg_1" || r.Status != "delivered" {
		t.Errorf("the receipt is %+v, want msg_1 delivered", r)
	}
	if again := w.taken(message("msg_1", "another", nil)); again != accepted {
		t.Errorf("the second time: %+v, want %+v", again, accepted)
	}
	if status, a := ask[protocol.Accepted](t, w.gateway, "GET", "/messages/msg_1", nil); status != http.StatusOK || a != accepted {
		t.Errorf("asked for: %d %+v, want %+v", status, a, accepted)
	}
	phone.Send(t, shop, " 2 ")
	if m := w.inbound(); m.Choice == nil || m.Choice.ID != "no" || m.Choice.Title != "Non" || m.ReplyTo != "msg_1" {
		t.Errorf("the answer is %+v, want the choice no to msg_1", m)
	}
	phone.SendMessage(t, shop, phonetest.Reply("oui", got))
	if m := w.inbound(); m.Choice == nil || m.Choice.ID != "yes" || m.ReplyTo != "msg_1" {
		t.Errorf("the answer is %+v, want the choice yes to msg_1", m)
	}

	question := phone.Send(t, shop, "C'est combien ?")
	if m := w.inbound(); m.ID != question {
		t.Errorf("the question is %+v, want id %s", m, question)
	}
	w.taken(message("msg_3", "200 francs", object{"replyTo": object{"id": question, "text": "C'est combien ?"}}))
	answer := phone.Message(t).Message.GetExtendedTextMessage()
	if q := answer.GetContextInfo(); answer.GetText() != "200 francs" || q.GetStanzaID() != question || q.GetParticipant() != awa+"@s.whatsapp.net" || q.GetQuotedMessage().GetConversation() != "C'est combien ?" {
		t.Errorf("the phone got %v, want 200 francs in answer to %s", answer, question)
	}
	mark := object{"channel": "whatsapp", "from": shop, "to": awa, "ids": []string{question}, "at": time.Now()}
	if status, _ := ask[object](t, w.gateway, "POST", "/read", mark); status != http.StatusOK {
		t.Errorf("marking as read: %d, want 200", status)
	}
	phonetest.Wait(t, phone, func(r *events.Receipt) bool {
		return r.Type == types.ReceiptTypeRead && slices.Contains(r.MessageIDs, question)
	})
	for name, change := range map[string]object{"no ids": {"ids": []string{}}, "an empty id": {"ids": []string{""}}, "no number": {"to": "awa"}, "no time": {"at": nil}, "another channel": {"channel": "sms"}} {
		wrong := maps.Clone(mark)
		maps.Copy(wrong, change)
		if status, r := ask[protocol.Refusal](t, w.gateway, "POST", "/read", wrong); status != http.StatusUnprocessableEntity || r.Error.Code != "message_invalid" {
			t.Errorf("%s: %d %+v, want message_invalid", name, status, r)
		}
	}
	mark["from"] = "22376549999"
	if status, r := ask[protocol.Refusal](t, w.gateway, "POST", "/read", mark); status == http.StatusOK || r.Error.Code != "number_not_paired" {
		t.Errorf("another number's: %d %+v, want number_not_paired", status, r)
	}
	data := bytes.Repeat([]byte("x"), 100_000)
	w.taken(message("msg_4", "Photo", object{"media": object{"data": data, "mimeType": "image/png"}, "replyTo": object{"reference": "msg_1"}}))
	if q := phone.Message(t).Message.GetImageMessage().GetContextInfo(); q.GetStanzaID() != accepted.ProviderID || q.GetParticipant() != shop+"@s.whatsapp.net" {
		t.Errorf("the picture answers %v, want our %s", q, accepted.ProviderID)
	}
	w.taken(message("msg_2", "Photo", object{"media": object{"data": data, "mimeType": "image/png"}}))
	if down, err := phone.Client.Download(t.Context(), phone.Message(t).Message.GetImageMessage()); err != nil || !bytes.Equal(down, data) {
		t.Errorf("the phone got %d bytes, %v, want %d", len(down), err, len(data))
	}
	phone.SendAttachment(t, shop, phonetest.Attachment{Kind: whatsmeow.MediaDocument, Data: data, MIMEType: "application/pdf", FileName: "facture.pdf"})
	m := w.inbound()
	if m.Kind != "document" || m.Media == nil || m.Media.FileName != "facture.pdf" || m.Media.MIMEType != "application/pdf" {
		t.Fatalf("the attachment is %+v, want facture.pdf", m)
	}
	if status, got := w.fetch(m.Media.URL); status != http.StatusOK || !bytes.Equal(got, data) {
		t.Errorf("fetching it: %d with %d bytes, want %d", status, len(got), len(data))
	}
}

// An attachment can be fetched with the path in its event, either completely or not at all.
func TestGateway_Attachments(t *testing.T) {
	w := newWorld(t, nil, storetest.Limits)
	phone := phonetest.New(t, w.whatsApp, awa)
	for _, tt := range []struct {
		kind whatsmeow.MediaType
		want string
		size int
	}{
		{whatsmeow.MediaImage, "image", 1},
		{whatsmeow.MediaVideo, "video", 15},
		{whatsmeow.MediaAudio, "audio", 16},
		{phonetest.Sticker, "sticker", 40_000},
		{whatsmeow.MediaDocument, "document", 3 << 20},
	} {
		data := bytes.Repeat([]byte{byte(tt.size)}, tt.size)
		phone.SendAttachment(t, shop, phonetest.Attachment{Kind: tt.kind, Data: data, MIMEType: "a/b"})
		m := w.inbound()
		if m.Kind != tt.want || m.Media == nil || m.Media.MIMEType != "a/b" {
			t.Fatalf("%s: the message is %+v", tt.want, m)
		}
		if status, got := w.fetch(m.Media.URL); status != http.StatusOK || !bytes.Equal(got, data) {
			t.Errorf("%s: %d with %d bytes, want %d", tt.want, status, len(got), tt.size)
		}
	}
	for name, tt := range map[string]struct {
		change  func(*waE2E.DocumentMessage)
		missing string
		status  int
	}{
		"larger than Griot keeps":            {func(m *waE2E.DocumentMessage) { m.FileLength = proto.Uint64(device.MaxAttachment + 1) }, "too_large", 0},
		"without its key":                    {func(m *waE2E.DocumentMessage) { m.MediaKey = nil }, "unavailable", 0},
		"an address in place of a path":      {func(m *waE2E.DocumentMessage) { m.DirectPath = proto.String("@127.0.0.1/v/x?ccb=1") }, "unavailable", 0},
		"gone at WhatsApp":                   {func(m *waE2E.DocumentMessage) { m.DirectPath = proto.String("/v/none?ccb=1") }, "", http.StatusGone},
		"another key":                        {func(m *waE2E.DocumentMessage) { m.MediaKey = bytes.Repeat([]byte{1}, 32) }, "", broken},
		"other bytes than were encrypted":    {func(m *waE2E.DocumentMessage) { m.FileSHA256 = bytes.Repeat([]byte{1}, 32) }, "", broken},
		"other bytes than WhatsApp was sent": {func(m *waE2E.DocumentMessage) { m.FileEncSHA256 = bytes.Repeat([]byte{1}, 32) }, "", broken},
	} {
		phone.SendAttachment(t, shop, phonetest.Attachment{Kind: whatsmeow.MediaDocument, Data: []byte("facture"), MIMEType: "a/b", Change: tt.change})
		m := w.inbound().Media
		if m == nil || m.Missing != tt.missing || (m.URL == "") != (tt.missing != "") {
			t.Fatalf("%s: %+v, want missing %q", name, m, tt.missing)
		}
		if m.URL == "" {
			continue
		}
		if status, got := w.fetch(m.URL); status != tt.status {
			t.Errorf("%s: %d %q, want %d", name, status, got, tt.status)
		}
	}
	if status, _ := w.fetch("/media/0123456789abcdef0123456789abcdef"); status != http.StatusGone {
		t.Errorf("one that never was: %d, want 410", status)
	}
	w.whatsApp.Kick(shop, nil)
	phone.SendAttachment(t, shop, phonetest.Attachment{Kind: whatsmeow.MediaImage, Data: []byte("x"), MIMEType: "image/png"})
	if status, _ := w.fetch(w.inbound().Media.URL); status != http.StatusOK {
		t.Errorf("after a lost connection: %d, want 200", status)
	}
}
