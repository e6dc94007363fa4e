package device

import (
	"cmp"
	"context"
	"time"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
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
	At          time.Time
}

// Revision reports that a person has edited or deleted a message.
type Revision struct {
	ID        string // WhatsApp's ID of the report
	From      Person
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
		shown := d.lids.take()
		return d.turns.inTurn(e.Info.Chat, func() bool { return d.inbound(d.context(), e, shown) })
	case *events.Receipt:
		return d.turns.inTurn(e.Chat, func() bool { return d.receipt(d.context(), e) })
	case *events.UndecryptableMessage:
		shown := d.lids.take()
		return d.turns.inTurn(e.Info.Chat, func() bool {
			d.unreadable(d.context(), e, shown)
			return true
		})
	}
	d.observe(event)
	return true
}

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

// inbound passes a message to the handler. It skips messages of groups, channels, and the status, because the
// protocol does not support them, and messages that the owner writes on the phone.
func (d *Device) inbound(ctx context.Context, e *events.Message, shown Person) bool {
	if !personal(&e.Info.MessageSource) {
		return true
	}
	content := unwrap(e.Message)
	m := newInbound(&e.Info, shown)
	m.Again = e.RetryCount > 0 || e.UnavailableRequestID != ""
	revision := m.revision(content.GetProtocolMessage())
	written := revision == nil && m.describe(content)
	switch {
	case e.UnavailableRequestID != "" && written && m.Kind == "unsupported" && m.Text == "":
		return true // the own phone doesn't have it either
	case !written && m.Again: // it isn't a message, after all
		if err := d.config.Handler.Withdrawn(ctx, m.ID); err != nil {
			return d.taken(err)
		}
	}
	if revision == nil && !written || !d.hasSender(&m) {
		return true
	}
	if revision != nil {
		return d.taken(d.config.Handler.Revised(ctx, *revision))
	}
	if err := d.setKnown(ctx, &m); err != nil {
		return d.taken(err)
	}
	return d.taken(d.config.Handler.Inbound(ctx, m))
}

// newInbound returns a message without its content.
func newInbound(info *types.MessageInfo, shown Person) Inbound {
	return Inbound{ID: info.ID, From: personOf(&info.MessageSource, shown), DisplayName: info.PushName, At: info.Timestamp}
}

// hasSender reports whether the writer of a message is known. Otherwise, it counts the message as dropped.
func (d *Device) hasSender(m *Inbound) bool {
	if m.From == (Person{}) {
		d.config.Log.Warn("a message was dropped: WhatsApp tells neither the number nor the ID of its writer", "number", d.config.Number)
		d.config.Handler.Dropped()
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

// personal reports whether a message belongs to a conversation with a person, and the person has written it.
func personal(s *types.MessageSource) bool {
	return !s.IsFromMe && !s.IsGroup && s.Chat.Server != types.BroadcastServer && s.Chat.Server != types.NewsletterServer
}

// unreadable reports a message whose content the device doesn't have: it can't be decrypted, or WhatsApp doesn't give it
// to linked devices, such as a picture that can be viewed once. It skips edits, and what phones don't show either.
func (d *Device) unreadable(ctx context.Context, e *events.UndecryptableMessage, shown Person) {
	if !personal(&e.Info.MessageSource) || e.DecryptFailMode == events.DecryptFailHide || e.Info.Edit != types.EditAttributeEmpty {
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

// revision returns what a protocol message says about an earlier message of its sender, or nil. Other protocol messages
// are for devices.
func (in *Inbound) revision(m *waE2E.ProtocolMessage) *Revision {
	r := &Revision{ID: in.ID, From: in.From, MessageID: m.GetKey().GetID(), At: in.At}
	switch {
	case m == nil || r.MessageID == "":
		return nil
	case m.GetType() == waE2E.ProtocolMessage_REVOKE:
		r.Deleted = true
	case m.GetType() == waE2E.ProtocolMessage_MESSAGE_EDIT:
		var content Inbound
		if !content.describe(unwrap(m.GetEditedMessage())) || content.Text == "" && (content.Kind == "text" || content.Kind == "unsupported") {
			return nil // only a caption can be removed
		}
		r.Kind, r.Text = content.Kind, content.Text
	default:
		return nil
	}
	return r
}

// describe sets the readable content of a message without wrappers, and reports whether a person wrote it.
func (in *Inbound) describe(m *waE2E.Message) bool {
	in.Kind = "text"
	var quoted *waE2E.ContextInfo
	switch {
	case m.GetConversation() != "":
		in.Text = m.GetConversation()
	case m.GetExtendedTextMessage() != nil:
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
		return in.Text != "" // an empty text means that the reaction was removed
	case m.GetProtocolMessage() != nil:
		return false // sent between devices
	default:
		var isAnswer bool
		if in.Text, isAnswer, quoted = otherText(m); in.Text == "" && m.GetSenderKeyDistributionMessage() != nil {
			return false // sent between devices
		}
		if !isAnswer || in.Text == "" {
			in.Kind = "unsupported"
		}
	}
	in.ReplyTo = quoted.GetStanzaID()
	return true
}
