package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
)

// A sendBody is the body of a send.
type sendBody struct {
	To             string  `json:"to"`
	Channel        string  `json:"channel"`
	Message        string  `json:"message"`
	HTML           string  `json:"html"`
	Subject        string  `json:"subject"`
	Sandbox        bool    `json:"sandbox"`
	Sensitive      bool    `json:"sensitive"`
	Preset         string  `json:"preset"`
	SenderID       string  `json:"senderId"`
	ScheduledAt    *string `json:"scheduledAt"`
	ExpiresAt      *string `json:"expiresAt"`
	IdempotencyKey *string `json:"idempotencyKey"`

	PresetVariables map[string]string `json:"presetVariables"`

	MediaURL        string          `json:"mediaUrl"`
	Caption         string          `json:"caption"`
	GroupID         string          `json:"groupId"`
	Retry           json.RawMessage `json:"retry"`
	SandboxWebhooks *bool           `json:"sandboxWebhooks"`

	// Later additions.
	Email         string             `json:"email"`
	FallbackAfter *int64             `json:"fallbackAfter"` // in seconds
	DryRun        bool               `json:"dryRun"`
	WhatsApp      whatsapp           `json:"whatsapp"`
	Metadata      map[string]*string `json:"metadata"`

	// Legacy and ignored.
	Template json.RawMessage `json:"template"`
	Buttons  json.RawMessage `json:"buttons"`
}

// A whatsapp is the form of the message on WhatsApp.
type whatsapp struct {
	Template    *template            `json:"template"`
	Interactive *gateway.Interactive `json:"interactive"`
}

// A template is a template with Griot's own members.
type template struct {
	gateway.Template
	Category string `json:"category"`
}

type sendAnswer struct {
	Success         bool            `json:"success"`
	MessageID       string          `json:"messageId"`
	NotifMessageID  string          `json:"notifMessageId"`
	Channel         gateway.Channel `json:"channel"`
	To              string          `json:"to"`
	Status          message.Status  `json:"status"`
	MessagesUsed    int64           `json:"messagesUsed"`
	Limit           *int64          `json:"limit"` // null: unlimited
	Deduplicated    bool            `json:"deduplicated,omitempty"`
	PayloadMismatch bool            `json:"payloadMismatch,omitempty"`
	Warnings        []warning       `json:"warnings,omitempty"`
}

// send handles POST /api/send.
func (a *API) send(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var body sendBody
	var warnings []warning
	err := a.http.ReadJSON(w, r, func(raw []byte) (err error) {
		warnings, err = a.decodeSend(raw, &body)
		return err
	})
	if err != nil {
		return err
	}
	key, err := idempotencyKey(r, body.IdempotencyKey)
	if err != nil {
		return err
	}
	request, err := body.request(r, key)
	if err != nil {
		return err
	}
	if body.DryRun {
		return a.preview(w, r, c, request, warnings)
	}
	out, status, err := a.submit(r.Context(), c, request)
	if err != nil {
		return err
	}
	out.Warnings = warnings
	return httpx.WriteJSON(w, status, out)
}

// submit sends a request and returns the response's body and status.
func (a *API) submit(ctx context.Context, c *account.Caller, r *message.Request) (*sendAnswer, int, error) {
	res, err := a.o.Delivery.Submit(ctx, c, r)
	if err != nil {
		return nil, 0, a.withUpgrade(err)
	}
	return answerOf(res)
}

// request converts the body to a request with an idempotency key that was already parsed.
func (b *sendBody) request(r *http.Request, key string) (*message.Request, error) {
	scheduled, err := parseTime("scheduledAt", b.ScheduledAt)
	if err != nil {
		return nil, err
	}
	expires, err := parseTime("expiresAt", b.ExpiresAt)
	if err != nil {
		return nil, err
	}
	retry, err := parseRetry(b.Retry)
	if err != nil {
		return nil, err
	}
	metadata, err := parseMetadata(b.Metadata)
	if err != nil {
		return nil, err
	}
	sandbox, err := sandboxed(r, b.Sandbox)
	if err != nil {
		return nil, err
	}
	out := &message.Request{
		To: b.To, Channel: gateway.Channel(b.Channel), Content: message.Content{Text: b.Message, HTML: b.HTML, Subject: b.Subject, Interactive: b.WhatsApp.Interactive},
		Preset: b.Preset, Variables: b.PresetVariables, SenderID: b.SenderID, Sensitive: b.Sensitive, ScheduledAt: scheduled, ExpiresAt: expires,
		Sandbox: sandbox, IdempotencyKey: key, Source: source(r),
		MediaURL: b.MediaURL, Caption: b.Caption, GroupID: b.GroupID, Retry: retry, Email: b.Email, FallbackAfter: fallbackAfter(b.FallbackAfter),
		Metadata: metadata, Quiet: b.SandboxWebhooks != nil && !*b.SandboxWebhooks,
	}
	if t := b.WhatsApp.Template; t != nil {
		out.Content.Template, out.Content.Category = &t.Template, t.Category
	}
	return out, nil
}

