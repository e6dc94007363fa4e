package device

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"strings"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/socket"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"
)

// Message is a message to send.
type Message struct {
	ID      string
	To      Person // the ID, or else the number; or GroupID is set
	GroupID string
	Text    string
	Media   *Media
	// Stranger is set if the recipient has never written to the number.
	Stranger bool
	ReplyTo  *Quoted // nil: not a reply
}

// Quoted is the message that another message replies to.
type Quoted struct {
	ID   string // WhatsApp's ID
	Ours bool   // sent by this number; otherwise, by the recipient
	Text string // its first characters, which phones display
}

// Media is an attachment.
type Media struct {
	Data     []byte
	MIMEType string
	FileName string
}

// Failure is the reason why a message was not sent, as defined by the protocol.
type Failure struct {
	Class        string
	Code         string
	ProviderCode string
	RetryAfter   int
}

// The classes of failures (docs/gateway-protocol.md §6).
const (
	Permanent   = "permanent"
	Temporary   = "temporary"
	RateLimited = "rate_limited"
	Unknown     = "unknown"
	SenderDown  = "sender_down"
	Unreachable = "unreachable"
)

// MessageID derives WhatsApp's ID of a message from Griot's reference, so that a repeated message has the same ID.
func MessageID(number, reference string) string {
	sum := sha256.Sum256([]byte("griot\n" + number + "\n" + reference))
	return "3EB0" + strings.ToUpper(hex.EncodeToString(sum[:9]))
}

// Prepared is a message that is ready to be submitted.
type Prepared struct {
	// Recipient is the recipient's number at WhatsApp if it differs from the given one.
	Recipient string
	// RecipientID is the recipient's ID; empty for groups, and if it is unknown.
	RecipientID string

	id       string
	to       types.JID
	body     *waE2E.Message
	stranger bool
}

// Down returns the reason why the number cannot send anything now, or nil.
func (d *Device) Down() *Failure {
	switch s := d.State(); s.State {
	case Connected:
		return nil
	case Restricted:
		if s.Reason != TemporaryBan {
			return nil // the number can still send to people who have written to it
		}
		return &Failure{Class: SenderDown, Code: "number_restricted"}
	case LoggedOut, Banned, Outdated:
		return &Failure{Class: SenderDown, Code: "number_" + string(s.State)}
	default:
		return &Failure{Class: Temporary, Code: "number_disconnected"}
	}
}

// refusal returns the reason why a message cannot be sent now, or nil. During a timelock, nothing is sent to
// strangers, because an attempt would prolong it.
func (d *Device) refusal(stranger bool) *Failure {
	if stranger && d.restricted(ReachOutTimelock) > 0 {
		return &Failure{Class: Unreachable, Code: ReachOutTimelock}
	}
	return d.Down()
}

// Prepare finds the recipient and uploads the attachment. If it fails, nothing was submitted.
func (d *Device) Prepare(ctx context.Context, m Message) (*Prepared, *Failure) {
	if f := d.refusal(m.Stranger); f != nil {
		return nil, f
	}
	to, f := d.resolve(ctx, m)
	if f != nil {
		return nil, f
	}
	p := &Prepared{id: m.ID, to: to, stranger: m.Stranger, body: &waE2E.Message{Conversation: proto.String(m.Text)}}
	p.RecipientID = lidOf(to)
	if to.Server == types.DefaultUserServer {
		if to.User != m.To.Number {
			p.Recipient = to.User
		}
		var err error
		if p.RecipientID, err = d.ID(ctx, to.User); err != nil {
			return nil, &Failure{Class: Temporary, Code: "store_failed"}
		}
	}
	quoted := d.quote(m, to)
	switch {
	case m.Media != nil:
		if p.body, f = d.attach(ctx, m, quoted); f != nil {
			return nil, f
		}
	case quoted != nil: // a plain text has no field for the quoted message
		p.body = &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String(m.Text), ContextInfo: quoted}}
	}
	return p, nil
}

