package device

import (
	"cmp"
	"context"
	"strings"
	"time"

	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"
)

// Inbound is a message from a person.
type Inbound struct {
	ID          string
	From        Person
	Known       string // with a hidden number: the number that whatsmeow's map has for the ID; empty: none
	DisplayName string
	Kind        string // a kind of docs/gateway-protocol.md
	Text        string
	MIMEType    string
	FileName    string
	Attachment  *Attachment // nil: no attachment, or one that cannot be fetched
	Missing     string      // the reason why the attachment cannot be fetched; empty: no problem
	ReplyTo     string      // WhatsApp's ID of the message that this one replies to
	Again       bool        // the message might have been reported as unreadable
	Own         bool        // the owner of the number has written it to From on another device
	At          time.Time
}

// Revision reports that a person has edited or deleted a message.
type Revision struct {
	ID        string // WhatsApp's ID of the report
	From      Person
	Own       bool   // the owner of the number has edited or deleted a message to From on another device
	MessageID string // WhatsApp's ID of the message
	Deleted   bool   // otherwise, Kind and Text are the new content
	Kind      string
	Text      string
	At        time.Time
}

// Receipt is a receipt for messages that this number has sent.
type Receipt struct {
	MessageIDs []string
	From       Person // the recipient; the zero value for messages to groups
	Status     string // delivered, read
	At         time.Time
}

// handle handles an event. It returns false for events that must not be acknowledged, so that WhatsApp sends them
// again after the next login.
func (d *Device) handle(event any) bool {
	switch e := event.(type) {
	case *events.Message:
		shown := d.shown(&e.Info.MessageSource)
		return d.turns.inTurn(e.Info.Chat, func() bool { return d.inbound(d.context(), e, shown) })
	case *events.Receipt:
		return d.turns.inTurn(e.Chat, func() bool { return d.receipt(d.context(), e) })
	case *events.UndecryptableMessage:
		shown := d.shown(&e.Info.MessageSource)
		return d.turns.inTurn(e.Info.Chat, func() bool {
			d.unreadable(d.context(), e, shown)
			return true
		})
	case *events.FBMessage:
		shown := d.lids.take()
		return d.turns.inTurn(e.Info.Chat, func() bool { return d.foreign(d.context(), e, shown) })
	}
	if !d.observe(event) {
		d.drop(eventReason(event))
	}
	return true
}

// drop counts something that is no message for Griot.
func (d *Device) drop(reason string) { d.config.Handler.Dropped(reason) }

func (d *Device) receipt(ctx context.Context, e *events.Receipt) bool {
	r := Receipt{MessageIDs: e.MessageIDs, At: e.Timestamp}
	switch e.Type {
	case types.ReceiptTypeDelivered, types.ReceiptTypeInactive:
		r.Status = "delivered"
	case types.ReceiptTypeRead, types.ReceiptTypePlayed:
		r.Status = "read"
	default:
		return true
	}
	if e.IsFromMe {
		return true // sent by another device of this number
	}
	if !e.IsGroup {
		r.From = personOf(&e.MessageSource, Person{})
	}
	return d.taken(d.config.Handler.Receipt(ctx, r))
}

func (d *Device) taken(err error) bool {
	if err != nil {
		d.config.Handler.Missed(err)
	}
	return err == nil
}

// inbound passes a message to the handler. It skips what skipped names, and what describe says is no message.
func (d *Device) inbound(ctx context.Context, e *events.Message, shown Person) bool {
	if reason := skipped(&e.Info.MessageSource); reason != "" && !d.wantsOwn(&e.Info.MessageSource) {
		d.drop(reason)
		return true
	}
	m := newInbound(&e.Info, shown)
	m.Again = e.RetryCount > 0 || e.UnavailableRequestID != ""
	o, drop, err := d.unseal(ctx, e, unwrap(e.Message))
	if err != nil {
		return d.taken(err)
	}
	if o.isTooDeep {
		d.drop(TooDeep)
	}
	var revision *Revision
	if drop == "" {
		revision, drop = m.read(o)
	}
	if e.UnavailableRequestID != "" && drop == "" && revision == nil && m.Text == "" && (m.Kind == "unsupported" || m.Kind == "unavailable") {
		d.drop(DroppedAbsent)
		return true
	}
	if drop != "" {
		d.drop(drop)
	}
	if (drop != "" || revision != nil) && m.Again { // it isn't a message, after all
		if err := d.config.Handler.Withdrawn(ctx, m.ID); err != nil {
			return d.taken(err)
		}
	}
	switch {
	case drop != "" || !d.hasSender(&m):
		return true
	case revision != nil:
		return d.taken(d.config.Handler.Revised(ctx, *revision))
	}
	return d.pass(ctx, m)
}

