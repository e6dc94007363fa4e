package api

import (
	"net/http"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

// A previewAnswer is the response to a dry run.
type previewAnswer struct {
	Success    bool            `json:"success"`
	DryRun     bool            `json:"dryRun"`
	Channel    gateway.Channel `json:"channel"` // the channel that would be tried first
	To         string          `json:"to"`
	Sandbox    bool            `json:"sandbox"`
	Characters int             `json:"characters"`
	Segments   *int            `json:"segments"` // null if no route uses SMS
	Encoding   *string         `json:"encoding"` // GSM-7 or UCS-2; null if no route uses SMS
	Route      []previewRoute  `json:"route"`

	MessagesUsed int64     `json:"messagesUsed"`
	Limit        *int64    `json:"limit"`
	Remaining    *int64    `json:"remaining"` // null if there is no limit
	Warnings     []warning `json:"warnings,omitempty"`
}

type previewRoute struct {
	Channel  gateway.Channel `json:"channel"`
	SenderID string          `json:"senderId"`
	From     string          `json:"from"`
}

// preview handles POST /api/send with dryRun.
func (a *API) preview(w http.ResponseWriter, r *http.Request, c *account.Caller, request *message.Request, warnings []warning) error {
	p, err := a.o.Delivery.Preview(r.Context(), c, request)
	if err != nil {
		return err
	}
	out := previewAnswer{
		Warnings: warnings, Success: true, DryRun: true, Channel: p.Message.Channel, To: p.Message.To, Sandbox: request.Sandbox,
		Characters: utf8.RuneCountInString(p.Message.Content.Text), Route: make([]previewRoute, 0, len(p.Routes)), MessagesUsed: p.Used, Limit: limitOf(p.Limit),
	}
	for _, by := range p.Routes {
		out.Route = append(out.Route, previewRoute{by.Channel, by.SenderID, phone.Shown(by.From)})
	}
	if p.SMS != nil {
		out.Segments, out.Encoding = &p.SMS.Count, textOrNull(string(p.SMS.Encoding))
	}
	if p.Limit > 0 {
		left := max(p.Limit-p.Used, 0)
		out.Remaining = &left
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}
