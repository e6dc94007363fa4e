package smsgate

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
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
	ID      string          `json:"id"` // the same if the phone repeats the event
	Event   string          `json:"event"`
	Payload json.RawMessage `json:"payload"`
}

// payload has the fields of all processed events.
type payload struct {
	MessageID   string    `json:"messageId"`
	PhoneNumber string    `json:"phoneNumber"` // newer versions also have sender and recipient
	Sender      string    `json:"sender"`
	Message     string    `json:"message"`
	SIMNumber   int       `json:"simNumber"`
	Reason      string    `json:"reason"`
	ReceivedAt  time.Time `json:"receivedAt"`
	PartsCount  int       `json:"partsCount"`
	SentAt      time.Time `json:"sentAt"`
	DeliveredAt time.Time `json:"deliveredAt"`
	FailedAt    time.Time `json:"failedAt"`
	CancelledAt time.Time `json:"cancelledAt"`
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
	if !slices.Contains([]string{"sms:received", "sms:sent", "sms:delivered", "sms:failed", "sms:cancelled"}, e.Event) {
		return http.StatusOK // for example a ping or a picture
	}
	if json.Unmarshal(e.Payload, &p) != nil {
		return http.StatusBadRequest
	}
	var err error
	if e.Event == "sms:received" {
		in, problem := s.inbound(&p)
		if problem != nil {
			s.log.Warn("an inbound message was ignored", "err", problem)
			return http.StatusOK
		}
		err = s.sink.Inbound(r.Context(), in)
	} else if gateway.IsRef(p.MessageID, maxRef) {
		err = s.sink.Receipt(r.Context(), s.receipt(&e, &p, body))
	}
	if err != nil {
		s.log.Error("an event of the phone was not stored", "err", err)
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

// maxParts is the maximum number of parts of an SMS.
const maxParts = 255

// receipt returns the receipt of an event. The app reports each delivered part separately, without a number. Messages
// of other programs on the phone have IDs that are not references.
func (s *sender) receipt(e *event, p *payload, body []byte) gateway.Receipt {
	r := gateway.Receipt{Ref: p.MessageID, ProviderID: p.MessageID}
	if p.PartsCount > 0 && p.PartsCount <= maxParts {
		r.Parts = p.PartsCount
	}
	switch e.Event {
	case "sms:sent":
		r.Status, r.At = gateway.ReceiptSent, p.SentAt
	case "sms:delivered":
		r.Status, r.At, r.Part = gateway.ReceiptDelivered, p.DeliveredAt, gateway.DeriveID(cmp.Or(e.ID, string(body)))
	case "sms:failed":
		r.Status, r.At, r.Err = gateway.ReceiptFailed, p.FailedAt, failureReason(p.Reason)
	case "sms:cancelled":
		r.Status, r.At, r.Err = gateway.ReceiptFailed, p.CancelledAt, &gateway.Error{Class: gateway.Permanent, Code: "canceled_on_phone"}
	}
	if r.At.IsZero() {
		r.At = s.now()
	}
	r.At = r.At.UTC()
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

var (
	errNoNumber = errors.New("its sender can't be answered")
	errNoSIM    = errors.New("its SIM isn't in the settings")
	errNoTime   = errors.New("it has no time")
)

// inbound returns a message from a person. The app derives its ID from the content alone, so ours is derived from all
// fields that distinguish messages.
func (s *sender) inbound(p *payload) (gateway.Inbound, error) {
	number := p.PhoneNumber
	if number == "" {
		number = p.Sender
	}
	from, ok := s.international(number)
	if !ok {
		return gateway.Inbound{}, errNoNumber
	}
	if p.ReceivedAt.IsZero() {
		return gateway.Inbound{}, errNoTime
	}
	to := ""
	for _, one := range s.settings.SIMs {
		alone := len(s.settings.SIMs) == 1 && (one.Slot == 0 || p.SIMNumber == 0) // some phones do not report the SIM
		if alone || one.Slot == p.SIMNumber {
			to = one.Number
		}
	}
	if to == "" {
		return gateway.Inbound{}, errNoSIM
	}
	at := p.ReceivedAt.UTC()
	return gateway.Inbound{
		ID: gateway.DeriveID(p.MessageID, string(from), to, at.Format(time.RFC3339Nano), p.Message), Channel: gateway.SMS, From: string(from), To: to,
		Text: httpcall.Text(p.Message), At: at,
	}, nil
}

// international parses a number in the phone's form. A national number requires country_code.
func (s *sender) international(number string) (phone.Number, bool) {
	number = strings.NewReplacer(" ", "", "-", "", "(", "", ")", "").Replace(number)
	switch {
	case strings.HasPrefix(number, "+"):
		return phone.Parse(number)
	case strings.HasPrefix(number, "00"):
		return phone.Parse(number[2:])
	case s.settings.CountryCode == "" || len(number) < 6: // short codes cannot receive replies
		return "", false
	}
	return phone.Parse(s.settings.CountryCode + strings.TrimPrefix(number, "0"))
}
