package smsgate

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/gateway/internal/setting"
	"example.com/griot/internal/phone"
)

// event is the body of a webhook.
type event struct {
	ID      httpcall.Word   `json:"id"` // the same if the phone repeats the event
	Event   httpcall.Word   `json:"event"`
	Payload json.RawMessage `json:"payload"`
}

// payload has the fields of all processed events. The app can leave out any that it doesn't know.
type payload struct {
	MessageID   httpcall.Word   `json:"messageId"`
	PhoneNumber httpcall.Word   `json:"phoneNumber"` // newer versions have sender and recipient instead
	Sender      httpcall.Word   `json:"sender"`
	Recipient   httpcall.Word   `json:"recipient"`
	Message     httpcall.Word   `json:"message"`
	SIMNumber   httpcall.Word   `json:"simNumber"`
	Reason      httpcall.Word   `json:"reason"`
	ReceivedAt  httpcall.Moment `json:"receivedAt"`
	PartsCount  httpcall.Word   `json:"partsCount"`
	SentAt      httpcall.Moment `json:"sentAt"`
	DeliveredAt httpcall.Moment `json:"deliveredAt"`
	FailedAt    httpcall.Moment `json:"failedAt"`
	CancelledAt httpcall.Moment `json:"cancelledAt"`
}

// WebhookHandler implements [gateway.WebhookReceiver]. It handles POST /events.
func (s *sender) WebhookHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/events" || s.settings.SigningKey == "": // without a key, no signature can be checked
			w.WriteHeader(http.StatusNotFound)
		case r.Method == http.MethodPost && !s.recentTimestamp(r): // before the body is read
			w.WriteHeader(http.StatusUnauthorized)
		default:
			s.webhook.ServeHTTP(w, r)
		}
	})
}

var timestampPattern = regexp.MustCompile(`\A[1-9][0-9]{0,11}\z`)

// recentTimestamp reports whether the request's timestamp is within clock_skew.
func (s *sender) recentTimestamp(r *http.Request) bool {
	timestamp := r.Header.Get("X-Timestamp")
	unix, err := strconv.ParseInt(timestamp, 10, 64)
	return err == nil && timestampPattern.MatchString(timestamp) && s.now().Sub(time.Unix(unix, 0)).Abs() <= setting.Seconds(s.settings.ClockSkew)
}

// signatureValid reports whether the signature is the HMAC-SHA256 of the body followed by the timestamp.
func (s *sender) signatureValid(r *http.Request, body []byte) bool {
	given, err := hex.DecodeString(r.Header.Get("X-Signature"))
	h := hmac.New(sha256.New, []byte(s.settings.SigningKey))
	_, _ = h.Write(body)
	_, _ = h.Write([]byte(r.Header.Get("X-Timestamp")))
	return err == nil && hmac.Equal(given, h.Sum(nil))
}

