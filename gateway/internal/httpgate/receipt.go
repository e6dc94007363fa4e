package httpgate

import (
	"context"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/gateway/internal/smscreport"
)

// ignored is the status of receipts that are not stored.
const ignored = "ignored"

// failure returns the error for a status of the settings that is a failure. failed is false for any other status.
func failure(status string) (e *gateway.Error, failed bool) {
	switch status {
	case string(gateway.ReceiptFailed):
		return &gateway.Error{Class: gateway.Permanent, Code: "delivery_failed"}, true
	case "opted_out": // SMS: the person is on the gateway's list of opt-outs
		return &gateway.Error{Class: gateway.Unreachable, Code: gateway.CodeOptedOut}, true
	case "bounced": // email: the address is permanently refused
		return &gateway.Error{Class: gateway.Unreachable, Code: "bounced"}, true
	case "bounced_for_now": // the address might still be valid
		return &gateway.Error{Class: gateway.Temporary, Code: "bounced_for_now"}, true
	case "complained": // the person reported it as spam
		return &gateway.Error{Class: gateway.Unreachable, Code: "complained"}, true
	case "suppressed": // the gateway no longer writes to the address
		return &gateway.Error{Class: gateway.Unreachable, Code: "suppressed"}, true
	case "unsubscribed": // the person has unsubscribed
		return &gateway.Error{Class: gateway.Unreachable, Code: "unsubscribed"}, true
	}
	return nil, false
}

// receipt stores a receipt.
func (g *Gateway) receipt(ctx context.Context, h *WebhookSettings, c Event) error {
	word := strings.ToLower(c.joined(h, "status"))
	r := gateway.Receipt{Ref: c.Field(h, "ref"), ProviderID: strings.TrimSpace(c.Field(h, "id")), At: g.EventTime(h, c)}
	if r.Ref != "" && !gateway.IsRef(r.Ref, maxRef) {
		r.Ref = "" // it belongs to a message that another program sent
	}
	if word == "" || r.Ref == "" && r.ProviderID == "" || len(r.ProviderID) > MaxID || HasControl(r.ProviderID) {
		return ErrInvalidEvent
	}
	if fields, _ := smscreport.Parse([]byte(c.Field(h, "report"))); fields.State != "" {
		return g.reportedReceipt(ctx, r, fields, h.statuses[strings.ToLower(fields.State+" "+fields.Err)])
	}
	status := h.status(word)
	if status == ignored {
		return nil
	}
	r.Status = gateway.ReceiptStatus(status)
	if e, failed := failure(status); failed {
		e.ProviderCode = httpcall.ProviderCode(c.Field(h, "error"))
		r.Status, r.Err = gateway.ReceiptFailed, e
	}
	return g.sink.Receipt(ctx, r)
}

// reportedReceipt stores a receipt with the state in the SMS center's own report, which is more exact than the gateway's
// status. exact is the meaning of the state with its error code, if the settings have it.
func (g *Gateway) reportedReceipt(ctx context.Context, r gateway.Receipt, fields smscreport.Fields, exact string) error {
	told, ok := smscreport.Receipt(fields.State, fields.Err)
	if !ok {
		return nil // such as UNKNOWN
	}
	r.Status, r.Err = told.Status, told.Err
	if e, failed := failure(exact); failed && r.Err != nil {
		e.ProviderCode, r.Err = r.Err.ProviderCode, e
	}
	return g.sink.Receipt(ctx, r)
}

// status returns the status for the gateway's own status: by its whole text, or by the longest matching prefix ("esme_*").
func (h *WebhookSettings) status(word string) string {
	if status, ok := h.statuses[word]; ok {
		return status
	}
	best, status := -1, ignored
	for pattern, means := range h.statuses {
		if start, ok := strings.CutSuffix(pattern, "*"); ok && strings.HasPrefix(word, start) && len(start) > best {
			best, status = len(start), means
		}
	}
	return status
}

// EventTime returns the time of an event, or the current time if the event has no plausible one. Unix times are
// recognized in any unit, whatever the settings say.
func (g *Gateway) EventTime(h *WebhookSettings, c Event) time.Time {
	if h.Fields["at"] == "" { // the gateway reports no times
		return g.now()
	}
	var layouts []string
	switch h.AtFormat {
	case "", "rfc3339", "unix", "unix_ms":
	default:
		layouts = []string{h.AtFormat}
	}
	return httpcall.Moment(c.Field(h, "at")).Or(g.now(), g.log, layouts...)
}
