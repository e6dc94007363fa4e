package device

import (
	"slices"
	"strings"
	"testing"

	"go.mau.fi/whatsmeow/proto/waAICommonDeprecated"
	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// described returns the content of a message as it arrives.
func described(m *waE2E.Message) (in Inbound, ok bool) {
	ok = in.describe(unwrap(m)) == ""
	return in, ok
}

// around puts a message into one of the wrappers.
func around(field protoreflect.FieldDescriptor, inner *waE2E.Message) *waE2E.Message {
	m := &waE2E.Message{}
	m.ProtoReflect().Set(field, protoreflect.ValueOfMessage((&waE2E.FutureProofMessage{Message: inner}).ProtoReflect()))
	return m
}

// nested puts a message into many wrappers.
func nested(depth int, m *waE2E.Message) *waE2E.Message {
	for range depth {
		m = &waE2E.Message{EphemeralMessage: &waE2E.FutureProofMessage{Message: m}}
	}
	return m
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
		text := &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String("Bonjour"), ContextInfo: &waE2E.ContextInfo{StanzaID: proto.String("3EB0A")}}}
		for _, m := range []*waE2E.Message{around(field, text), around(field, around(field, text)), {EphemeralMessage: &waE2E.FutureProofMessage{Message: around(field, text)}}} {
			if in, ok := described(m); !ok || in.Kind != "text" || in.Text != "Bonjour" || in.ReplyTo != "3EB0A" {
				t.Errorf("%s: %+v, %v", field.Name(), in, ok)
			}
		}
	}
	if wrappers < 25 {
		t.Errorf("only %d wrappers were found", wrappers)
	}
	written := &waE2E.Message{Conversation: proto.String("Bonjour")}
	for _, tt := range []struct {
		depth      int
		isTooDeep  bool
		kind, text string
	}{{9, false, "text", "Bonjour"}, {maxWrappers, false, "text", "Bonjour"}, {maxWrappers + 1, true, "unsupported", "Bonjour"}, {1000, true, "unsupported", ""}} {
		m := unwrap(nested(tt.depth, written))
		var in Inbound
		if drop := in.describe(m); drop != "" || in.Kind != tt.kind || in.Text != tt.text || m.isTooDeep != tt.isTooDeep {
			t.Errorf("in %d wrappers: %+v, %q, too deep: %v", tt.depth, in, drop, m.isTooDeep)
		}
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
		"a template": {&waE2E.Message{TemplateMessage: &waE2E.TemplateMessage{
			HydratedTemplate: &waE2E.TemplateMessage_HydratedFourRowTemplate{
				Title:               &waE2E.TemplateMessage_HydratedFourRowTemplate_HydratedTitleText{HydratedTitleText: "Facture"},
				HydratedContentText: proto.String("Payez demain"), HydratedFooterText: proto.String("Merci"),
			}, ContextInfo: quoted,
		}}, "unsupported", "Facture\nPayez demain"},
		"a template of Meta's": {&waE2E.Message{HighlyStructuredMessage: &waE2E.HighlyStructuredMessage{HydratedHsm: &waE2E.TemplateMessage{
			Format: &waE2E.TemplateMessage_InteractiveMessageTemplate{InteractiveMessageTemplate: &waE2E.InteractiveMessage{Body: &waE2E.InteractiveMessage_Body{Text: proto.String("Payez demain")}}},
		}}}, "unsupported", "Payez demain"},
		"an interactive message": {&waE2E.Message{InteractiveMessage: &waE2E.InteractiveMessage{
			Header: &waE2E.InteractiveMessage_Header{Title: proto.String("Boutique")}, Body: &waE2E.InteractiveMessage_Body{Text: proto.String("On livre ?")}, ContextInfo: quoted,
		}}, "unsupported", "Boutique\nOn livre ?"},
		"buttons": {&waE2E.Message{ButtonsMessage: &waE2E.ButtonsMessage{
			Header: &waE2E.ButtonsMessage_Text{Text: "Boutique"}, ContentText: proto.String("On livre ?"), FooterText: proto.String("Merci"), ContextInfo: quoted,
		}}, "unsupported", "Boutique\nOn livre ?"},
		"the answer to a question": {&waE2E.Message{QuestionResponseMessage: &waE2E.QuestionResponseMessage{Text: proto.String("Lundi")}}, "text", "Lundi"},
		"a spoiler":                {around(wrapperNamed("spoilerMessage"), note), "text", "Pour le riz"},
		"a mention of a group":     {around(wrapperNamed("groupMentionedMessage"), note), "text", "Pour le riz"},
		"forwarded by a bot":       {around(wrapperNamed("botForwardedMessage"), around(wrapperNamed("ephemeralMessage"), note)), "text", "Pour le riz"},
		"an answer of a bot": {around(wrapperNamed("botForwardedMessage"), &waE2E.Message{RichResponseMessage: &waE2E.AIRichResponseMessage{
			Submessages: []*waAICommonDeprecated.AIRichResponseSubMessage{{MessageText: proto.String("Il pleut")}}, ContextInfo: quoted,
		}}), "unsupported", "Il pleut"},
		"an invitation to an event": {&waE2E.Message{EventInviteMessage: &waE2E.EventInviteMessage{EventTitle: proto.String("Fête"), Caption: proto.String("Viens"), ContextInfo: quoted}}, "unsupported", "Fête\nViens"},
		"a request for a number":    {&waE2E.Message{RequestPhoneNumberMessage: &waE2E.RequestPhoneNumberMessage{}}, "unsupported", ""},
		"a payment without a note":  {&waE2E.Message{SendPaymentMessage: &waE2E.SendPaymentMessage{}}, "unsupported", ""},
		"for phones only":           {&waE2E.Message{PlaceholderMessage: &waE2E.PlaceholderMessage{}}, "unavailable", ""},
		"sent later":                {&waE2E.Message{ConditionalRevealMessage: &waE2E.ConditionalRevealMessage{}}, "unavailable", ""},
		"a picture of an album":     {inAlbum(&waE2E.Message{ImageMessage: &waE2E.ImageMessage{Caption: proto.String("Regarde"), ContextInfo: quoted}}), "image", "Regarde"},
		"a text in a child":         {around(wrapperNamed("associatedChildMessage"), note), "text", "Pour le riz"},
		"an empty text":             {&waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Title: proto.String("Boutique")}}, "unsupported", "Boutique"},
		"nothing":                   {&waE2E.Message{}, "unsupported", ""},
		"of an unknown kind":        {unknownMessage(), "unsupported", ""},
		"unknown, beside a key":     {besideKey(unknownMessage()), "unsupported", ""},
		"a text beside an album":    {&waE2E.Message{AlbumMessage: &waE2E.AlbumMessage{}, Conversation: proto.String("Bonjour")}, "text", "Bonjour"},
		"beside a key":              {&waE2E.Message{SenderKeyDistributionMessage: &waE2E.SenderKeyDistributionMessage{}, TemplateButtonReplyMessage: &waE2E.TemplateButtonReplyMessage{SelectedDisplayText: proto.String("Oui"), ContextInfo: quoted}}, "text", "Oui"},
	} {
		in, ok := described(tt.message)
		if !ok || in.Kind != tt.kind || in.Text != tt.text {
			t.Errorf("%s: %+v, %v", name, in, ok)
		}
		if hasQuote := strings.Contains(tt.message.String(), "3EB0A"); hasQuote != (in.ReplyTo == "3EB0A") {
			t.Errorf("%s: it replies to %q", name, in.ReplyTo)
		}
	}
	described(nil) // doesn't panic
}