// processEvent checks the signature of a webhook and passes the event to the sink. It acknowledges unusable events,
// because the phone would repeat them for two days.
func (s *sender) processEvent(r *http.Request, body []byte) int {
	if !s.recentTimestamp(r) || !s.signatureValid(r, body) {
		return http.StatusUnauthorized
	}
	var e event
	var p payload
	if json.Unmarshal(body, &e) != nil {
		return http.StatusBadRequest
	}
	readable := json.Unmarshal(e.Payload, &p) == nil
	isMessage := readable && e.Event == "" && p.Message != "" // of the events below, only a received message has a text
	switch {
	case isMessage, slices.Contains([]httpcall.Word{"sms:received", "sms:sent", "sms:delivered", "sms:failed", "sms:cancelled"}, e.Event):
	case e.Event == "system:ping", e.Event == "app:started":
		return http.StatusOK
	default: // for example a picture
		s.drop(gateway.UnhandledKind)
		return http.StatusOK
	}
	if !readable {
		return http.StatusBadRequest
	}
	var err error
	if isMessage || e.Event == "sms:received" {
		in, problem := s.inbound(&e, &p)
		if problem != "" {
			s.drop(problem)
			return http.StatusOK
		}
		err = s.sink.Inbound(r.Context(), in)
	} else if gateway.IsRef(string(p.MessageID), maxRef) {
		err = s.sink.Receipt(r.Context(), s.receipt(&e, &p, body))
	}
	if err != nil {
		s.log.Error("an event of the phone was not stored", "err", err)
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

// drop counts and logs an event that is acknowledged and dropped.
func (s *sender) drop(reason string) {
	s.unhandled(reason)
	s.log.Warn("an event of the phone was dropped: " + reason) //nolint:sloglint // one of five messages, so that the limit of the log is that of each reason
}

// maxParts is the maximum number of parts of an SMS.
const maxParts = 255

// receipt returns the receipt of an event. The app reports each delivered part separately, without a number. Messages
// of other programs on the phone have IDs that are not references.
func (s *sender) receipt(e *event, p *payload, body []byte) gateway.Receipt {
	r := gateway.Receipt{Ref: string(p.MessageID), ProviderID: string(p.MessageID)}
	if n, _ := strconv.Atoi(string(p.PartsCount)); n > 0 && n <= maxParts {
		r.Parts = n
	}
	at := p.SentAt
	switch e.Event {
	case "sms:sent":
		r.Status = gateway.ReceiptSent
	case "sms:delivered":
		r.Status, at, r.Part = gateway.ReceiptDelivered, p.DeliveredAt, gateway.DeriveID(cmp.Or(string(e.ID), string(body)))
	case "sms:failed":
		r.Status, at, r.Err = gateway.ReceiptFailed, p.FailedAt, failureReason(string(p.Reason))
	case "sms:cancelled":
		r.Status, at, r.Err = gateway.ReceiptFailed, p.CancelledAt, &gateway.Error{Class: gateway.Permanent, Code: "canceled_on_phone"}
	}
	r.At, _ = at.Read(s.now()) // a receipt without a time says the same
	return r
}

var resultPattern = regexp.MustCompile(`RESULT_[A-Z_]{1,60}`)

// failureReason returns the error of a failed message. It uses only Android's name of the error from the app's text.
func failureReason(sentence string) *gateway.Error {
	if strings.Contains(strings.ToLower(sentence), "ttl") {
		return &gateway.Error{Class: gateway.Permanent, Code: "expired"}
	}
	if strings.HasPrefix(sentence, "Delivery result") {
		return &gateway.Error{Class: gateway.Unreachable, Code: "not_delivered"}
	}
	return &gateway.Error{Class: gateway.Permanent, Code: "not_sent", ProviderCode: resultPattern.FindString(sentence)}
}

// inbound returns a message from a person, or the reason for dropping it. The app derives its ID from the content
// alone, so ours is derived from all fields that distinguish messages.
func (s *sender) inbound(e *event, p *payload) (in gateway.Inbound, problem string) {
	reported := string(cmp.Or(p.Sender, p.PhoneNumber))
	if _, ok := s.international(reported); !ok {
		if _, ok = s.international(string(p.PhoneNumber)); ok {
			reported = string(p.PhoneNumber)
		}
	}
	if !in.SetSender(s.settings.home, reported, phone.FormNational) {
		return in, gateway.UnhandledNoSender
	}
	to, ok := s.receiver(p)
	if !ok {
		return in, gateway.UnhandledNumber
	}
	at, key := p.ReceivedAt.Or(s.now(), s.log), string(e.ID)
	if _, ok := p.ReceivedAt.Read(s.now()); ok {
		key = at.Format(time.RFC3339Nano)
	}
	in.ID = gateway.DeriveID(string(p.MessageID), in.Address(), to, key, string(p.Message))
	in.Channel, in.To, in.Text, in.At = gateway.SMS, to, string(p.Message), at
	return in, ""
}

// receiver returns our number that received a message: that of its SIM, or the one that the app reports. Android often
// can't tell the SIM. If neither is known, the number of the only SIM; of several, it is empty, and the sink looks for
// it. known is false if the message belongs to a SIM that isn't in the settings.
func (s *sender) receiver(p *payload) (to string, known bool) {
	sims := s.settings.SIMs
	recipient, isNumber := s.international(string(p.Recipient))
	slot, _ := strconv.Atoi(string(p.SIMNumber)) // 0: unknown
	for _, one := range sims {
		if one.Slot != 0 && one.Slot == slot || len(sims) == 1 && one.Slot == 0 {
			return one.Number, true
		}
	}
	for _, one := range sims {
		if isNumber && one.Number == string(recipient) {
			return one.Number, true
		}
	}
	switch {
	case slot >= 1 && slot <= maxSlot:
		return "", false
	case len(sims) == 1:
		return sims[0].Number, true
	}
	return "", true
}

// international parses a number in the phone's form: national, unless it has a plus or 00.
func (s *sender) international(number string) (phone.Number, bool) {
	return s.settings.home.Sender(number, phone.FormNational)
}
