package device_test

import (
	"testing"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"

	"example.com/griot/griot-whatsapp/phonetest"
)

// Edits, reactions, and comments that a phone encrypts with the secret of the message are opened.
func TestDevice_OpensSealedMessages(t *testing.T) {
	s := server(t)
	_, h := run(t, s, paired(t, s))
	phone := phonetest.New(t, s, awa)
	chat, ctx := types.NewJID(ours, types.DefaultUserServer), t.Context()
	written := phone.SendMessage(t, ours, &waE2E.Message{
		Conversation: proto.String("Demain"), MessageContextInfo: &waE2E.MessageContextInfo{MessageSecret: make([]byte, 32)},
	})
	next(t, h.inbound, "message")
	own, lid := phone.Client.Store.GetJID().ToNonAD(), phone.Client.Store.GetLID().ToNonAD()
	sender := lid
	key := &waCommon.MessageKey{RemoteJID: proto.String(chat.String()), FromMe: proto.Bool(true), ID: proto.String(written)}
	seal := func(kind whatsmeow.MsgSecretType, m proto.Message) (payload, iv []byte) {
		t.Helper()
		plain, err := proto.Marshal(m)
		if err == nil {
			payload, iv, err = phone.Client.DangerousInternals().EncryptMsgSecret(ctx, sender, chat, own, written, kind, plain) //nolint:staticcheck // the library has no other function that encrypts edits
		}
		if err != nil {
			t.Fatal(err)
		}
		return payload, iv
	}
	edit := func(m *waE2E.Message) string {
		t.Helper()
		payload, iv := seal(whatsmeow.EncSecretMessageEdit, m)
		return phone.SendMessage(t, ours, &waE2E.Message{SecretEncryptedMessage: &waE2E.SecretEncryptedMessage{
			TargetMessageKey: key, EncPayload: payload, EncIV: iv, SecretEncType: waE2E.SecretEncryptedMessage_MESSAGE_EDIT.Enum(),
		}})
	}
	text := &waE2E.Message{Conversation: proto.String("Lundi")}
	for name, m := range map[string]*waE2E.Message{
		"the new message": text, "an edit": phone.Client.BuildEdit(chat, written, text),
		"an edit without a key": {ProtocolMessage: &waE2E.ProtocolMessage{Type: waE2E.ProtocolMessage_MESSAGE_EDIT.Enum(), EditedMessage: text}},
	} {
		id := edit(m)
		if r := next(t, h.revisions, "revision"); r.ID != id || r.MessageID != written || r.Text != "Lundi" || r.From.Number != awa || r.Deleted {
			t.Errorf("%s: %+v, want the new text of %s", name, r, written)
		}
	}
	sender = own // a phone can also use its number
	if edit(text); next(t, h.revisions, "revision").Text != "Lundi" {
		t.Error("an edit that names the number has another text")
	}
	for _, emoji := range []string{"👍", ""} {
		payload, iv := seal(whatsmeow.EncSecretReaction, &waE2E.ReactionMessage{Text: proto.String(emoji)})
		phone.SendMessage(t, ours, &waE2E.Message{EncReactionMessage: &waE2E.EncReactionMessage{TargetMessageKey: key, EncPayload: payload, EncIV: iv}})
	}
	payload, iv := seal(whatsmeow.EncSecretComment, text)
	phone.SendMessage(t, ours, &waE2E.Message{EncCommentMessage: &waE2E.EncCommentMessage{TargetMessageKey: key, EncPayload: payload, EncIV: iv}})
	if m := next(t, h.inbound, "reaction"); m.Kind != "reaction" || m.Text != "👍" || m.ReplyTo != written {
		t.Errorf("the reaction is %+v, want 👍 to %s", m, written)
	}
	if m := next(t, h.inbound, "comment"); m.Kind != "text" || m.Text != "Lundi" { // the withdrawn reaction is no message
		t.Errorf("the comment is %+v, want Lundi", m)
	}
}