// pass passes a message to the handler.
func (d *Device) pass(ctx context.Context, m Inbound) bool {
	if err := d.setKnown(ctx, &m); err != nil {
		return d.taken(err)
	}
	return d.taken(d.config.Handler.Inbound(ctx, m))
}

// foreign passes a message in the format of Meta's other applications to the handler, with the text that can be found.
func (d *Device) foreign(ctx context.Context, e *events.FBMessage, shown Person) bool {
	if reason := skipped(&e.Info.MessageSource); reason != "" {
		d.drop(reason)
		return true
	}
	m := newInbound(&e.Info, shown)
	m.Kind = "unsupported"
	if x, ok := e.Message.(proto.Message); ok {
		m.Text = strings.Join(appendTexts(nil, x.ProtoReflect(), maxTextDepth), "\n")
	}
	return !d.hasSender(&m) || d.pass(ctx, m)
}

// unseal opens a message that is encrypted with the secret of an earlier one: an edit, a reaction, or a comment. drop is
// the reason why it can't be opened, or "". An error means that the secret can't be read now.
func (d *Device) unseal(ctx context.Context, e *events.Message, o unwrapped) (_ unwrapped, drop string, err error) {
	var key *waCommon.MessageKey
	switch {
	case o.GetEncReactionMessage() != nil:
		key = o.GetEncReactionMessage().GetTargetMessageKey()
	case o.GetSecretEncryptedMessage() != nil:
		if o.GetSecretEncryptedMessage().SecretEncType == nil { // whatsmeow's function panics
			return o, DroppedSealed, nil
		}
		key = o.GetSecretEncryptedMessage().GetTargetMessageKey()
	case o.GetEncCommentMessage() != nil:
		key = o.GetEncCommentMessage().GetTargetMessageKey()
	default:
		return o, "", nil
	}
	if _, _, err := d.config.Store.MsgSecrets.GetMessageSecret(ctx, e.Info.Chat, e.Info.Sender, key.GetID()); err != nil {
		return o, "", err // whatsmeow's functions don't tell this from an invalid message
	}
	enclosing := *e
	enclosing.Message = o.Message
	m, err := d.decrypt(ctx, &enclosing)
	if err != nil && !e.Info.SenderAlt.IsEmpty() { // the phone has used the other address
		enclosing.Info.Sender = e.Info.SenderAlt
		m, err = d.decrypt(ctx, &enclosing)
	}
	switch {
	case err == nil:
		return unwrap(m), "", nil
	case o.GetEncCommentMessage() != nil: // someone has written
		return unwrapped{Message: &waE2E.Message{PlaceholderMessage: &waE2E.PlaceholderMessage{}}}, "", nil
	}
	return o, DroppedSealed, nil
}

// decrypt returns what an encrypted edit, reaction, or comment says.
func (d *Device) decrypt(ctx context.Context, e *events.Message) (*waE2E.Message, error) {
	switch m := e.Message; {
	case m.GetEncReactionMessage() != nil:
		r, err := d.client.DecryptReaction(ctx, e)
		if err != nil {
			return nil, err
		}
		r.Key = m.GetEncReactionMessage().GetTargetMessageKey()
		return &waE2E.Message{ReactionMessage: r}, nil
	case m.GetSecretEncryptedMessage() != nil:
		edited, err := d.client.DecryptSecretEncryptedMessage(ctx, e)
		if err != nil {
			return nil, err
		}
		return edit(unwrap(edited), m.GetSecretEncryptedMessage().GetTargetMessageKey()), nil
	}
	return d.client.DecryptComment(ctx, e)
}