// wrapperNamed returns the wrapper with a name.
func wrapperNamed(name protoreflect.Name) protoreflect.FieldDescriptor {
	return (&waE2E.Message{}).ProtoReflect().Descriptor().Fields().ByName(name)
}

// associated says how a message belongs to another one.
func associated(kind waE2E.MessageAssociation_AssociationType, m *waE2E.Message) *waE2E.Message {
	m.MessageContextInfo = &waE2E.MessageContextInfo{MessageAssociation: &waE2E.MessageAssociation{AssociationType: kind.Enum(), ParentMessageKey: &waCommon.MessageKey{ID: proto.String("3EB0P")}}}
	return m
}

func inAlbum(m *waE2E.Message) *waE2E.Message {
	return associated(waE2E.MessageAssociation_MEDIA_ALBUM, around(wrapperNamed("associatedChildMessage"), m))
}

// unknownMessage returns a message with a field that no version of WhatsApp has yet.
func unknownMessage() *waE2E.Message {
	m := &waE2E.Message{}
	m.ProtoReflect().SetUnknown(protowire.AppendString(protowire.AppendTag(nil, 9999, protowire.BytesType), "x"))
	return m
}

func besideKey(m *waE2E.Message) *waE2E.Message {
	m.SenderKeyDistributionMessage = &waE2E.SenderKeyDistributionMessage{}
	return m
}

