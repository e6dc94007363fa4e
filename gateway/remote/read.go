package remote

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"example.com/griot/gateway"
)

// MarkRead implements [gateway.Reader]. It does nothing if the gateway's info does not include read
// receipts, or if only the person's ID is known and the info does not include IDs.
func (s *sender) MarkRead(ctx context.Context, r *gateway.Read) error {
	if !slices.Contains(s.settings.Channels, r.Channel) {
		return &gateway.Error{Class: gateway.Permanent, Code: "channel_unsupported"}
	}
	if failure := s.ensureInfo(ctx); failure != nil {
		return failure
	}
	s.mu.Lock()
	takes, ids := s.info.Read, s.info.IDs
	s.mu.Unlock()
	mark := Read{Channel: string(r.Channel), From: r.From, To: r.To, IDs: r.IDs, At: r.At.UTC()}
	if ids {
		mark.ToID = r.ToID
	}
	if !takes || mark.To == "" && mark.ToID == "" {
		return nil
	}
	body, err := json.Marshal(mark)
	if err != nil {
		return &gateway.Error{Class: gateway.Permanent, Code: "message_invalid"}
	}
	answer, failure := s.call(ctx, http.MethodPost, "/read", body)
	if failure == nil && answer.Status == http.StatusOK {
		return nil
	}
	if failure == nil {
		failure = answerError(answer)
	}
	if failure.Class.HandedOver() { // repeating a read receipt is harmless
		failure.Class = gateway.Temporary
	}
	return failure
}