// edit returns what an encrypted edit of a message says: an edit, unless it adds an option to a poll.
func edit(o unwrapped, key *waCommon.MessageKey) *waE2E.Message {
	switch p := o.GetProtocolMessage(); {
	case o.GetPollAddOptionMessage() != nil:
		return o.Message
	case p.GetKey().GetID() != "":
		return o.Message
	case p != nil:
		p.Key = key
		return o.Message
	}
	return &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{Type: waE2E.ProtocolMessage_MESSAGE_EDIT.Enum(), Key: key, EditedMessage: o.Message}}
}

// newInbound returns a message without its content.
func newInbound(info *types.MessageInfo, shown Person) Inbound {
	if info.IsFromMe {
		return Inbound{ID: info.ID, From: partnerOf(&info.MessageSource, shown), Own: true, At: info.Timestamp}
	}
	return Inbound{ID: info.ID, From: personOf(&info.MessageSource, shown), DisplayName: info.PushName, At: info.Timestamp}
}

// hasSender reports whether the writer of a message is known. Otherwise, it counts the message as dropped.
func (d *Device) hasSender(m *Inbound) bool {
	if m.From == (Person{}) {
		d.config.Log.Warn("a message was dropped: WhatsApp tells neither the number nor the ID of its writer", "number", d.config.Number)
		d.drop(DroppedSender)
		return false
	}
	return true
}

// setKnown sets [Inbound.Known].
func (d *Device) setKnown(ctx context.Context, m *Inbound) (err error) {
	if m.From.Number == "" {
		m.Known, err = d.Number(ctx, m.From.ID)
	}
	return err
}

// wantsOwn reports whether the owner of the number has written a message to a person on another device, and the handler gets
// such messages. Notes to oneself are none.
func (d *Device) wantsOwn(s *types.MessageSource) bool {
	isOurs := s.Chat.User == d.client.Store.GetJID().User || s.Chat.User == d.client.Store.GetLID().User
	return d.config.OwnMessages && s.IsFromMe && !s.IsGroup && !isOurs && (numberOf(s.Chat) != "" || lidOf(s.Chat) != "")
}

// skipped returns the reason why a message belongs to no conversation with the person who has written it, or "". A
// message to a broadcast list belongs to such a conversation.
func skipped(s *types.MessageSource) string {
	switch {
	case s.IsFromMe:
		return DroppedOwn
	case s.Chat == types.StatusBroadcastJID:
		return DroppedStatus
	case s.Chat.Server == types.NewsletterServer:
		return DroppedChannel
	case s.IsGroup && !s.IsIncomingBroadcast():
		return DroppedGroup
	}
	return ""
}

// unreadable reports a message whose content the device doesn't have: it can't be decrypted, or WhatsApp doesn't give it
// to linked devices, such as a picture that can be viewed once. It skips edits, and what phones don't show either.
func (d *Device) unreadable(ctx context.Context, e *events.UndecryptableMessage, shown Person) {
	reason := skipped(&e.Info.MessageSource)
	if reason == "" && (e.DecryptFailMode == events.DecryptFailHide || e.Info.Edit != types.EditAttributeEmpty) {
		reason = DroppedHidden
	}
	if reason != "" {
		d.drop(reason)
		return
	}
	m := newInbound(&e.Info, shown)
	m.Kind = "unavailable"
	if !d.hasSender(&m) {
		return
	}
	if err := d.setKnown(ctx, &m); err != nil {
		d.config.Log.Warn("the number of an unreadable message's writer can't be read", "number", d.config.Number, "error", err)
	}
	d.config.Handler.Unreadable(ctx, m, e.UnavailableType == events.UnavailableTypeUnknown)
}

