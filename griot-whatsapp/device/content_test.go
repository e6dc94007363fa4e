package device

import (
	"strings"
	"testing"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// described returns the content of a message as it arrives.
func described(m *waE2E.Message) (in Inbound, ok bool) {
	ok = in.describe(unwrap(m))
	return in, ok
}

// No wrapper of WhatsApp hides the message within it, also if whatsmeow doesn't know it.
func TestDescribe_Wrappers(t *testing.T) {
	t.Parallel()
	wrappers := 0
	fields := (&waE2E.Message{}).ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if field.Message() == nil || field.Message().Name() != "FutureProofMessage" {
			continue
		}
		wrappers++
		around := func(inner *waE2E.Message) *waE2E.Message {
			m := &waE2E.Message{}
			m.ProtoReflect().Set(field, protoreflect.ValueOfMessage((&waE2E.FutureProofMessage{Message: inner}).ProtoReflect()))
			return m
		}
		text := &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String("Bonjour"), ContextInfo: &waE2E.ContextInfo{StanzaID: proto.String("3EB0A")}}}
		for _, m := range []*waE2E.Message{around(text), around(around(text)), {EphemeralMessage: &waE2E.FutureProofMessage{Message: around(text)}}} {
			if in, ok := described(m); !ok || in.Kind != "text" || in.Text != "Bonjour" || in.ReplyTo != "3EB0A" {
				t.Errorf("%s: %+v, %v", field.Name(), in, ok)
			}
		}
	}
	if wrappers < 25 {
		t.Errorf("only %d wrappers were found", wrappers)
	}
	deep := &waE2E.Message{Conversation: proto.String("Bonjour")}
	for range 1000 {
		deep = &waE2E.Message{EphemeralMessage: &waE2E.FutureProofMessage{Message: deep}}
	}
	if in, ok := described(deep); !ok || in.Kind != "unsupported" {
		t.Errorf("too deep: %+v, %v", in, ok)
	}
}

