package skeleton

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/gateway/internal/setting"
	"example.com/griot/internal/clock"
)

type settings struct {
	httpcall.APISettings
	Key     string `json:"key"` // authorizes our requests, and signs the provider's
	KeyFile string `json:"key_file"`
}

type sender struct {
	*httpcall.Client // Do calls the provider; Close implements [gateway.Sender]
	settings         settings
	webhook          *httpcall.Webhook
	sink             gateway.Sink
	now              clock.Now
	log              *slog.Logger
}

// Open implements [gateway.Driver]. It makes no request.
func Open(raw json.RawMessage, deps gateway.Deps) (gateway.Sender, error) {
	s := &sender{sink: deps.Sink, now: deps.Now, log: deps.Log}
	err := setting.Parse(raw, &s.settings)
	if err != nil {
		return nil, err
	}
	if s.Client, err = s.settings.Client("https://api.provider.example", 32); err != nil {
		return nil, err
	}
	if s.settings.Key, err = setting.Secret("key", s.settings.Key, s.settings.KeyFile, true); err != nil {
		return nil, err
	}
	s.webhook = &httpcall.Webhook{MaxBody: 64 << 10, MaxHeld: 4 << 20, Handle: s.receipt}
	return s, nil
}

// Info implements [gateway.Sender]. Set Deduplicates only if a second Send with the same Ref is never delivered twice.
func (s *sender) Info() gateway.Info {
	return gateway.Info{Channels: []gateway.Channel{gateway.SMS}, Receipts: true}
}

// Send implements [gateway.Sender]. One call is one attempt.
func (s *sender) Send(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	if failure := out.Check(s.now(), gateway.SMS); failure != nil {
		return gateway.Ack{}, failure
	}
	body, err := json.Marshal(map[string]string{"reference": out.Ref, "from": out.From, "to": out.To, "text": out.Text})
	if err != nil {
		return gateway.Ack{}, &gateway.Error{Class: gateway.Permanent, Code: "message_invalid"}
	}
	// The client's errors have the right class: Unknown only if the provider might have received the request.
	answer, failure := s.Do(ctx, &httpcall.Request{
		Method: http.MethodPost, URL: s.settings.BaseURL + "/messages", Body: body,
		Header: http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + s.settings.Key}},
	})
	if failure != nil {
		return gateway.Ack{}, failure
	}
	return readAnswer(answer)
}

// readAnswer returns the ack or the error of a response. An invalid response is Unknown, because the message might have been accepted.
func readAnswer(answer *httpcall.Answer) (gateway.Ack, error) {
	var a struct{ ID, Error string }
	readable := answer.Whole && json.Unmarshal(answer.Body, &a) == nil
	e := &gateway.Error{Class: gateway.Unknown, Code: "answer_invalid", ProviderCode: strconv.Itoa(answer.Status)}
	switch {
	case answer.Status == http.StatusCreated && readable && a.ID != "":
		return gateway.Ack{ProviderID: a.ID}, nil
	case answer.Status == http.StatusUnauthorized:
		e.Class, e.Code = gateway.SenderDown, "credentials_refused"
	case answer.Status == http.StatusTooManyRequests:
		e.Class, e.Code, e.RetryAfter = gateway.RateLimited, "rate_limited", httpcall.RetryAfter(answer.Header)
	case answer.Status == http.StatusBadRequest && a.Error == "unknown_recipient":
		e.Class, e.Code = gateway.Unreachable, "recipient_refused"
	case answer.Status == http.StatusBadRequest && readable:
		e.Class, e.Code = gateway.Permanent, "message_refused"
	}
	return gateway.Ack{}, e
}

// WebhookHandler implements [gateway.WebhookReceiver]. The provider posts receipts to it.
func (s *sender) WebhookHandler() http.Handler { return s.webhook }

// receipt checks a call's signature before it parses it. 200 means that the receipt is stored.
func (s *sender) receipt(r *http.Request, body []byte) int {
	h := hmac.New(sha256.New, []byte(s.settings.Key))
	_, _ = h.Write(body)
	if given, err := hex.DecodeString(r.Header.Get("X-Signature")); err != nil || !hmac.Equal(given, h.Sum(nil)) {
		return http.StatusUnauthorized
	}
	var c struct {
		Reference string
		Delivered time.Time
	}
	if json.Unmarshal(body, &c) != nil || c.Reference == "" || c.Delivered.IsZero() {
		return http.StatusBadRequest
	}
	if err := s.sink.Receipt(r.Context(), gateway.Receipt{Ref: c.Reference, Status: gateway.ReceiptDelivered, At: c.Delivered}); err != nil {
		s.log.Error("storing a receipt", "err", err)
		return http.StatusServiceUnavailable // the provider repeats the call
	}
	return http.StatusOK
}