// read sets the content of a message without wrappers, or returns what it says about an earlier message of its sender, or
// the reason why it is neither.
func (in *Inbound) read(o unwrapped) (r *Revision, drop string) {
	p := o.GetProtocolMessage()
	if p == nil {
		return nil, in.describe(o)
	}
	r = &Revision{ID: in.ID, From: in.From, Own: in.Own, MessageID: p.GetKey().GetID(), At: in.At}
	switch {
	case r.MessageID == "":
		return nil, DroppedDevice
	case p.GetType() == waE2E.ProtocolMessage_REVOKE:
		r.Deleted = true
	case p.GetType() == waE2E.ProtocolMessage_MESSAGE_EDIT:
		edited := unwrap(p.GetEditedMessage())
		if edited.isCopy() { // both are edited, and Griot has the other one
			r.MessageID = cmp.Or(edited.association.GetParentMessageKey().GetID(), o.association.GetParentMessageKey().GetID(), r.MessageID)
			edited = unwrapped{Message: edited.Message}
		}
		var content Inbound
		if drop := content.describe(edited); drop != "" || content.Text == "" && (content.Kind == "text" || content.Kind == "unsupported" || content.Kind == "unavailable") {
			return nil, DroppedEdit // only a caption can be removed
		}
		r.Kind, r.Text = content.Kind, content.Text
	default:
		return nil, DroppedDevice
	}
	return r, ""
}

// describe sets the readable content of a message without wrappers. It returns why it is no message that a person has
// written, or "".
func (in *Inbound) describe(o unwrapped) (drop string) {
	in.Kind = "text"
	var quoted *waE2E.ContextInfo
	m := o.Message
	switch {
	case o.isCopy():
		return DroppedCopy
	case m.GetConversation() != "":
		in.Text = m.GetConversation()
	case m.GetExtendedTextMessage().GetText() != "":
		in.Text, quoted = m.GetExtendedTextMessage().GetText(), m.GetExtendedTextMessage().GetContextInfo()
	case m.GetImageMessage() != nil:
		x := m.GetImageMessage()
		in.setAttachment("image", x)
		in.Text, quoted = x.GetCaption(), x.GetContextInfo()
	case m.GetVideoMessage() != nil:
		x := m.GetVideoMessage()
		in.setAttachment("video", x)
		in.Text, quoted = x.GetCaption(), x.GetContextInfo()
	case m.GetPtvMessage() != nil: // a video recorded while a button is pressed
		x := m.GetPtvMessage()
		in.setAttachment("video", x)
		in.Text, quoted = x.GetCaption(), x.GetContextInfo()
	case m.GetAudioMessage() != nil:
		in.setAttachment("audio", m.GetAudioMessage())
		quoted = m.GetAudioMessage().GetContextInfo()
	case m.GetDocumentMessage() != nil:
		x := m.GetDocumentMessage()
		in.setAttachment("document", x)
		in.Text, in.FileName, quoted = x.GetCaption(), x.GetFileName(), x.GetContextInfo()
	case m.GetStickerMessage() != nil:
		in.setAttachment("sticker", m.GetStickerMessage())
		quoted = m.GetStickerMessage().GetContextInfo()
	case m.GetLocationMessage() != nil:
		x := m.GetLocationMessage()
		in.Kind, in.Text, quoted = "location", placeText(x.DegreesLatitude, x.DegreesLongitude, x.GetName(), x.GetAddress()), x.GetContextInfo()
		in.Text = strings.TrimSpace(in.Text + "\n" + x.GetComment())
	case m.GetLiveLocationMessage() != nil:
		x := m.GetLiveLocationMessage()
		in.Kind, in.Text, quoted = "location", placeText(x.DegreesLatitude, x.DegreesLongitude, x.GetCaption(), ""), x.GetContextInfo()
	case m.GetContactMessage() != nil:
		in.Kind, in.Text, quoted = "contacts", contactsText(m.GetContactMessage()), m.GetContactMessage().GetContextInfo()
	case m.GetContactsArrayMessage() != nil:
		x := m.GetContactsArrayMessage()
		in.Kind, in.Text, quoted = "contacts", cmp.Or(contactsText(x.GetContacts()...), x.GetDisplayName()), x.GetContextInfo()
	case m.GetReactionMessage() != nil:
		in.Kind, in.Text, in.ReplyTo = "reaction", m.GetReactionMessage().GetText(), m.GetReactionMessage().GetKey().GetID()
		if in.Text == "" {
			return DroppedReaction
		}
		return ""
	case m.GetProtocolMessage() != nil:
		return DroppedDevice
	default:
		if quoted, drop = in.other(m); drop != "" {
			return drop
		}
	}
	in.ReplyTo = quoted.GetStanzaID()
	return ""
}
