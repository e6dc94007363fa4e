package griot

import (
	"context"
	"net/http"
	"time"
)

// CodeRequest asks for a one-time code to be sent. Only To has to be there.
type CodeRequest struct {
	To         string  `json:"to"`
	Channel    Channel `json:"channel,omitempty"`    // WhatsApp, SMS, or Auto; empty: Auto
	App        string  `json:"app,omitempty"`        // who asks for the code; an https origin lets browsers fill it in
	Locale     string  `json:"locale,omitempty"`     // fr or en; empty: fr
	Length     int     `json:"length,omitempty"`     // digits, 4 to 8; 0: six
	TTLSeconds int     `json:"ttlSeconds,omitempty"` // how long it works, 60 to 900; 0: five minutes
	Sandbox    bool    `json:"sandbox,omitempty"`

	IdempotencyKey string `json:"idempotencyKey,omitempty"` // empty: a new one
}

// Challenge is a code that was sent. Only the recipient gets the code itself.
type Challenge struct {
	Answer
	ChallengeID     string  `json:"challengeId"`
	ExpiresAt       int64   `json:"expiresAt"` // Unix milliseconds
	Channel         Channel `json:"channel"`   // that was used
	MessageID       string  `json:"messageId"`
	MessagesUsed    int64   `json:"messagesUsed"`
	Limit           int64   `json:"limit"` // the day's; 0: none
	Deduplicated    bool    `json:"deduplicated"`
	PayloadMismatch bool    `json:"payloadMismatch"`
}

// Expires is when the code stops working.
func (c *Challenge) Expires() time.Time { return time.UnixMilli(c.ExpiresAt) }

// SendCode sends a one-time code, once. otp_rate_limited is the code of the error
// when a number has asked three times in ten minutes.
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
		out.Deduplicated = false // only this call's tries had the key
	}
	return out, nil
}

// Guess is what a person typed: for a challenge, or for the latest code of a number.
type Guess struct {
	ChallengeID string `json:"challengeId,omitempty"`
	To          string `json:"to,omitempty"`
	Code        string `json:"code"`
	Sandbox     bool   `json:"sandbox,omitempty"` // of a challenge that was asked for with Sandbox: its code is zeros
}

type verifyResult struct {
	Answer
	Valid bool `json:"valid"`
}

// VerifyCode returns nil once, for the right code. A wrong one is an [*Error] with
// the code invalid_code, expired, too_many_attempts, or not_found. A guess counts,
// so one whose answer was lost is not repeated: it ends as an
// [*UnansweredError], and the person asks for another code.
func (c *Client) VerifyCode(ctx context.Context, g *Guess) error {
	return c.do(ctx, call{method: http.MethodPost, path: "/api/otp/verify", in: g, once: true}, &verifyResult{})
}
