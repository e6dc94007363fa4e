package cloudapi

import (
	"context"
	"encoding/json"
	"net/http"

	"example.com/griot/gateway"
)

// readMark is the body of POST /{phone-number-id}/messages that sends a read receipt.
type readMark struct {
	MessagingProduct string `json:"messaging_product"`
	Status           string `json:"status"`
	MessageID        string `json:"message_id"`
}

// MarkRead implements [gateway.Reader]. It sends only the newest message's ID, because the API also marks the earlier messages.
func (s *sender) MarkRead(ctx context.Context, r *gateway.Read) error {
	from, ok := s.settings.byNumber[r.From]
	if !ok {
		return &gateway.Error{Class: gateway.SenderDown, Code: "sender_unknown"}
	}
	if r.Channel != gateway.WhatsApp || len(r.IDs) == 0 {
		return &gateway.Error{Class: gateway.Permanent, Code: "message_invalid"}
	}
	body, err := json.Marshal(readMark{MessagingProduct: "whatsapp", Status: "read", MessageID: r.IDs[len(r.IDs)-1]})
	if err != nil {
		return &gateway.Error{Class: gateway.Permanent, Code: "message_invalid"}
	}
	_, failure := s.Call(ctx, s.request(http.MethodPost, from+"/messages", "application/json", body), answerError)
	if failure == nil {
		return nil
	}
	if failure.Class.HandedOver() { // repeating a read receipt is harmless
		failure.Class = gateway.Temporary
	}
	return failure
}
