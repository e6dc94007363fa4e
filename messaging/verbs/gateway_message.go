package verbs

import (
	"context"
	"errors"
	"slices"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
)

// TestMessage is a message that tests a gateway.
type TestMessage struct {
	Name     string `json:"name" arg:"NAME"`
	To       string `json:"to" flag:"to,required" number:"true" help:"recipient: a number with +, or for email an address"`
	Sender   string `json:"sender" flag:"sender" of:"senders" help:"ID of one of the gateway's senders (default: the first that can write to the recipient)"`
	Text     string `json:"text" flag:"text" help:"text of the message (default: a sentence that says that it is a test)"`
	TextLang string `json:"textLang"` // fr or en: the language of the subject and of the default text; empty: en
	Key      string `json:"idempotencyKey" form:"-" flag:"idempotency-key" help:"key that prevents a repeated command from sending again"`
}

// MessageTest is the result of a test message.
type MessageTest struct {
	Gateway    string `json:"gateway" row:"gateway"`
	MessageID  string `json:"messageId" row:"message"`
	Channel    string `json:"channel" row:"channel"`
	From       string `json:"from" row:"from"`
	To         string `json:"to" row:"to"` // masked
	Status     string `json:"status" row:"status"`
	Result     string `json:"result" row:"result"`
	ProviderID string `json:"providerId,omitempty" row:"provider's id"`
	Repeated   bool   `json:"repeated"`       // an earlier request with the same key has sent it
	Text       string `json:"text,omitempty"` // the failure in a sentence
	Hint       string `json:"hint,omitempty"` // the fix in a sentence

	GatewayFailure
}

// Results of a test message.
const (
	MessageAccepted = "accepted" // by the provider
	MessageFailed   = "failed"   // nothing was sent
	MessageUnknown  = "unknown"  // the gateway has not answered, so it might have been sent
	MessageWaiting  = "waiting"  // for its turn, until its end
)

const testKeyStart = "gateway-test-"

// sendTest sends a message by a gateway, for a test.
func (h *service) sendTest(ctx context.Context, in *TestMessage) (MessageTest, error) {
	if err := h.checkGateway(ctx, in.Name, ""); err != nil {
		return MessageTest{}, err
	}
	if !h.Gateways.Running() {
		return MessageTest{}, verb.Refuse("Only a running server can send a message. Start it first.")
	}
	from, err := h.testSender(ctx, in)
	if err != nil {
		return MessageTest{}, err
	}
	r, err := h.testRequest(from, in)
	if err != nil {
		return MessageTest{}, err
	}
	res, err := h.Delivery.SubmitTest(ctx, *from, r, audit.New(ctx, h.Directory.Now(), "", audit.GatewayTestSent, in.Name, "to", maskedRecipient(r.To), "sender", from.ID))
	switch {
	case err != nil:
		return MessageTest{}, h.testRefused(from, err)
	case res.PayloadMismatch || res.Message.Gateway != in.Name:
		return MessageTest{}, verb.Refuse("This form, or this key, was already used for another test message: %s. Send the form again, or use another key.", res.Message.ID)
	}
	return shownTest(res), nil
}

// testSender returns the sender of a test message.
func (h *service) testSender(ctx context.Context, in *TestMessage) (*account.Sender, error) {
	all, err := h.Directory.EverySender(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s account.Sender) bool { return s.Gateway != in.Name })
	if len(all) == 0 {
		return nil, verb.Refuse("The gateway has no sender, so the message would come from nobody. Add a sender first (griot admin senders add).")
	}
	if in.Sender != "" {
		at := slices.IndexFunc(all, func(s account.Sender) bool { return s.ID == in.Sender })
		if at < 0 {
			return nil, verb.Refuse("The sender isn't one of this gateway (griot admin senders list shows the IDs).")
		}
		return &all[at], nil
	}
	isEmail := strings.Contains(in.To, "@")
	return &all[max(0, slices.IndexFunc(all, func(s account.Sender) bool { return (s.Channel == gateway.Email) == isEmail }))], nil
}

