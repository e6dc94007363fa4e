package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"google.golang.org/protobuf/proto"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/phonetest"
	"example.com/griot/griot-whatsapp/storetest"
)

// What a phone sends is a message with its text, or it is counted.
func TestGateway_Kinds(t *testing.T) {
	w := newWorld(t, nil, storetest.Limits)
	phone := phonetest.New(t, w.whatsApp, awa)
	text := &waE2E.Message{Conversation: proto.String("Pour le riz")}
	wrap := func(m *waE2E.Message) *waE2E.FutureProofMessage { return &waE2E.FutureProofMessage{Message: m} }
	album := func(kind waE2E.MessageAssociation_AssociationType) *waE2E.MessageContextInfo {
		return &waE2E.MessageContextInfo{MessageAssociation: &waE2E.MessageAssociation{AssociationType: kind.Enum(), ParentMessageKey: &waCommon.MessageKey{ID: proto.String("3EB0P")}}}
	}
	picture := &waE2E.Message{ImageMessage: &waE2E.ImageMessage{Caption: proto.String("Regarde")}}
	deep := text
	for range 40 {
		deep = &waE2E.Message{EphemeralMessage: wrap(deep)}
	}
	for name, tt := range map[string]struct {
		message             *waE2E.Message
		kind, text, dropped string
	}{
		"a spoiler":               {&waE2E.Message{SpoilerMessage: wrap(text)}, "text", "Pour le riz", ""},
		"forwarded by a bot":      {&waE2E.Message{BotForwardedMessage: wrap(text)}, "text", "Pour le riz", ""},
		"in 40 wrappers":          {deep, "text", "Pour le riz", ""},
		"a group invitation":      {&waE2E.Message{GroupInviteMessage: &waE2E.GroupInviteMessage{GroupName: proto.String("Parents"), Caption: proto.String("Viens")}}, "unsupported", "Parents\nViens", ""},
		"an order":                {&waE2E.Message{OrderMessage: &waE2E.OrderMessage{Message: proto.String("Deux sacs")}}, "unsupported", "Deux sacs", ""},
		"a chosen row":            {&waE2E.Message{ListResponseMessage: &waE2E.ListResponseMessage{Title: proto.String("Oui")}}, "text", "Oui", ""},
		"an interactive message":  {&waE2E.Message{InteractiveMessage: &waE2E.InteractiveMessage{Body: &waE2E.InteractiveMessage_Body{Text: proto.String("On livre ?")}}}, "unsupported", "On livre ?", ""},
		"a place":                 {&waE2E.Message{LocationMessage: &waE2E.LocationMessage{DegreesLatitude: proto.Float64(12.6392), DegreesLongitude: proto.Float64(-8.0029), Name: proto.String("Marché rose"), Address: proto.String("Bamako")}}, "location", "12.6392,-8.0029 Marché rose, Bamako", ""},
		"a place with a comment":  {&waE2E.Message{LocationMessage: &waE2E.LocationMessage{DegreesLatitude: proto.Float64(12.5), DegreesLongitude: proto.Float64(-8), Comment: proto.String("Ici")}}, "location", "12.5,-8\nIci", ""},
		"a live place":            {&waE2E.Message{LiveLocationMessage: &waE2E.LiveLocationMessage{DegreesLatitude: proto.Float64(0), DegreesLongitude: proto.Float64(-8.5), Caption: proto.String("J'arrive")}}, "location", "0,-8.5 J'arrive", ""},
		"a card":                  {&waE2E.Message{ContactMessage: &waE2E.ContactMessage{Vcard: proto.String("BEGIN:VCARD\nVERSION:3.0\nFN:Moussa Keita\nTEL;waid=22370000002:+223 70 00 00 02\nEND:VCARD")}}, "contacts", "Moussa Keita +22370000002", ""},
		"the head of an album":    {&waE2E.Message{AlbumMessage: &waE2E.AlbumMessage{ExpectedImageCount: proto.Uint32(2)}}, "", "", device.DroppedAlbum},
		"a picture of an album":   {&waE2E.Message{ImageMessage: picture.ImageMessage, MessageContextInfo: album(waE2E.MessageAssociation_MEDIA_ALBUM)}, "image", "Regarde", ""},
		"its HD copy":             {&waE2E.Message{AssociatedChildMessage: wrap(picture), MessageContextInfo: album(waE2E.MessageAssociation_HD_IMAGE_DUAL_UPLOAD)}, "", "", device.DroppedCopy},
		"a pin":                   {&waE2E.Message{PinInChatMessage: &waE2E.PinInChatMessage{Type: waE2E.PinInChatMessage_PIN_FOR_ALL.Enum()}}, "", "", device.DroppedPin},
		"a vote":                  {&waE2E.Message{PollUpdateMessage: &waE2E.PollUpdateMessage{PollCreationMessageKey: &waCommon.MessageKey{ID: proto.String("3EB0P")}}}, "", "", device.DroppedPoll},
		"an unreadable reaction":  {&waE2E.Message{EncReactionMessage: &waE2E.EncReactionMessage{TargetMessageKey: &waCommon.MessageKey{ID: proto.String("3EB0P"), FromMe: proto.Bool(true)}}}, "", "", device.DroppedSealed},
		"a reaction":              {&waE2E.Message{ReactionMessage: &waE2E.ReactionMessage{Key: &waCommon.MessageKey{ID: proto.String("3EB0P")}, Text: proto.String("👍")}}, "reaction", "👍", ""},
		"a withdrawn reaction":    {&waE2E.Message{ReactionMessage: &waE2E.ReactionMessage{Key: &waCommon.MessageKey{ID: proto.String("3EB0P")}, Text: proto.String("")}}, "", "", device.DroppedReaction},
		"a picture for one view":  {&waE2E.Message{ViewOnceMessageV2Extension: wrap(&waE2E.Message{PlaceholderMessage: &waE2E.PlaceholderMessage{}})}, "unavailable", "", ""},
		"an invitation to a call": {&waE2E.Message{ScheduledCallCreationMessage: &waE2E.ScheduledCallCreationMessage{Title: proto.String("Lundi")}}, "unsupported", "Lundi", ""},
	} {
		id := phone.SendMessage(t, shop, proto.Clone(tt.message).(*waE2E.Message))
		if tt.dropped == "" {
			if m := w.inbound(); m.ID != id || m.Kind != tt.kind || m.Text != tt.text {
				t.Errorf("%s: %+v, want %s %q", name, m, tt.kind, tt.text)
			}
			continue
		}
		next := phone.Send(t, shop, "et après ?")
		if m := w.inbound(); m.ID != next {
			t.Errorf("%s: %+v, want no message", name, m)
			w.inbound()
		}
		rec := httptest.NewRecorder()
		w.gateway.Probes().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
		if want := `griot_whatsapp_unhandled_total{reason="` + tt.dropped + `"} 1`; !strings.Contains(rec.Body.String(), want) {
			t.Errorf("%s: /metrics has no %s", name, want)
		}
	}
}
