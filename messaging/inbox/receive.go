package inbox

import (
	"context"
	"errors"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/visible"
	"example.com/griot/internal/whatsappid"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/person"
	"example.com/griot/messaging/webhooks"
)

// Receive stores a message from a person, once, for the account that owns the receiving number. It returns nil if the
// message is stored, now or before, and [gateway.ErrForeign] if the number is not a sender of the gateway that
// reported the message. It stores nothing for the platform's senders, which have no inbox, for a reaction without an
// emoji, which means that the reaction was removed, or for a message without a number and a WhatsApp ID.
//
// A message with both joins them in the account ([person.Key.Join]). One with an ID alone means that the ID's number
// is unknown or no longer known, so that the account separates the ID from it ([person.Separate]).
func (b *Inbox) Receive(ctx context.Context, in gateway.Inbound) error {
	s, err := b.o.Directory.SenderAt(ctx, string(in.Channel), in.To)
	if err != nil {
		return err
	}
	if s == nil || s.Gateway != in.Gateway {
		return gateway.ErrForeign
	}
	if in.Type == gateway.InboundReaction && in.Text == "" {
		return nil
	}
	if s.AccountID == "" {
		b.o.Log.Debug("inbound message for the platform's number, which has no inbox", "channel", string(in.Channel))
		return nil
	}
	a, err := b.o.Directory.Account(ctx, s.AccountID)
	if err != nil || a == nil {
		return err
	}
	now := b.o.Now()
	normalize(&in, now)
	if in.Address() == "" {
		b.o.Log.Warn("an inbound message without a number and an ID was dropped", "gateway", in.Gateway, "channel", string(in.Channel))
		return nil
	}
	replyTo, err := quoted(b.o.DB.Read(ctx), s, &in)
	if err != nil {
		return err
	}
	if in.Order.IsZero() {
		in.Order = now
	}
	key := b.keys.New(in.Order)
	r := &received{id: id.Message + key, conversation: id.Conversation + key, sender: s, replyTo: replyTo}
	err = b.receive(ctx, a, r, in, key)
	if known, ok := errors.AsType[unavailable](err); ok {
		r.id = string(known)
		err = b.receive(ctx, a, r, in, key)
	}
	return err
}

// unavailable is the error of [Inbox.receive] for a message that is stored without its content, whose ID it is.
type unavailable string

// Error implements error.
func (unavailable) Error() string { return "inbox: the message is stored without its content" }

// receive stores a message with its attachment, its event, and its consequences. It returns an [unavailable] if it
// doesn't know yet that the message is stored without its content. With that ID, it stores the content.
func (b *Inbox) receive(ctx context.Context, a *account.Account, r *received, in gateway.Inbound, key string) error {
	r.in = &in
	now := b.o.Now()
	attached := b.attachmentOf(r, key)
	var event *webhooks.Event
	if webhooks.Wanted(a, now) {
		event = webhooks.Received(a.ID, r.id, r.replyTo, in, now)
	}
	changed := false
	err := b.o.DB.Write(ctx, func(tx *db.Tx) error {
		var fresh bool
		var err error
		if fresh, changed, err = r.keep(tx, b.people); err != nil || !fresh {
			return err
		}
		now, err := b.store(tx, attached, event)
		if err != nil || now == nil {
			return err
		}
		return webhooks.Insert(tx, b.o.Signal, now)
	})
	if err != nil {
		return err
	}
	if changed {
		b.o.Directory.Forget(a.ID)
	}
	if attached != nil {
		select {
		case b.mediaDue <- struct{}{}:
		default:
		}
	}
	return nil
}

// keep stores the message, and applies it to the opt-outs if it is a keyword. fresh is false if the message was already
// stored. changed means that the account's opt-outs or people have changed. people is nil for a message without an ID
// in an account that has erased no one.
func (r *received) keep(tx *db.Tx, people *person.Key) (fresh, changed bool, err error) {
	if fresh, changed, err = r.store(tx, people); err != nil || !fresh {
		return false, false, err
	}
	pseudonym := ""
	if people != nil {
		pseudonym = people.Pseudonym(r.sender.AccountID, r.in.Address())
	}
	optedOut, err := optout.ApplyKeyword(tx, r.sender.AccountID, pseudonym, r.in)
	if changed = changed || optedOut; err != nil || !changed {
		return true, false, err
	}
	return true, true, account.NoteChange(tx)
}