// testRequest returns the request for a test message.
func (h *service) testRequest(from *account.Sender, in *TestMessage) (*message.Request, error) {
	l := i18n.Lang(in.TextLang)
	if !l.Valid() {
		l = i18n.EN
	}
	r := &message.Request{
		To: strings.TrimSpace(in.To), Content: message.Content{Text: strings.TrimSpace(in.Text), Subject: l.T("gateway.test.subject")}, Source: message.SourceDashboard,
		IdempotencyKey: testKeyStart + in.Key,
	}
	if r.Content.Text == "" {
		r.Content.Text = l.T("operator.test.message")
	}
	if in.Key == "" {
		r.IdempotencyKey += id.Random()
	}
	if err := message.CheckIdempotencyKey(r.IdempotencyKey); err != nil {
		return nil, verb.Refuse("The idempotency key must have 1 to %d printable characters.", message.MaxIdempotencyKey-len(testKeyStart))
	}
	if from.Channel == gateway.Email {
		if !message.IsEmail(r.To) {
			return nil, verb.Refuse("The recipient must be an email address, because the sender %s sends email.", from.Address)
		}
		return r, nil
	}
	number, err := phone.Read(r.To)
	if err != nil {
		return nil, verb.Refuse("The recipient %s.", err)
	}
	r.To = number.E164()
	return r, nil
}

// testRefused converts the error of a message that was not accepted.
func (h *service) testRefused(from *account.Sender, err error) error {
	refusal, is := errors.AsType[*apierror.Error](err)
	switch {
	case errors.Is(err, delivery.ErrTooManyTests):
		return verb.Refuse("%d test messages were sent in the last hour, which is the limit. Try again later.", delivery.MaxTests)
	case errors.Is(err, delivery.ErrSendingPaused):
		return verb.Refuse("Sending is paused on every node. Resume it first (griot admin resume).")
	case !is:
		return err
	case errors.Is(err, apierror.AccountSuspended.Err()):
		return verb.Refuse("The account of this sender is suspended, so the sender sends nothing.")
	case errors.Is(err, apierror.SenderPaused.Err()):
		return verb.Refuse("The sender is paused. Resume it, or choose another one.")
	case errors.Is(err, apierror.RecipientOptedOut.Err()):
		return verb.Refuse("The recipient has opted out of messages from the account of this sender on this channel. Choose another recipient.")
	case errors.Is(err, apierror.GatewayNotConnected.Err()):
		d := h.Gateways.Detail(from.Gateway, from.Channel, from.Address)
		if d.Reason == "gateway_missing" {
			return verb.Refuse("The gateway isn't open in this process, so it sends nothing (griot admin gateways list shows why).")
		}
		return verb.Refuse("The sender isn't connected: %s.", strings.TrimSpace(strings.ReplaceAll(string(d.State)+" "+d.Reason, "_", " ")))
	}
	return verb.Refuse("%s", refusal.Text())
}

func shownTest(res *delivery.Result) MessageTest {
	m := res.Message
	out := MessageTest{
		Gateway: m.Gateway, MessageID: m.ID, Channel: string(m.Channel), From: m.From, To: maskedRecipient(m.Address), Status: string(m.Status),
		ProviderID: m.ProviderID, Repeated: res.Deduplicated, Result: MessageAccepted,
	}
	switch {
	case m.Status == message.Sending, m.Failure != nil && m.Failure.Class == gateway.Unknown:
		out.Result = MessageUnknown
	case m.Status.Open():
		out.Result = MessageWaiting
	case m.Status.HasFailed():
		out.Result = MessageFailed
	}
	if f := m.Failure; f != nil {
		out.GatewayFailure = GatewayFailure{f.Code, string(f.Class), f.ProviderCode}
		text, hint := out.ExplainMessage(i18n.EN)
		out.Text, out.Hint = plain(text), plain(hint)
	}
	return out
}