// quote returns the reference to the message that m replies to, or nil if m is not a reply.
func (d *Device) quote(m Message, to types.JID) *waE2E.ContextInfo {
	if m.ReplyTo == nil {
		return nil
	}
	author := to
	if m.ReplyTo.Ours {
		author = types.NewJID(d.config.Number, types.DefaultUserServer)
	}
	return &waE2E.ContextInfo{
		StanzaID: proto.String(m.ReplyTo.ID), Participant: proto.String(author.String()), QuotedMessage: &waE2E.Message{Conversation: proto.String(m.ReplyTo.Text)},
	}
}

// Deliver submits a message and waits for WhatsApp's acknowledgment.
func (d *Device) Deliver(ctx context.Context, p *Prepared) *Failure {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // otherwise whatsmeow would still send it, although no caller waits for the result
		return &Failure{Class: Temporary, Code: "timeout"}
	}
	if !d.sending.TryRLock() { // the device is reconnecting
		return &Failure{Class: Temporary, Code: "number_disconnected"}
	}
	defer d.sending.RUnlock()
	if f := d.refusal(p.stranger); f != nil {
		return f
	}
	if p.RecipientID != "" {
		if f := d.openSessions(ctx, lidAddress(p.RecipientID)); f != nil {
			return f
		}
	}
	var proof []byte
	if p.RecipientID != "" {
		proof = d.proof(ctx, lidAddress(p.RecipientID))
	}
	f := d.submit(ctx, p)
	if f != nil && f.ProviderCode == reachOutError {
		return d.reachedOut(ctx, p, proof)
	}
	return f
}

// submit submits a message once.
func (d *Device) submit(ctx context.Context, p *Prepared) *Failure {
	ctx, end := d.session.Sending(ctx)
	defer end()
	sent, err := d.client.SendMessage(ctx, p.to, p.body, whatsmeow.SendRequestExtra{ID: p.id, Timeout: d.config.AckTimeout})
	switch {
	case err == nil && sent.ID != p.id:
		return &Failure{Class: Unknown, Code: "id_changed"}
	case err == nil:
		return nil
	case !written(sent, err):
		return queryFailure(err)
	}
	return classify(err, p.to)
}

// written reports whether a message whose submission failed might have been written to the connection. Its time is set
// as soon as whatsmeow has tried, and all queries come before that.
func written(sent whatsmeow.SendResponse, err error) bool {
	if sent.DebugTimings.Send == 0 {
		return false
	}
	noConnection := errors.Is(err, whatsmeow.ErrNotConnected) || errors.Is(err, socket.ErrSocketClosed)
	return !noConnection || sent.DebugTimings.Resp > 0 // it was written to an earlier connection
}

var serverError = regexp.MustCompile(` ([0-9]{3})$`)

// classify converts the error of a message that was written for to, to a failure, which determines whether a retry is
// safe. For unknown errors, the message might have been sent.
func classify(err error, to types.JID) *Failure {
	if !errors.Is(err, whatsmeow.ErrServerReturnedError) {
		return &Failure{Class: Unknown, Code: "acknowledgement_lost"}
	}
	code := ""
	if found := serverError.FindStringSubmatch(err.Error()); found != nil {
		code = found[1]
	}
	switch {
	case code == reachOutError:
		return &Failure{Class: Unreachable, Code: ReachOutTimelock, ProviderCode: code}
	case code == "429":
		return slowDown(code)
	case strings.HasPrefix(code, "5"):
		return &Failure{Class: Temporary, Code: "provider_failed", ProviderCode: code}
	case (code == "400" || code == "479") && to.Server != types.GroupServer: // it comes and goes for single people
		return &Failure{Class: Unreachable, Code: "recipient_refused", ProviderCode: code}
	}
	return &Failure{Class: Permanent, Code: "refused", ProviderCode: code}
}

// slowDown is the failure if WhatsApp refuses something because there was too much of it. It reports no wait.
func slowDown(code string) *Failure {
	return &Failure{Class: RateLimited, Code: "slow_down", ProviderCode: code, RetryAfter: 60}
}
