package resend

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
)

const (
	maxBody = 256 << 10
	maxHeld = 16 << 20
	maxAge  = 5 * time.Minute // of a signature, in either direction
)

// WebhookHandler implements [gateway.WebhookReceiver].
func (s *sender) WebhookHandler() http.Handler {
	return &httpcall.Webhook{MaxBody: maxBody, MaxHeld: maxHeld, Handle: s.process}
}

// process checks a call and passes its receipt to the sink. Resend repeats calls for hours until the response is 2xx.
func (s *sender) process(r *http.Request, body []byte) int {
	if !s.signed(r.Header, body) {
		s.log.Warn("webhook refused: its signature is not that of webhook_secret, or too old")
		return http.StatusForbidden
	}
	receipt, ok, err := s.readReceipt(body)
	if err != nil {
		s.log.Error("a signed webhook can't be read", "bytes", len(body))
		return http.StatusBadRequest
	}
	if !ok {
		return http.StatusNoContent
	}
	if err := s.sink.Receipt(r.Context(), receipt); err != nil {
		s.log.Error("a receipt was not stored", "err", err)
		return http.StatusInternalServerError
	}
	return http.StatusNoContent
}

// signed reports whether one of the signatures is valid and recent (Standard Webhooks; Svix uses its own header names).
func (s *sender) signed(h http.Header, body []byte) bool {
	id := cmp.Or(h.Get("svix-id"), h.Get("webhook-id"))
	timestamp := cmp.Or(h.Get("svix-timestamp"), h.Get("webhook-timestamp"))
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" || len(s.settings.key) == 0 || seconds < 0 || seconds > 1<<40 || s.now().Sub(time.Unix(seconds, 0)).Abs() > maxAge {
		return false
	}
	want := sign(s.settings.key, id, timestamp, body)
	valid := false
	for signature := range strings.FieldsSeq(cmp.Or(h.Get("svix-signature"), h.Get("webhook-signature"))) {
		version, encoded, _ := strings.Cut(signature, ",")
		given, err := base64.StdEncoding.DecodeString(encoded)
		valid = version == "v1" && err == nil && hmac.Equal(given, want) || valid
	}
	return valid
}

func sign(key []byte, id, timestamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

// event is an event of an email. A field of another type is empty, so that no receipt is lost because of it.
type event struct {
	Type httpcall.Word   `json:"type"`
	At   httpcall.Moment `json:"created_at"`
	Data struct {
		EmailID httpcall.Word   `json:"email_id"`
		Tags    json.RawMessage `json:"tags"`
		Bounce  struct {
			Type    httpcall.Word `json:"type"`
			SubType httpcall.Word `json:"subType"`
		} `json:"bounce"`
	} `json:"data"`
}

// readReceipt returns the receipt of an event. ok is false for other events, such as opened, clicked, and delayed, and
// for a receipt of no email.
func (s *sender) readReceipt(body []byte) (r gateway.Receipt, ok bool, err error) {
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		if _, isType := errors.AsType[*json.UnmarshalTypeError](err); !isType {
			return r, false, err
		}
	}
	switch e.Type {
	case "email.sent":
		r.Status = gateway.ReceiptSent
	case "email.delivered":
		r.Status = gateway.ReceiptDelivered
	case "email.bounced", "email.complained", "email.suppressed", "email.failed":
		r.Status = gateway.ReceiptFailed
	case "email.received":
		s.unhandled(gateway.UnhandledKind)
		s.log.Warn("an email from a person was dropped: Griot receives no email")
		return r, false, nil
	default:
		return r, false, nil
	}
	r.Ref, r.ProviderID = httpcall.Text(refOf(e.Data.Tags)), string(e.Data.EmailID)
	r.At, _ = e.At.Read(s.now()) // a receipt without a time says the same
	if r.Status == gateway.ReceiptFailed {
		r.Err = e.failure()
	}
	if r.Ref+r.ProviderID == "" {
		s.unreadable()
		s.log.Warn("a receipt names no email")
		return r, false, nil
	}
	return r, true, nil
}

// failure returns the error of a failed email or a complaint.
func (e *event) failure() *gateway.Error {
	switch e.Type {
	case "email.complained":
		return &gateway.Error{Class: gateway.Unreachable, Code: "complained"}
	case "email.suppressed":
		return &gateway.Error{Class: gateway.Unreachable, Code: "suppressed"}
	case "email.failed":
		return &gateway.Error{Class: gateway.Permanent, Code: "message_refused"}
	}
	f := &gateway.Error{Class: gateway.Unreachable, Code: "bounced"}
	if e.Data.Bounce.Type == "Transient" || e.Data.Bounce.Type == "Undetermined" { // not caused by the address
		f.Class, f.Code = gateway.Temporary, "bounced_for_now"
	}
	if provider := strings.TrimSpace(string(e.Data.Bounce.Type + " " + e.Data.Bounce.SubType)); regexp.MustCompile(`\A[A-Za-z ]{1,64}\z`).MatchString(provider) {
		f.ProviderCode = provider
	}
	return f
}

// refOf returns our reference from the tags, which are an object or a list.
func refOf(tags json.RawMessage) string {
	var byName map[string]json.RawMessage
	if json.Unmarshal(tags, &byName) == nil {
		var ref string
		_ = json.Unmarshal(byName[refTag], &ref)
		return ref
	}
	var list []tag
	_ = json.Unmarshal(tags, &list)
	for _, t := range list {
		if t.Name == refTag {
			return t.Value
		}
	}
	return ""
}
