package device

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waConsumerApplication"
	"go.mau.fi/whatsmeow/proto/waE2E"
	wastore "go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"
)

// recorder records what a device reports.
type recorder struct {
	inbound   []Inbound
	revisions []Revision
	dropped   []string
	missed    []error
}

func (r *recorder) Inbound(_ context.Context, m Inbound) error {
	r.inbound = append(r.inbound, m)
	return nil
}

func (r *recorder) Revised(_ context.Context, v Revision) error {
	r.revisions = append(r.revisions, v)
	return nil
}

func (r *recorder) Dropped(reason string)                     { r.dropped = append(r.dropped, reason) }
func (r *recorder) Missed(err error)                          { r.missed = append(r.missed, err) }
func (r *recorder) Receipt(context.Context, Receipt) error    { return nil }
func (r *recorder) Paired(context.Context, []Person) error    { return nil }
func (r *recorder) Unreadable(context.Context, Inbound, bool) {}
func (r *recorder) Withdrawn(context.Context, string) error   { return nil }
func (r *recorder) Changed(Change)                            {}
func (r *recorder) Restricted(string, time.Time)              {}

// secrets is a store of secrets that can't be read, or has none.
type secrets struct {
	wastore.MsgSecretStore
	err error
}

func (s secrets) GetMessageSecret(context.Context, types.JID, types.JID, types.MessageID) ([]byte, types.JID, error) {
	return nil, types.EmptyJID, s.err
}

func recorded(err error) (*Device, *recorder) {
	r := &recorder{}
	return New(Config{Number: "22376543210", Store: &wastore.Device{MsgSecrets: secrets{err: err}}, Handler: r, Log: slog.New(slog.DiscardHandler)}), r
}

// by returns the information about a message that a person has written to a chat.
func by(chat types.JID) types.MessageInfo {
	return types.MessageInfo{ID: "3EB0A", MessageSource: types.MessageSource{
		Chat: chat, Sender: types.NewJID("22370000001", types.DefaultUserServer), IsGroup: chat.Server == types.GroupServer || chat.Server == types.BroadcastServer,
	}}
}

var awaJID = types.NewJID("22370000001", types.DefaultUserServer)

// No event that has a handler is counted as unknown, and each other event is counted with its reason.
func TestHandle_EachEvent(t *testing.T) {
	t.Parallel()
	d, r := recorded(nil)
	for _, event := range handledEvents {
		r.dropped = nil
		if d.handle(reflect.New(reflect.TypeOf(event)).Interface()); slices.Contains(r.dropped, DroppedUnknown) {
			t.Errorf("%T has no handler", event)
		}
	}
	for event, reason := range eventReasons {
		r.dropped = nil
		if d.handle(reflect.New(event).Interface()); !slices.Equal(r.dropped, []string{reason}) {
			t.Errorf("%s was counted as %q, want %s once", event, r.dropped, reason)
		}
	}
	r.dropped = nil
	if d.handle(&struct{}{}); !slices.Equal(r.dropped, []string{DroppedUnknown}) {
		t.Errorf("an unknown event was counted as %q", r.dropped)
	}
}

// What isn't written to the number in a conversation is counted. What comes by a broadcast list is.
func TestHandle_Chats(t *testing.T) {
	t.Parallel()
	own := by(awaJID)
	own.IsFromMe = true
	for name, tt := range map[string]struct {
		info types.MessageInfo
		want string // the reason, or "" for a message
	}{
		"a person": {by(awaJID), ""}, "a broadcast list": {by(types.NewJID("1712345678", types.BroadcastServer)), ""},
		"a status": {by(types.StatusBroadcastJID), DroppedStatus}, "a group": {by(types.NewJID("12036300001", types.GroupServer)), DroppedGroup},
		"a channel": {by(types.NewJID("12036300001", types.NewsletterServer)), DroppedChannel}, "the owner": {own, DroppedOwn},
	} {
		d, r := recorded(nil)
		d.handle(&events.Message{Info: tt.info, Message: &waE2E.Message{Conversation: proto.String("Bonjour")}})
		d.handle(&events.FBMessage{Info: tt.info, Message: &waConsumerApplication.ConsumerApplication{Payload: &waConsumerApplication.ConsumerApplication_Payload{
			Payload: &waConsumerApplication.ConsumerApplication_Payload_Content{Content: &waConsumerApplication.ConsumerApplication_Content{
				Content: &waConsumerApplication.ConsumerApplication_Content_MessageText{MessageText: &waCommon.MessageText{Text: proto.String("Bonjour")}},
			}},
		}}})
		d.handle(&events.UndecryptableMessage{Info: tt.info, DecryptFailMode: events.DecryptFailHide})
		if tt.want != "" {
			if len(r.inbound) > 0 || !slices.Equal(r.dropped, []string{tt.want, tt.want, tt.want}) {
				t.Errorf("%s: %+v, %q, want %s only", name, r.inbound, r.dropped, tt.want)
			}
			continue
		}
		if len(r.inbound) != 2 || r.inbound[0].Text != "Bonjour" || r.inbound[0].From.Number != "22370000001" || r.inbound[1].Kind != "unsupported" || r.inbound[1].Text != "Bonjour" || !slices.Equal(r.dropped, []string{DroppedHidden}) {
			t.Errorf("%s: %+v, %q, want two messages", name, r.inbound, r.dropped)
		}
	}
}

