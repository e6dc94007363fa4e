package device

import (
	"reflect"
	"slices"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Reasons why something that WhatsApp has delivered is no message for Griot.
const (
	DroppedSender     = "no_sender"         // WhatsApp shows neither a number nor an ID
	DroppedGroup      = "group"             // from a group
	DroppedStatus     = "status"            // a status, or about one
	DroppedChannel    = "channel"           // from a channel
	DroppedOwn        = "own"               // written on another device of the number
	DroppedDevice     = "device"            // between devices: keys, settings, history
	DroppedAccount    = "account"           // about the account, on another device of the number
	DroppedProfile    = "profile"           // presence, names, pictures, or security codes of people
	DroppedCall       = "call"              // a call
	DroppedPairing    = "pairing"           // about linking a phone
	DroppedConnection = "connection"        // about the connection, with no effect on its state
	DroppedAlbum      = "album"             // the head of an album, whose pictures are messages
	DroppedCopy       = "copy"              // the same picture or video in another quality
	DroppedPin        = "pin"               // a message was pinned
	DroppedKeep       = "keep"              // a disappearing message was kept
	DroppedPoll       = "poll"              // a vote, or an option that was added to a poll
	DroppedResponse   = "event_response"    // the response to an invitation to an event
	DroppedPayment    = "payment"           // the state of a payment
	DroppedReaction   = "reaction_removed"  // a withdrawn reaction
	DroppedSealed     = "sealed"            // an encrypted edit or reaction that can't be opened
	DroppedEdit       = "edit_empty"        // an edit without new content
	DroppedAbsent     = "absent"            // the own phone doesn't have the message either
	DroppedHidden     = "unreadable_hidden" // can't be decrypted, and phones don't show it either, such as an edit
	DroppedUnknown    = "unknown"           // of a kind that this version doesn't know
	// TooDeep is no reason for a drop: the message has more wrappers than are opened. It is reported as unsupported.
	TooDeep = "too_deep"
)

// Reasons are all reasons above.
var Reasons = []string{
	DroppedSender, DroppedGroup, DroppedStatus, DroppedChannel, DroppedOwn, DroppedDevice, DroppedAccount, DroppedProfile, DroppedCall, DroppedPairing, DroppedConnection,
	DroppedAlbum, DroppedCopy, DroppedPin, DroppedKeep, DroppedPoll, DroppedResponse, DroppedPayment, DroppedReaction, DroppedSealed, DroppedEdit, DroppedAbsent, DroppedHidden,
	DroppedUnknown, TooDeep,
}

// A role is what a field of WhatsApp's Message means.
type role int

const (
	shown     role = iota // an unsupported message with the text in it; also fields that this version doesn't know
	content               // a message with a kind of its own
	answer                // a text that the person has chosen or written as an answer
	wrapper               // around another message
	sealed                // encrypted with the secret of another message
	concealed             // a message whose content linked devices don't get
	beside                // accompanies a message
	dropped               // no message
)

// A fate is what becomes of a field of WhatsApp's Message.
type fate struct {
	role   role
	reason string // of dropped fields
}

// fates are the fates of the fields that aren't shown.
var fates = func() map[protoreflect.Name]fate {
	all := map[protoreflect.Name]fate{}
	for role, names := range map[role][]protoreflect.Name{
		content: {
			"conversation", "extendedTextMessage", "imageMessage", "videoMessage", "ptvMessage", "audioMessage", "documentMessage", "stickerMessage",
			"locationMessage", "liveLocationMessage", "contactMessage", "contactsArrayMessage", "reactionMessage", "protocolMessage",
		},
		answer: {
			"buttonsResponseMessage", "templateButtonReplyMessage", "listResponseMessage", "interactiveResponseMessage", "questionResponseMessage", "statusQuestionAnswerMessage",
		},
		wrapper:   {"deviceSentMessage", "sendPaymentMessage", "requestPaymentMessage", "commentMessage"},
		sealed:    {"encReactionMessage", "encCommentMessage", "secretEncryptedMessage"},
		concealed: {"placeholderMessage", "conditionalRevealMessage"},
		beside:    {"messageContextInfo", "statusLinkPreviewMetadata"},
	} {
		for _, name := range names {
			all[name] = fate{role: role}
		}
	}
	for reason, names := range map[string][]protoreflect.Name{
		DroppedDevice: {
			"senderKeyDistributionMessage", "fastRatchetKeySenderKeyDistributionMessage", "groupRootKeyShare", "rootSecretDistributeMessage",
			"stickerSyncRmrMessage", "messageHistoryBundle", "messageHistoryNotice",
		},
		DroppedCall:     {"call", "callLogMesssage", "scheduledCallEditMessage"},
		DroppedAlbum:    {"albumMessage"},
		DroppedPin:      {"pinInChatMessage"},
		DroppedKeep:     {"keepInChatMessage"},
		DroppedPoll:     {"pollUpdateMessage", "pollAddOptionMessage"},
		DroppedResponse: {"encEventResponseMessage"},
		DroppedPayment:  {"splitPaymentUpdateMessage"},
		DroppedStatus:   {"statusNotificationMessage", "statusStickerInteractionMessage"},
	} {
		for _, name := range names {
			all[name] = fate{dropped, reason}
		}
	}
	fields := (&waE2E.Message{}).ProtoReflect().Descriptor().Fields()
	around := (&waE2E.FutureProofMessage{}).ProtoReflect().Descriptor().FullName()
	for i := range fields.Len() {
		if field := fields.Get(i); field.Message() != nil && field.Message().FullName() == around {
			all[field.Name()] = fate{role: wrapper}
		}
	}
	return all
}()

// copies are the associations of a picture or a video with the message that shows it in another quality.
var copies = []waE2E.MessageAssociation_AssociationType{
	waE2E.MessageAssociation_HD_IMAGE_DUAL_UPLOAD, waE2E.MessageAssociation_HD_VIDEO_DUAL_UPLOAD, waE2E.MessageAssociation_HEVC_VIDEO_DUAL_UPLOAD, waE2E.MessageAssociation_MOTION_PHOTO,
}

// isCopy reports whether a message is a picture or a video that belongs to another message. Only an album's are messages.
func (o *unwrapped) isCopy() bool {
	if o.GetImageMessage() == nil && o.GetVideoMessage() == nil && o.GetPtvMessage() == nil {
		return false
	}
	kind := o.association.GetAssociationType()
	return slices.Contains(copies, kind) || o.isChild && kind != waE2E.MessageAssociation_MEDIA_ALBUM
}

// eventReasons are the events of whatsmeow that the gateway has no use for, by the reason.
var eventReasons = func() map[reflect.Type]string {
	all := map[reflect.Type]string{}
	for reason, list := range map[string][]any{
		DroppedPairing: {
			events.QR{},
			events.RotateADVSecret{},
			events.PairSuccess{},
			events.PairError{},
			events.PairPasskeyRequest{},
			events.PairPasskeyError{},
			events.PairPasskeyConfirmation{},
			events.QRScannedWithoutMultidevice{},
		},
		DroppedConnection: {events.KeepAliveRestored{}, events.ManualLoginReconnect{}, events.CATRefreshError{}, events.OfflineSyncPreview{}, events.OfflineSyncCompleted{}},
		DroppedDevice:     {events.HistorySync{}, events.AppState{}, events.AppStateSyncComplete{}, events.AppStateSyncError{}, events.MediaRetry{}},
		DroppedAccount: {
			events.Contact{},
			events.Pin{},
			events.Star{},
			events.DeleteForMe{},
			events.Mute{},
			events.Archive{},
			events.MarkChatAsRead{},
			events.ClearChat{},
			events.DeleteChat{},
			events.PushNameSetting{},
			events.UnarchiveChatsSetting{},
			events.UserStatusMute{},
			events.LabelEdit{},
			events.LabelAssociationChat{},
			events.LabelAssociationMessage{},
			events.PrivacySettings{},
			events.Blocklist{},
		},
		DroppedProfile: {
			events.PushName{}, events.BusinessName{}, events.ChatPresence{}, events.Presence{}, events.Picture{}, events.UserAbout{}, events.IdentityChange{},
		},
		DroppedGroup:   {events.JoinedGroup{}, events.GroupInfo{}},
		DroppedChannel: {events.NewsletterJoin{}, events.NewsletterLeave{}, events.NewsletterMuteChange{}, events.NewsletterLiveUpdate{}},
		DroppedCall: {
			events.CallOffer{},
			events.CallAccept{},
			events.CallPreAccept{},
			events.CallTransport{},
			events.CallOfferNotice{},
			events.CallRelayLatency{},
			events.CallTerminate{},
			events.CallReject{},
			events.UnknownCallEvent{},
		},
	} {
		for _, event := range list {
			all[reflect.TypeOf(event)] = reason
		}
	}
	return all
}()

// eventReason returns the reason why the gateway has no use for an event.
func eventReason(event any) string {
	t := reflect.TypeOf(event)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reason := eventReasons[t]; reason != "" {
		return reason
	}
	return DroppedUnknown
}