// normalize prepares an inbound message for storage: with a known type, a time that is not in the future, no ID that
// isn't one, and texts that both databases accept.
func normalize(in *gateway.Inbound, now time.Time) {
	if in.Type == "" {
		in.Type = gateway.InboundText
	}
	if in.At.After(now) || in.At.Before(time.UnixMilli(0)) {
		in.At = now
	}
	if in.Channel != gateway.SMS {
		in.Local = ""
	}
	in.Response = gateway.Response([]byte(in.Response))
	for _, s := range []*string{
		&in.ID, &in.From, &in.Local, &in.Person.Username, &in.DisplayName, &in.Text, &in.MediaURL, &in.MIMEType, &in.FileName, &in.Choice.ID, &in.Choice.Title, &in.ReplyTo.Ref, &in.ReplyTo.ProviderID,
	} {
		*s = strings.ReplaceAll(strings.ToValidUTF8(*s, "\uFFFD"), "\x00", "")
	}
	in.DisplayName = visible.Trim(in.DisplayName) // a name that nobody can see is unknown
	for _, s := range []*string{&in.Person.ID, &in.Person.ParentID} {
		if !whatsappid.Is(*s) {
			*s = ""
		}
	}
}

// A received is a message that is being stored.
type received struct {
	id           string
	conversation string // the ID of the conversation that starts with it, if there is one
	sender       *account.Sender
	in           *gateway.Inbound
	replyTo      string // our ID of the message that it replies to
}

// store stores the message. fresh is false if the message is already stored. changed means that the account has joined
// or separated the person's number and ID.
func (r *received) store(tx *db.Tx, people *person.Key) (fresh, changed bool, err error) {
	known, found, err := findReceived(&tx.Query, r.sender.ID, r.in.ID)
	switch {
	case err != nil:
		return false, false, err
	case found:
		return r.complete(tx, &known, people)
	}
	if r.in.Channel != gateway.WhatsApp { // stored, but in no conversation, because the inbox shows only WhatsApp
		fresh, err = insertReceived(tx, r, "", 0)
	} else if changed, err = r.pair(tx, people); err == nil {
		fresh, err = r.storeInConversation(tx)
	}
	if err != nil || fresh {
		return fresh, changed, err
	}
	// Another delivery was faster, perhaps one without the content.
	if known, found, err = findReceived(&tx.Query, r.sender.ID, r.in.ID); err != nil || !found {
		return false, changed, err
	}
	fresh, joined, err := r.complete(tx, &known, people)
	return fresh, changed || joined, err
}

// complete gives the message its content if it is stored without it, and has the same author. fresh is false otherwise.
// changed is as in [received.store].
func (r *received) complete(tx *db.Tx, known *stored, people *person.Key) (fresh, changed bool, err error) {
	if known.kind != gateway.InboundUnavailable || known.deleted.Valid || known.edited.Valid || r.in.Type == gateway.InboundUnavailable {
		return false, false, nil
	}
	theirs, err := known.isBy(&tx.Query, r.sender.AccountID, r.in.From, r.in.Person.ID)
	switch {
	case err != nil || !theirs:
		return false, false, err
	case known.id != r.id:
		return false, false, unavailable(known.id)
	}
	if changed, err = r.pair(tx, people); err != nil {
		return false, false, err
	}
	var revision int64
	if known.person != "" {
		if revision, err = nextRevision(tx, r.sender.AccountID); err != nil {
			return false, false, err
		}
	}
	fresh, err = known.complete(tx, r, revision)
	return fresh, changed, err
}

// pair joins the person's ID with the number, or separates them if the number is unknown. It locks limits, so it comes
// before the lock of the inbox.
func (r *received) pair(tx *db.Tx, people *person.Key) (changed bool, err error) {
	switch in := r.in; {
	case in.Person.ID == "":
		return false, nil
	case in.From == "":
		return person.Separate(tx, r.sender.AccountID, in.Person.ID)
	default:
		return people.Join(tx, r.sender.AccountID, in.Person.ID, in.From)
	}
}

// storeInConversation stores the message in the conversation with its author. It returns false if another delivery of
// it was faster.
func (r *received) storeInConversation(tx *db.Tx) (fresh bool, err error) {
	revision, err := nextRevision(tx, r.sender.AccountID)
	if err != nil {
		return false, err
	}
	who, err := person.Find(&tx.Query, r.sender.AccountID, r.in.Address())
	if err != nil {
		return false, err
	}
	conversation, err := conversationWith(&tx.Query, r.sender.AccountID, who)
	if err != nil {
		return false, err
	}
	if conversation == "" {
		conversation = r.conversation
	}
	if fresh, err = insertReceived(tx, r, conversation, revision); err != nil || !fresh {
		return false, err
	}
	return true, updateConversation(tx, r, conversation, who)
}

// preview returns the text for a message in a list.
func preview(t gateway.InboundType, text, fileName string) string {
	switch {
	case text != "":
		return message.Preview(text)
	case t == gateway.InboundText:
		return ""
	case fileName != "":
		return preview(t, fileName, "")
	}
	return "[" + string(t) + "]"
}
