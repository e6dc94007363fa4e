package device

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The wrappers, and the fields that are shown as unsupported messages. A field that a newer whatsmeow adds is in no list:
// decide what it means, and add it here or to fates.
var (
	wrappers = strings.Fields(`
		acp2SettingMessage associatedChildMessage audioStickerMessage botForwardedMessage botInvokeMessage botPlatformRegistrationSuccessMessage botTaskMessage
		commentMessage deviceSentMessage documentWithCaptionMessage editedMessage ephemeralMessage eventCoverImage groupMentionedMessage groupStatusMentionMessage
		groupStatusMessage groupStatusMessageV2 limitSharingMessage lottieStickerMessage newsletterAdminProfileMessage newsletterAdminProfileStatusMessage
		newsletterScheduledMessage pollCreationMessageV4 pollCreationOptionImageMessage questionMessage questionReplyMessage requestPaymentMessage
		sendPaymentMessage spoilerMessage statusAddYours statusMentionMessage viewOnceMessage viewOnceMessageV2 viewOnceMessageV2Extension`)
	shownFields = strings.Fields(`
		bcallMessage buttonsMessage cancelPaymentRequestMessage chat declinePaymentRequestMessage eventInviteMessage eventMessage groupInviteMessage
		highlyStructuredMessage interactiveMessage invoiceMessage listMessage musicMessage newsletterAdminInviteMessage newsletterFollowerInviteMessageV2 orderMessage
		paymentInviteMessage paymentReminderMessage pollCreationMessage pollCreationMessageV2 pollCreationMessageV3 pollCreationMessageV5 pollCreationMessageV6
		pollResultSnapshotMessage pollResultSnapshotMessageV3 productMessage requestPhoneNumberMessage richResponseMessage scheduledCallCreationMessage
		splitPaymentMessage statusQuotedMessage stickerPackMessage templateMessage`)
)

// Each field of WhatsApp's message has a fate.
func TestFates_EveryField(t *testing.T) {
	t.Parallel()
	fields := (&waE2E.Message{}).ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		name := fields.Get(i).Name()
		fate, known := fates[name]
		switch {
		case slices.Contains(shownFields, string(name)) != (!known || fate.role == shown):
			t.Errorf("whatsmeow has the field %s: decide what it means", name)
		case slices.Contains(wrappers, string(name)) != (fate.role == wrapper):
			t.Errorf("%s is a wrapper, or isn't", name)
		case (fate.role == dropped) != slices.Contains(Reasons, fate.reason):
			t.Errorf("%s is dropped without a reason", name)
		}
	}
	for name := range fates {
		if fields.ByName(name) == nil {
			t.Errorf("whatsmeow has no field %s", name)
		}
	}
	for _, name := range slices.Concat(wrappers, shownFields) {
		if fields.ByName(protoreflect.Name(name)) == nil {
			t.Errorf("whatsmeow has no field %s", name)
		}
	}
}

// What a field with a kind of its own contains is read, or it is an unsupported message, but not nothing.
func TestFates_ContentIsRead(t *testing.T) {
	t.Parallel()
	fields := (&waE2E.Message{}).ProtoReflect().Descriptor().Fields()
	for name, fate := range fates {
		field := fields.ByName(name)
		if field == nil || field.Message() == nil {
			continue
		}
		m := &waE2E.Message{}
		m.ProtoReflect().Mutable(field)
		var in Inbound
		_, drop := in.read(unwrap(m))
		switch {
		case fate.role == dropped && drop != fate.reason:
			t.Errorf("%s: %q, want %q", name, drop, fate.reason)
		case fate.role == content && in.Kind == "unsupported" && name != "extendedTextMessage":
			t.Errorf("%s has no kind", name)
		case fate.role != dropped && fate.role != content && fate.role != beside && (drop != "" || in.Kind == ""):
			t.Errorf("%s: %q and %+v, want a message", name, drop, in)
		}
	}
}

// handledEvents are the events that the device does something with.
var handledEvents = []any{
	events.Message{},
	events.FBMessage{},
	events.UndecryptableMessage{},
	events.Receipt{},
	events.Connected{},
	events.Disconnected{},
	events.KeepAliveTimeout{},
	events.StreamError{},
	events.StreamReplaced{},
	events.LoggedOut{},
	events.TemporaryBan{},
	events.ClientOutdated{},
	events.ConnectFailure{},
	events.NotifyAccountReachoutTimelock{},
}

// partsOfEvents are the structures of the package that are no events.
var partsOfEvents = []string{"NewsletterMessageMeta", "MediaRetryError", "BlocklistChange", "MexNotificationData"}

// Each event of whatsmeow is handled, or dropped with a reason. A new one is in no list: decide what it means.
func TestEvents_EachHasAFate(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, event := range handledEvents {
		known[reflect.TypeOf(event).Name()] = true
		if reason := eventReason(event); reason != DroppedUnknown {
			t.Errorf("%T is handled, and dropped as %q", event, reason)
		}
	}
	for event, reason := range eventReasons {
		known[event.Name()] = true
		if !slices.Contains(Reasons, reason) || eventReason(reflect.New(event).Interface()) != reason {
			t.Errorf("%s: the reason is %q", event, reason)
		}
	}
	found := 0
	for _, name := range eventTypes(t) {
		if found++; !known[name] && !slices.Contains(partsOfEvents, name) {
			t.Errorf("whatsmeow has the event %s: decide what it means", name)
		}
	}
	if found < len(known) {
		t.Errorf("only %d types were found", found)
	}
}

// eventTypes returns the names of the structures in whatsmeow's package of events.
func eventTypes(t *testing.T) (names []string) {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", reflect.TypeFor[events.Message]().PkgPath()).Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if _, isStruct := spec.Type.(*ast.StructType); isStruct && spec.Name.IsExported() {
					names = append(names, spec.Name.Name)
				}
			}
			return true
		})
	}
	return names
}
