package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/otp"
)

// An otpBody is the body of a request for a code. A null field is treated as missing.
type otpBody struct {
	To             string  `json:"to"`
	Channel        *string `json:"channel"`
	App            string  `json:"app"`
	Locale         *string `json:"locale"`
	Length         *int    `json:"length"`
	TTLSeconds     *int64  `json:"ttlSeconds"`
	Sandbox        bool    `json:"sandbox"`
	IdempotencyKey *string `json:"idempotencyKey"`
}

type otpAnswer struct {
	Success         bool            `json:"success"`
	ChallengeID     string          `json:"challengeId"`
	ExpiresAt       int64           `json:"expiresAt"` // in Unix milliseconds
	Channel         gateway.Channel `json:"channel"`
	MessageID       string          `json:"messageId"`
	MessagesUsed    int64           `json:"messagesUsed"`
	Limit           *int64          `json:"limit"` // null: unlimited
	Deduplicated    bool            `json:"deduplicated,omitempty"`
	PayloadMismatch bool            `json:"payloadMismatch,omitempty"`
	Warnings        []warning       `json:"warnings,omitempty"`
}

// otpSend handles POST /api/otp/send.
func (a *API) otpSend(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	body, err := a.otpBody(w, r)
	if err != nil {
		return err
	}
	key, err := idempotencyKey(r, body.IdempotencyKey)
	if err != nil {
		return err
	}
	if body.Sandbox, err = sandboxed(r, body.Sandbox); err != nil {
		return err
	}
	issued, err := a.o.OTP.Issue(r.Context(), c, body.request(key))
	if err != nil {
		return a.withUpgrade(err)
	}
	sent, status, err := answerOf(issued.Send)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, status, otpAnswer{
		Success: true, ChallengeID: issued.ChallengeID, ExpiresAt: issued.ExpiresAt.UnixMilli(), Channel: sent.Channel, MessageID: sent.MessageID,
		MessagesUsed: sent.MessagesUsed, Limit: sent.Limit, Deduplicated: sent.Deduplicated, PayloadMismatch: issued.PayloadMismatch, Warnings: unknownLength(body.To),
	})
}

// otpBody parses the body. It refuses unknown fields, because a caller that schedules or retries a code must not
// assume that this works.
func (a *API) otpBody(w http.ResponseWriter, r *http.Request) (*otpBody, error) {
	if httpx.MediaType(r) != httpx.TypeJSON {
		return nil, apierror.UnsupportedMediaType.Err()
	}
	raw, err := a.http.ReadBody(w, r)
	if err != nil {
		return nil, err
	}
	var body otpBody
	if err := a.http.DecodeBytes(raw, &body); err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := a.http.DecodeBytes(raw, &members); err != nil {
		return nil, err
	}
	for name := range members {
		if slices.Contains([]string{"to", "channel", "app", "locale", "length", "ttlSeconds", "sandbox", "idempotencyKey"}, name) {
			continue
		}
		if i := slices.IndexFunc(notForCodes(), func(known string) bool { return strings.EqualFold(known, name) }); i >= 0 {
			return nil, apierror.InvalidRequest.On(notForCodes()[i]).Detailf("%s can't be used with one-time codes.", notForCodes()[i])
		}
		return nil, apierror.InvalidRequest.Err().Detailf("The request has a field that can't be used with one-time codes.")
	}
	return &body, nil
}

// notForCodes returns the fields of /api/send that can be named in an error because they are not secret.
func notForCodes() []string {
	return []string{
		"scheduledAt", "expiresAt", "retry", "message", "html", "subject", "preset", "presetVariables", "sensitive", "senderId", "mediaUrl", "caption",
		"groupId", "sandboxWebhooks", "template", "buttons", "email", "fallbackAfter", "metadata", "dryRun", "whatsapp", "code", "ttl", "challengeId",
	}
}

func (b *otpBody) request(key string) *otp.Request {
	out := otp.NewRequest()
	out.To, out.App, out.IdempotencyKey, out.Sandbox = b.To, b.App, key, b.Sandbox
	if b.Channel != nil {
		out.Channel = gateway.Channel(*b.Channel)
	}
	if b.Locale != nil {
		out.Locale = *b.Locale
	}
	if b.Length != nil {
		out.Length = *b.Length
	}
	if b.TTLSeconds != nil {
		out.TTL = time.Duration(min(max(*b.TTLSeconds, 0), 1<<20)) * time.Second // values out of bounds stay out of bounds
	}
	return out
}

type verifyBody struct {
	ChallengeID string `json:"challengeId"`
	To          string `json:"to"`
	Code        string `json:"code"`
	Sandbox     bool   `json:"sandbox"`
}

type verifyAnswer struct {
	Valid bool `json:"valid"`
}

// otpVerify handles POST /api/otp/verify.
func (a *API) otpVerify(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var body verifyBody
	if err := a.http.DecodeJSON(w, r, &body); err != nil {
		return err
	}
	var err error
	if body.Sandbox, err = sandboxed(r, body.Sandbox); err != nil {
		return err
	}
	guess := &otp.Guess{ChallengeID: body.ChallengeID, To: body.To, Code: body.Code, Sandbox: body.Sandbox}
	if err := a.o.OTP.Verify(r.Context(), c, guess); err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, verifyAnswer{Valid: true})
}