// source returns the interface that a request came through. The command line also uses the API, and identifies itself.
func source(r *http.Request) message.Source {
	if strings.HasPrefix(r.UserAgent(), "griot-cli/") {
		return message.SourceCLI
	}
	return message.SourceAPI
}

// answerOf converts a result to a response (M49 to M51, M67 to M69). A failed message is an error.
func answerOf(res *delivery.Result) (*sendAnswer, int, error) {
	m := res.Message
	out := &sendAnswer{
		Success: true, MessageID: m.ID, NotifMessageID: m.NotificationID, Channel: m.Channel, To: m.To, Status: m.Status,
		MessagesUsed: res.Used, Limit: limitOf(res.Limit), Deduplicated: res.Deduplicated, PayloadMismatch: res.PayloadMismatch,
	}
	switch {
	case m.Status == message.Sending:
		out.Status = message.Queued // callers do not distinguish the two: accepted, and being sent
	case !res.Deduplicated && (m.Status == message.Delivered || m.Status == message.Read):
		out.Status = message.Sent // if a receipt was faster than this response, it is visible in the status endpoint
	}
	switch {
	case res.Deduplicated: // regardless of its status
		return out, http.StatusOK, nil
	case m.Status.HasFailed():
		e := apierror.ProviderError.Err().With("messageId", m.ID).With("notifMessageId", m.NotificationID).With("channel", m.Channel).
			With("to", m.To).With("status", m.Status).With("messagesUsed", res.Used).With("limit", out.Limit)
		if m.Failure != nil {
			e = e.Detailf("%s", m.Failure.Text()).With("reason", m.Failure.Code)
		}
		return nil, 0, e
	case m.Status.Open():
		return out, http.StatusAccepted, nil
	}
	return out, http.StatusOK, nil
}

// limitOf returns nil if there is no limit.
func limitOf(limit int64) *int64 {
	if limit == 0 {
		return nil
	}
	return &limit
}

// idempotencyKey returns the key from the header and the body (M65, M66), or "" if there is none.
func idempotencyKey(r *http.Request, member *string) (string, error) {
	keys := make([]string, 0, 2)
	for _, h := range r.Header.Values("Idempotency-Key") {
		keys = append(keys, headerText(h))
	}
	if member != nil {
		keys = append(keys, *member)
	}
	if len(keys) == 0 {
		return "", nil
	}
	for _, k := range keys {
		if err := message.CheckIdempotencyKey(k); err != nil {
			return "", err
		}
	}
	for _, k := range keys[1:] {
		if k != keys[0] {
			return "", apierror.IdempotencyMismatch.Err()
		}
	}
	return keys[0], nil
}

// headerText decodes a header's bytes as UTF-8, or as Latin-1 if they are not valid UTF-8.
func headerText(h string) string {
	if utf8.ValidString(h) {
		return h
	}
	runes := make([]rune, 0, len(h))
	for i := range len(h) {
		runes = append(runes, rune(h[i]))
	}
	return string(runes)
}

// parseMetadata requires that values are texts. Null means no metadata.
func parseMetadata(given map[string]*string) (message.Metadata, error) {
	if len(given) == 0 {
		return nil, nil //nolint:nilnil // missing metadata is not an error
	}
	out := make(message.Metadata, len(given))
	for name, s := range given {
		if s == nil {
			return nil, apierror.InvalidRequest.On("metadata").Detailf("metadata must be an object with string values.")
		}
		out[name] = *s
	}
	return out, nil
}
