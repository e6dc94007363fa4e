package device

import (
	"slices"
	"strings"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// maxWrappers is the maximum number of messages around a message.
const maxWrappers = 8

// unwrap returns the message within the messages that WhatsApp puts around one, for example around edited, forwarded, or
// disappearing ones, and around notes of payments. whatsmeow knows only some of these wrappers, and each of them once.
func unwrap(m *waE2E.Message) *waE2E.Message {
	for range maxWrappers {
		inner := wrapped(m)
		if inner == nil {
			break
		}
		m = inner
	}
	return m
}

// wrapped returns the message directly within a message, or nil.
func wrapped(m *waE2E.Message) (inner *waE2E.Message) {
	eachMessage(m.ProtoReflect(), func(_ protoreflect.FieldDescriptor, field protoreflect.Message) {
		if inner != nil {
			return
		}
		switch x := field.Interface().(type) {
		case interface{ GetMessage() *waE2E.Message }:
			inner = x.GetMessage()
		case interface{ GetNoteMessage() *waE2E.Message }:
			inner = x.GetNoteMessage()
		}
	})
	return inner
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
		"selectedDisplayText", "caption", "body", "text", "contentText", "hydratedContentText", "hydratedTitleText", "title", "name", "description", "optionName", "message", "note", "orderTitle", "groupName", "newsletterName",
	}
	otherFields = []protoreflect.Name{"contextInfo", "messageContextInfo", "nativeFlowResponseMessage", "productListInfo"}
)

// Limits of the text of a message that has no kind of its own.
const (
	maxTexts     = 50
	maxTextDepth = 6
)

// otherText returns the text of a message that has no kind of its own, such as an order, a poll, or the choice of a
// button, and what it quotes. isAnswer means that a person has chosen the text as an answer, and that it is like a
// written one.
func otherText(m *waE2E.Message) (text string, isAnswer bool, quoted *waE2E.ContextInfo) {
	var texts []string
	eachMessage(m.ProtoReflect(), func(field protoreflect.FieldDescriptor, content protoreflect.Message) {
		if slices.Contains(otherFields, field.Name()) {
			return
		}
		texts = appendTexts(texts, content, maxTextDepth)
		name := string(field.Name())
		isAnswer = isAnswer || strings.HasSuffix(name, "ResponseMessage") || strings.HasSuffix(name, "ReplyMessage")
		if x, ok := content.Interface().(interface{ GetContextInfo() *waE2E.ContextInfo }); ok && quoted == nil {
			quoted = x.GetContextInfo()
		}
	})
	if isAnswer && len(texts) > 0 {
		texts = texts[:1] // what follows describes the choice
	}
	return strings.Join(texts, "\n"), isAnswer, quoted
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
