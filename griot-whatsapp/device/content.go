package device

import (
	"cmp"
	"slices"
	"strings"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// maxWrappers is the maximum number of messages around a message. WhatsApp's own applications use two or three.
const maxWrappers = 100

// unwrapped is a message without the messages around it.
type unwrapped struct {
	*waE2E.Message
	association *waE2E.MessageAssociation // how it belongs to another message; nil: it doesn't
	isChild     bool                      // it was in an associatedChildMessage
	isTooDeep   bool                      // there are more messages around it than maxWrappers
}

// unwrap returns the message within the messages that WhatsApp puts around one, for example around edited, forwarded, or
// disappearing ones, and around notes of payments. whatsmeow knows only some of these wrappers, and each of them once.
func unwrap(m *waE2E.Message) unwrapped {
	o := unwrapped{Message: m}
	for range maxWrappers {
		o.note()
		inner, name := wrapped(o.Message)
		if inner == nil {
			return o
		}
		o.Message, o.isChild = inner, o.isChild || name == "associatedChildMessage"
	}
	o.note()
	inner, _ := wrapped(o.Message)
	o.isTooDeep = inner != nil
	return o
}

// note notes the association of the message. The innermost one counts.
func (o *unwrapped) note() {
	if a := o.GetMessageContextInfo().GetMessageAssociation(); a != nil {
		o.association = a
	}
}

// wrapped returns the message directly within a message, and the name of the field, or nil.
func wrapped(m *waE2E.Message) (inner *waE2E.Message, name protoreflect.Name) {
	eachMessage(m.ProtoReflect(), func(field protoreflect.FieldDescriptor, around protoreflect.Message) {
		if inner != nil || fates[field.Name()].role != wrapper {
			return
		}
		switch x := around.Interface().(type) {
		case interface{ GetMessage() *waE2E.Message }:
			inner, name = x.GetMessage(), field.Name()
		case interface{ GetNoteMessage() *waE2E.Message }:
			inner, name = x.GetNoteMessage(), field.Name()
		}
	})
	return inner, name
}

// eachMessage calls f for each field with a message, in the order of the definition.
func eachMessage(m protoreflect.Message, f func(field protoreflect.FieldDescriptor, m protoreflect.Message)) {
	for i, all := 0, m.Descriptor().Fields(); i < all.Len(); i++ {
		field := all.Get(i)
		switch {
		case field.Message() == nil || field.IsMap() || !m.Has(field):
		case field.IsList():
			for i, list := 0, m.Get(field).List(); i < list.Len(); i++ {
				f(field, list.Get(i).Message())
			}
		default:
			f(field, m.Get(field).Message())
		}
	}
}

// textFields are the names of fields with text that WhatsApp shows. Fields with a message that isn't part of the text are
// in otherFields.
var (
	textFields = []protoreflect.Name{
		"conversation", "selectedDisplayText", "caption", "body", "text", "contentText", "hydratedContentText", "hydratedTitleText", "title", "name", "description", "optionName", "message", "note", "orderTitle", "groupName", "newsletterName", "eventTitle", "packDescription", "messageText", "codeContent",
	}
	otherFields = []protoreflect.Name{"contextInfo", "messageContextInfo", "nativeFlowResponseMessage", "productListInfo"}
)

// Limits of the text of a message that has no kind of its own.
const (
	maxTexts     = 50
	maxTextDepth = 6
)

// other sets the content of a message without a kind of its own, such as an order, a poll, or the choice of a button. A
// text that a person has chosen or written as an answer is like any other text. It returns why there is no message, or "".
func (in *Inbound) other(m *waE2E.Message) (quoted *waE2E.ContextInfo, drop string) {
	var texts []string
	isMessage, isAnswer := len(m.ProtoReflect().GetUnknown()) > 0, false
	eachMessage(m.ProtoReflect(), func(field protoreflect.FieldDescriptor, inner protoreflect.Message) {
		f := fates[field.Name()]
		switch f.role {
		case beside:
			return
		case dropped:
			drop = cmp.Or(drop, f.reason)
			return
		case concealed:
			in.Kind = "unavailable"
		case answer:
			isAnswer = true
		case shown, content, wrapper, sealed:
		}
		isMessage = true
		texts = appendTexts(texts, inner, maxTextDepth)
		if x, ok := inner.Interface().(interface{ GetContextInfo() *waE2E.ContextInfo }); ok && quoted == nil {
			quoted = x.GetContextInfo()
		}
	})
	switch {
	case !isMessage && drop != "":
		return nil, drop
	case isAnswer && len(texts) > 0:
		in.Kind, in.Text = "text", texts[0] // what follows describes the choice
	case len(texts) > 0 || in.Kind != "unavailable":
		in.Kind, in.Text = "unsupported", strings.Join(texts, "\n")
	}
	return quoted, ""
}

// appendTexts appends the different texts of a message and of those within it.
func appendTexts(texts []string, m protoreflect.Message, depth int) []string {
	for i, all := 0, m.Descriptor().Fields(); i < all.Len(); i++ {
		field := all.Get(i)
		if field.Kind() != protoreflect.StringKind || field.IsList() || !slices.Contains(textFields, field.Name()) {
			continue
		}
		if text := strings.TrimSpace(m.Get(field).String()); text != "" && len(texts) < maxTexts && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if depth == 0 {
		return texts
	}
	eachMessage(m, func(field protoreflect.FieldDescriptor, inner protoreflect.Message) {
		if !slices.Contains(otherFields, field.Name()) {
			texts = appendTexts(texts, inner, depth-1)
		}
	})
	return texts
}