// A message in too many wrappers is reported and counted.
func TestHandle_TooDeep(t *testing.T) {
	t.Parallel()
	d, r := recorded(nil)
	d.handle(&events.Message{Info: by(awaJID), Message: nested(500, &waE2E.Message{Conversation: proto.String("Bonjour")})})
	if len(r.inbound) != 1 || r.inbound[0].Kind != "unsupported" || !slices.Equal(r.dropped, []string{TooDeep}) {
		t.Errorf("%+v, %q", r.inbound, r.dropped)
	}
}

// What is encrypted with a secret that is unknown is counted, but a comment is a message. If the secrets can't be read,
// WhatsApp keeps the message.
func TestHandle_Sealed(t *testing.T) {
	t.Parallel()
	key := &waCommon.MessageKey{ID: proto.String("3EB0A"), FromMe: proto.Bool(true)}
	for name, m := range map[string]*waE2E.Message{
		"an edit": {SecretEncryptedMessage: &waE2E.SecretEncryptedMessage{TargetMessageKey: key, SecretEncType: waE2E.SecretEncryptedMessage_MESSAGE_EDIT.Enum()}}, "without a type": {SecretEncryptedMessage: &waE2E.SecretEncryptedMessage{TargetMessageKey: key}}, "without a key": {SecretEncryptedMessage: &waE2E.SecretEncryptedMessage{SecretEncType: waE2E.SecretEncryptedMessage_POLL_EDIT.Enum()}},
		"a reaction": {EncReactionMessage: &waE2E.EncReactionMessage{TargetMessageKey: key}}, "wrapped": nested(1, &waE2E.Message{EncReactionMessage: &waE2E.EncReactionMessage{TargetMessageKey: key}}),
	} {
		d, r := recorded(nil)
		if ok := d.handle(&events.Message{Info: by(awaJID), Message: m}); !ok || len(r.inbound)+len(r.revisions) > 0 || !slices.Equal(r.dropped, []string{DroppedSealed}) {
			t.Errorf("%s: %+v, %+v, %q, want it counted", name, r.inbound, r.revisions, r.dropped)
		}
		d, r = recorded(errors.New("broken"))
		if name == "without a type" {
			continue
		}
		if ok := d.handle(&events.Message{Info: by(awaJID), Message: m}); ok || len(r.missed) != 1 {
			t.Errorf("%s: it was acknowledged", name)
		}
	}
	d, r := recorded(nil)
	if d.handle(&events.Message{Info: by(awaJID), Message: &waE2E.Message{EncCommentMessage: &waE2E.EncCommentMessage{TargetMessageKey: key}}}); len(r.inbound) != 1 || r.inbound[0].Kind != "unavailable" {
		t.Errorf("a comment: %+v, %q, want a message without its content", r.inbound, r.dropped)
	}
}

// Both forms of a picture are one message, also when it is edited.
func TestHandle_EditedCopies(t *testing.T) {
	t.Parallel()
	edit := func(m *waE2E.Message) *waE2E.Message {
		return &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{Type: waE2E.ProtocolMessage_MESSAGE_EDIT.Enum(), Key: &waCommon.MessageKey{ID: proto.String("3EB0HD")}, EditedMessage: m}}
	}
	child := around(wrapperNamed("associatedChildMessage"), &waE2E.Message{ImageMessage: &waE2E.ImageMessage{Caption: proto.String("Regarde")}})
	for name, m := range map[string]*waE2E.Message{
		"inside": edit(associated(waE2E.MessageAssociation_HD_IMAGE_DUAL_UPLOAD, proto.Clone(child).(*waE2E.Message))), "outside": associated(waE2E.MessageAssociation_HD_IMAGE_DUAL_UPLOAD, edit(child)),
	} {
		d, r := recorded(nil)
		if d.handle(&events.Message{Info: by(awaJID), Message: m}); len(r.revisions) != 1 || r.revisions[0].MessageID != "3EB0P" || r.revisions[0].Text != "Regarde" {
			t.Errorf("%s: %+v, %q, want an edit of the first picture", name, r.revisions, r.dropped)
		}
	}
	d, r := recorded(nil)
	if d.handle(&events.Message{Info: by(awaJID), Message: edit(&waE2E.Message{})}); !slices.Equal(r.dropped, []string{DroppedEdit}) {
		t.Errorf("an empty edit: %+v, %q", r.revisions, r.dropped)
	}
}
