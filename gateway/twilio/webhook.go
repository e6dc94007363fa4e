package twilio

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/internal/phone"
)

// Paths of Twilio's calls below webhook_url.
const (
	inboundPath = "/inbound"
	statusPath  = "/status/" // followed by our reference
)

const (
	maxBody = 64 << 10
	maxHeld = 16 << 20
	maxSID  = 256 // of a message's SID, which has 34 characters
)

// WebhookHandler implements [gateway.WebhookReceiver].
func (s *sender) WebhookHandler() http.Handler {
	return &httpcall.Webhook{MaxBody: maxBody, MaxHeld: maxHeld, Handle: s.process}
}

// process checks a call and passes it to the sink.
func (s *sender) process(r *http.Request, body []byte) int {
	form, err := url.ParseQuery(string(body)) // the decoded parameters are signed
	path, target := "/"+strings.TrimPrefix(r.URL.Path, "/"), "/"+strings.TrimPrefix(r.URL.EscapedPath(), "/")
	if r.URL.RawQuery != "" {
		target += "?" + r.URL.RawQuery
	}
	if err != nil {
		return http.StatusForbidden
	}
	if problem := s.checkSignature(r.Header, target, form); problem != "" {
		s.log.Warn("a webhook was refused", "problem", problem)
		return http.StatusForbidden
	}
	ref, isStatus := strings.CutPrefix(path, statusPath)
	switch {
	case isStatus:
		err = s.receipt(r.Context(), ref, form)
	case path == inboundPath:
		err = s.inbound(r.Context(), form)
	default:
		return http.StatusNotFound
	}
	if err != nil {
		s.log.Error("a webhook was not stored", "status", isStatus, "err", err)
		return http.StatusInternalServerError
	}
	return http.StatusNoContent
}

// receipt passes a status to the sink, unless it comes before "sent".
func (s *sender) receipt(ctx context.Context, ref string, form url.Values) error {
	r := gateway.Receipt{Ref: httpcall.Text(ref), ProviderID: httpcall.Text(form.Get("MessageSid")), At: s.now()}
	switch form.Get("MessageStatus") {
	case "sent":
		r.Status = gateway.ReceiptSent
	case "delivered":
		r.Status = gateway.ReceiptDelivered
	case "read":
		r.Status = gateway.ReceiptRead
	case "failed", "undelivered", "canceled":
		r.Status = gateway.ReceiptFailed
		code, _ := strconv.Atoi(form.Get("ErrorCode"))
		if r.Err = codeError(code); r.Err.Code == "" {
			r.Err.Code = "delivery_failed"
		}
		if code == 0 {
			r.Err.ProviderCode = ""
		}
	default:
		return nil
	}
	return s.sink.Receipt(ctx, r)
}

// inbound passes a message from a person to the sink. Nothing but its sender is needed.
func (s *sender) inbound(ctx context.Context, form url.Values) error {
	to := gateway.ReceiverOf(s.settings.home, form.Get("To"), phone.FormUnknown)
	sid := strings.TrimSpace(httpcall.Text(form.Get("MessageSid")))
	if sid == "" || len(sid) > maxSID {
		sid = gateway.DeriveID(form.Encode())
	}
	in := gateway.Inbound{
		ID: sid, Channel: gateway.SMS, To: to, Type: gateway.InboundText,
		Text: httpcall.Text(form.Get("Body")), OptOut: optOutOf(form.Get("OptOutType")), At: s.now(),
	}
	if !in.SetSender(s.settings.home, form.Get("From"), phone.FormUnknown) {
		s.unhandled(gateway.UnhandledNoSender)
		s.log.Warn("an inbound message was dropped: it has no sender")
		return nil
	}
	if at := form.Get("MediaUrl0"); at != "" { // an MMS
		in.MediaURL, in.MIMEType = httpcall.Text(at), httpcall.Text(form.Get("MediaContentType0"))
		in.Type = mediaKind(in.MIMEType)
	}
	return s.sink.Inbound(ctx, in)
}

// optOutOf returns the meaning of OptOutType, by which Twilio's Advanced Opt-Out reports that one of the account's own
// keywords has changed its list. HELP changes nothing.
func optOutOf(kind string) gateway.OptOut {
	switch strings.ToUpper(strings.TrimSpace(kind)) {
	case "STOP":
		return gateway.OptOutStopped
	case "START":
		return gateway.OptOutStarted
	}
	return ""
}

func mediaKind(mimeType string) gateway.InboundType {
	kind, _, _ := strings.Cut(mimeType, "/")
	switch kind {
	case "image":
		return gateway.InboundImage
	case "video":
		return gateway.InboundVideo
	case "audio":
		return gateway.InboundAudio
	}
	return gateway.InboundDocument
}
