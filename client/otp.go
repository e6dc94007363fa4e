package griot

import (
	"context"
	"net/http"
	"time"
)

// A CodeRequest is a request to send a one-time code. Only To is required.
type CodeRequest struct {
	To         string  `json:"to"`
	Channel    Channel `json:"channel,omitempty"`    // WhatsApp, SMS, or Auto; empty: Auto
	App        string  `json:"app,omitempty"`        // the name of the application; with an HTTPS origin, browsers can fill in the code
	Locale     string  `json:"locale,omitempty"`     // fr or en; empty: fr
	Length     int     `json:"length,omitempty"`     // number of digits, 4 to 8; 0: 6
	TTLSeconds int     `json:"ttlSeconds,omitempty"` // lifetime of the code, 60 to 900 seconds; 0: 300
	Sandbox    bool    `json:"sandbox,omitempty"`

	IdempotencyKey string `json:"idempotencyKey,omitempty"` // empty: a new key
}

// A Challenge is a code that was sent. Only the recipient gets the code itself.
type Challenge struct {
	Answer
	ChallengeID     string    `json:"challengeId"`
	ExpiresAt       int64     `json:"expiresAt"` // in Unix milliseconds
	Channel         Channel   `json:"channel"`   // the channel in use
	MessageID       string    `json:"messageId"`
	MessagesUsed    int64     `json:"messagesUsed"`
	Limit           int64     `json:"limit"` // the daily quota; 0: unlimited
	Deduplicated    bool      `json:"deduplicated"`
	PayloadMismatch bool      `json:"payloadMismatch"`
	Warnings        []Warning `json:"warnings"` // doubts about the number
}

// Expires returns the time at which the code expires.
func (c *Challenge) Expires() time.Time { return time.UnixMilli(c.ExpiresAt) }

// SendCode sends a one-time code, once. If three codes were requested for a number within ten minutes, the error has
// the code otp_rate_limited.
func (c *Client) SendCode(ctx context.Context, r *CodeRequest) (*Challenge, error) {
	made := *r
	if made.Channel == "" {
		made.Channel = Auto
	}
	if made.IdempotencyKey == "" {
		made.IdempotencyKey = newKey()
	}
	out, err := fetch[Challenge](ctx, c, call{method: http.MethodPost, path: "/api/otp/send", in: &made, key: made.IdempotencyKey})
	if err != nil {
		return nil, err
	}
	if r.IdempotencyKey == "" {
		out.Deduplicated = false // only the tries of this call use the key
	}
	return out, nil
}

// A Guess is a code that a person typed. It is for a challenge, or for the latest code of a number.
type Guess struct {
	ChallengeID string `json:"challengeId,omitempty"`
	To          string `json:"to,omitempty"`
	Code        string `json:"code"`
	Sandbox     bool   `json:"sandbox,omitempty"` // the challenge was requested with Sandbox; its code consists of zeros
}

type verifyResult struct {
	Answer
	Valid bool `json:"valid"`
}

// VerifyCode returns nil if the code is correct, once for each code. For a wrong code, it returns an [*Error] with
// the code invalid_code, expired, too_many_attempts, or not_found. The service counts every guess, so VerifyCode does
// not retry if a response is lost. It returns an [*UnansweredError], and the person must request another code.
func (c *Client) VerifyCode(ctx context.Context, g *Guess) error {
	return c.do(ctx, call{method: http.MethodPost, path: "/api/otp/verify", in: g, once: true}, &verifyResult{})
}