// What isn't a message that a person has written has a reason.
func TestDescribe_Drops(t *testing.T) {
	t.Parallel()
	picture := func() *waE2E.Message {
		return &waE2E.Message{ImageMessage: &waE2E.ImageMessage{Caption: proto.String("Regarde")}}
	}
	child := wrapperNamed("associatedChildMessage")
	for name, tt := range map[string]struct {
		message *waE2E.Message
		want    string
	}{
		"a key":                  {besideKey(&waE2E.Message{MessageContextInfo: &waE2E.MessageContextInfo{}}), DroppedDevice},
		"a device's":             {&waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{}}, DroppedDevice},
		"a device's, wrapped":    {nested(1, &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{}}), DroppedDevice},
		"a removed reaction":     {&waE2E.Message{ReactionMessage: &waE2E.ReactionMessage{Key: &waCommon.MessageKey{ID: proto.String("3EB0A")}}}, DroppedReaction},
		"the head of an album":   {&waE2E.Message{AlbumMessage: &waE2E.AlbumMessage{ExpectedImageCount: proto.Uint32(2)}}, DroppedAlbum},
		"a wrapped head":         {nested(2, &waE2E.Message{AlbumMessage: &waE2E.AlbumMessage{}}), DroppedAlbum},
		"a pin":                  {&waE2E.Message{PinInChatMessage: &waE2E.PinInChatMessage{}}, DroppedPin},
		"a kept message":         {&waE2E.Message{KeepInChatMessage: &waE2E.KeepInChatMessage{}}, DroppedKeep},
		"a vote":                 {&waE2E.Message{PollUpdateMessage: &waE2E.PollUpdateMessage{}}, DroppedPoll},
		"an option of a poll":    {&waE2E.Message{PollAddOptionMessage: &waE2E.PollAddOptionMessage{AddOption: &waE2E.PollCreationMessage_Option{OptionName: proto.String("Mardi")}}}, DroppedPoll},
		"a call":                 {&waE2E.Message{CallLogMesssage: &waE2E.CallLogMessage{}}, DroppedCall},
		"the answer to an event": {&waE2E.Message{EncEventResponseMessage: &waE2E.EncEventResponseMessage{}}, DroppedResponse},
		"an HD picture":          {associated(waE2E.MessageAssociation_HD_IMAGE_DUAL_UPLOAD, around(child, picture())), DroppedCopy},
		"an HD picture, inside":  {around(child, associated(waE2E.MessageAssociation_HD_IMAGE_DUAL_UPLOAD, picture())), DroppedCopy},
		"an HD video":            {associated(waE2E.MessageAssociation_HD_VIDEO_DUAL_UPLOAD, &waE2E.Message{VideoMessage: &waE2E.VideoMessage{}}), DroppedCopy},
		"a moving picture":       {associated(waE2E.MessageAssociation_MOTION_PHOTO, around(child, &waE2E.Message{VideoMessage: &waE2E.VideoMessage{}})), DroppedCopy},
		"a picture in a child":   {around(child, picture()), DroppedCopy},
	} {
		var in Inbound
		if drop := in.describe(unwrap(tt.message)); drop != tt.want {
			t.Errorf("%s: %q and %+v, want %q", name, drop, in, tt.want)
		}
	}
}

// Any message is read without a panic, with a bounded text, and as exactly one of a message, a revision, and a drop whose
// reason is known. A text is never dropped because of what is beside it.
func FuzzDescribe(f *testing.F) {
	edited := &waE2E.ProtocolMessage{Type: waE2E.ProtocolMessage_MESSAGE_EDIT.Enum(), Key: &waCommon.MessageKey{ID: proto.String("3EB0A")}, EditedMessage: &waE2E.Message{Conversation: proto.String("Lundi")}}
	for _, m := range []*waE2E.Message{
		{PollCreationMessage: &waE2E.PollCreationMessage{Name: proto.String("Quand ?")}},
		{EditedMessage: &waE2E.FutureProofMessage{Message: &waE2E.Message{ProtocolMessage: edited}}},
		inAlbum(&waE2E.Message{ImageMessage: &waE2E.ImageMessage{}}), nested(3, unknownMessage()), besideKey(&waE2E.Message{AlbumMessage: &waE2E.AlbumMessage{}}),
		{LocationMessage: &waE2E.LocationMessage{DegreesLatitude: proto.Float64(12.5)}},
		{ContactMessage: &waE2E.ContactMessage{Vcard: proto.String("BEGIN:VCARD\nTEL:1\nEND:VCARD")}},
	} {
		seed, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		var m waE2E.Message
		if proto.Unmarshal(wire, &m) != nil {
			return
		}
		inner := unwrap(&m)
		var in Inbound
		revision, drop := in.read(inner)
		switch {
		case drop != "":
			if revision != nil || !slices.Contains(Reasons, drop) {
				t.Errorf("%q, %+v", drop, revision)
			}
			if inner.GetConversation() != "" && inner.ProtocolMessage == nil && !inner.isCopy() {
				t.Errorf("a text was dropped as %q", drop)
			}
		case revision != nil:
			if revision.MessageID == "" || revision.Deleted == (revision.Kind != "") {
				t.Errorf("%+v", revision)
			}
		case in.Kind == "" || len(in.Text) > 2*len(wire)+100:
			t.Errorf("%+v", in)
		}
	})
}