// What a person has chosen or written is read from messages without a kind of their own.
func TestDescribe_OtherTexts(t *testing.T) {
	t.Parallel()
	quoted := &waE2E.ContextInfo{StanzaID: proto.String("3EB0A"), QuotedMessage: &waE2E.Message{Conversation: proto.String("our text")}}
	note := &waE2E.Message{Conversation: proto.String("Pour le riz")}
	for name, tt := range map[string]struct {
		message    *waE2E.Message
		kind, text string
	}{
		"a button": {&waE2E.Message{ButtonsResponseMessage: &waE2E.ButtonsResponseMessage{
			SelectedButtonID: proto.String("1"), Response: &waE2E.ButtonsResponseMessage_SelectedDisplayText{SelectedDisplayText: "Oui"}, ContextInfo: quoted,
		}}, "text", "Oui"},
		"a template's button": {&waE2E.Message{TemplateButtonReplyMessage: &waE2E.TemplateButtonReplyMessage{
			SelectedID: proto.String("1"), SelectedDisplayText: proto.String("Oui"), ContextInfo: quoted,
		}}, "text", "Oui"},
		"a row": {&waE2E.Message{ListResponseMessage: &waE2E.ListResponseMessage{Title: proto.String("Oui"), Description: proto.String("Je viens"), ContextInfo: quoted}}, "text", "Oui"},
		"a form": {&waE2E.Message{InteractiveResponseMessage: &waE2E.InteractiveResponseMessage{
			Body: &waE2E.InteractiveResponseMessage_Body{Text: proto.String("Envoyé")}, ContextInfo: quoted,
			InteractiveResponseMessage: &waE2E.InteractiveResponseMessage_NativeFlowResponseMessage_{NativeFlowResponseMessage: &waE2E.InteractiveResponseMessage_NativeFlowResponseMessage{Name: proto.String("flow")}},
		}}, "text", "Envoyé"},
		"an order":   {&waE2E.Message{OrderMessage: &waE2E.OrderMessage{Message: proto.String("Deux sacs"), OrderTitle: proto.String("Boutique"), ContextInfo: quoted}}, "unsupported", "Deux sacs\nBoutique"},
		"an article": {&waE2E.Message{ProductMessage: &waE2E.ProductMessage{Body: proto.String("Encore là ?"), Product: &waE2E.ProductMessage_ProductSnapshot{Title: proto.String("Sac")}, ContextInfo: quoted}}, "unsupported", "Encore là ?\nSac"},
		"a poll": {&waE2E.Message{PollCreationMessageV3: &waE2E.PollCreationMessage{
			Name: proto.String("Quand ?"), Options: []*waE2E.PollCreationMessage_Option{{OptionName: proto.String("Lundi")}, {OptionName: proto.String("Mardi")}}, ContextInfo: quoted,
		}}, "unsupported", "Quand ?\nLundi\nMardi"},
		"an invitation": {&waE2E.Message{GroupInviteMessage: &waE2E.GroupInviteMessage{GroupName: proto.String("Parents"), Caption: proto.String("Viens"), ContextInfo: quoted}}, "unsupported", "Parents\nViens"},
		"an event":      {&waE2E.Message{EventMessage: &waE2E.EventMessage{Name: proto.String("Fête"), Description: proto.String("Samedi"), ContextInfo: quoted}}, "unsupported", "Fête\nSamedi"},
		"a list":        {&waE2E.Message{ListMessage: &waE2E.ListMessage{Title: proto.String("Menu"), Description: proto.String("Choisis"), ContextInfo: quoted}}, "unsupported", "Menu\nChoisis"},
		"a payment":     {&waE2E.Message{SendPaymentMessage: &waE2E.SendPaymentMessage{NoteMessage: note}}, "text", "Pour le riz"},
		"a request":     {&waE2E.Message{RequestPaymentMessage: &waE2E.RequestPaymentMessage{NoteMessage: note}}, "text", "Pour le riz"},
		"a comment":     {&waE2E.Message{CommentMessage: &waE2E.CommentMessage{Message: note}}, "text", "Pour le riz"},
		"a video note":  {&waE2E.Message{PtvMessage: &waE2E.VideoMessage{Caption: proto.String("Regarde"), ContextInfo: quoted}}, "video", "Regarde"},
		"nothing":       {&waE2E.Message{PinInChatMessage: &waE2E.PinInChatMessage{}}, "unsupported", ""},
		"beside a key":  {&waE2E.Message{SenderKeyDistributionMessage: &waE2E.SenderKeyDistributionMessage{}, TemplateButtonReplyMessage: &waE2E.TemplateButtonReplyMessage{SelectedDisplayText: proto.String("Oui"), ContextInfo: quoted}}, "text", "Oui"},
	} {
		in, ok := described(tt.message)
		if !ok || in.Kind != tt.kind || in.Text != tt.text {
			t.Errorf("%s: %+v, %v", name, in, ok)
		}
		if hasQuote := strings.Contains(tt.message.String(), "3EB0A"); hasQuote != (in.ReplyTo == "3EB0A") {
			t.Errorf("%s: it replies to %q", name, in.ReplyTo)
		}
	}
	for name, m := range map[string]*waE2E.Message{
		"a key": {SenderKeyDistributionMessage: &waE2E.SenderKeyDistributionMessage{}}, "a device's": {ProtocolMessage: &waE2E.ProtocolMessage{}},
		"a device's, wrapped": {EphemeralMessage: &waE2E.FutureProofMessage{Message: &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{}}}},
		"a removed reaction":  {ReactionMessage: &waE2E.ReactionMessage{}},
	} {
		if in, ok := described(m); ok {
			t.Errorf("%s: %+v, want no message", name, in)
		}
	}
	described(nil) // doesn't panic
}

// Any message is described without a panic, and with a bounded text.
func FuzzDescribe(f *testing.F) {
	seed, err := proto.Marshal(&waE2E.Message{PollCreationMessage: &waE2E.PollCreationMessage{Name: proto.String("Quand ?")}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, wire []byte) {
		var m waE2E.Message
		if proto.Unmarshal(wire, &m) != nil {
			return
		}
		if in, ok := described(&m); ok && (in.Kind == "" || len(in.Text) > 2*len(wire)+100) {
			t.Errorf("%+v", in)
		}
	})
}
