package gateway_test

import (
	"bytes"
	"net/http"
	"testing"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"google.golang.org/protobuf/proto"

	"griot/gateways/whatsapp/gateway"
	"griot/gateways/whatsapp/phonetest"
	"griot/gateways/whatsapp/protocol"
	"griot/gateways/whatsapp/storetest"
)

func TestGateway_DeliversAndReceives(t *testing.T) {
	w := newWorld(t, func(c *gateway.Config) { c.Pace = protocol.Pace{Sender: 4000, Pair: 6000, Burst: 1} }, storetest.Limits)
	phone := phonetest.New(t, w.whatsApp, awa)

	_, info := ask[protocol.Info](t, w.gateway, "GET", "/info", nil)
	if info.Protocol != 1 || info.Deduplicates || !info.Receipts || !info.Groups || info.Media != "bytes" || info.Pace.Sender < 4000 || info.Pace.Sender > 6000 ||
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

	data := bytes.Repeat([]byte("x"), 100_000)
	w.taken(message("msg_2", "Photo", object{"media": object{"data": data, "mimeType": "image/png"}}))
	if down, err := phone.Client.Download(t.Context(), phone.Message(t).Message.GetImageMessage()); err != nil || !bytes.Equal(down, data) {
		t.Errorf("the phone got %d bytes, %v, want %d", len(down), err, len(data))
	}
	up, err := phone.Client.Upload(t.Context(), data, whatsmeow.MediaDocument)
	if err != nil {
		t.Fatal(err)
	}
	phone.SendMessage(t, shop, &waE2E.Message{DocumentMessage: &waE2E.DocumentMessage{
		Mimetype: proto.String("application/pdf"), FileName: proto.String("facture.pdf"), URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey,
		FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength,
	}})
	if m := w.inbound(); m.Kind != "document" || m.FileName != "facture.pdf" || m.MIMEType != "application/pdf" {
		t.Errorf("the attachment is %+v, want facture.pdf", m)
	}
}
