package cloudapi

import (
	"cmp"
	"context"
	"encoding/json"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
)

// status is the status of a message that we sent.
type status struct {
	ID            word            `json:"id"`
	Status        word            `json:"status"`
	At            httpcall.Moment `json:"timestamp"`
	Callback      word            `json:"biz_opaque_callback_data"`
	RecipientType word            `json:"recipient_type"`
	Recipient     word            `json:"recipient_id"`
	RecipientID   word            `json:"recipient_user_id"`
	Parent        word            `json:"recipient_parent_user_id"`
	OldParent     word            `json:"parent_recipient_user_id"` // the name until May 2026
	Errors        list            `json:"errors"`
	Pricing       *struct {
		Billable flag `json:"billable"`
		Category word `json:"category"`
		Type     word `json:"type"`
	} `json:"pricing"`
}

var receiptStatuses = map[word]gateway.ReceiptStatus{
	"sent":      gateway.ReceiptSent,
	"delivered": gateway.ReceiptDelivered,
	"read":      gateway.ReceiptRead,
	"played":    gateway.ReceiptRead,
	"failed":    gateway.ReceiptFailed,
}

// status passes the status of a message to the sink.
func (s *sender) status(ctx context.Context, of *report, raw json.RawMessage) error {
	var m status
	if !read(raw, &m) || m.ID == "" && m.Callback == "" {
		s.drop("status", gateway.UnhandledUnreadable, 1)
		return nil
	}
	r := gateway.Receipt{Ref: string(m.Callback), ProviderID: string(m.ID), Status: receiptStatuses[m.Status], At: m.At.Or(s.now(), s.log), Pricing: m.pricing()}
	switch r.Status {
	case "": // "deleted" and "warning", of which a message's sender learns nothing, and unknown ones
		s.drop("status_"+string(m.Status), gateway.UnhandledKind, 1)
		return nil
	case gateway.ReceiptFailed:
		var e apiError
		if len(m.Errors) == 0 || !read(m.Errors[0], &e) {
			e = apiError{} // failed without a known reason
		}
		r.Err = codeError(e)
		s.slowDown(of.to, r.Err)
	case gateway.ReceiptSent, gateway.ReceiptDelivered, gateway.ReceiptRead:
	}
	if m.RecipientType != "group" {
		p := of.complete(personOf(m.Recipient, m.RecipientID, cmp.Or(m.Parent, m.OldParent)), len(of.Statuses) == 1)
		r.Recipient, r.Person = p.number, p.in(of.portfolio)
	}
	return s.sink.Receipt(ctx, r)
}

// pricing returns what a status reports about the price of its message, or nil. Without billable, which newer versions
// omit, the type decides.
func (m *status) pricing() *gateway.Pricing {
	if m.Pricing == nil {
		return nil
	}
	p := &gateway.Pricing{Billable: m.Pricing.Billable.set, Category: gateway.PricingCategory(string(m.Pricing.Category))}
	if !m.Pricing.Billable.known {
		p.Billable = m.Pricing.Type == "regular"
	}
	if !m.Pricing.Billable.known && m.Pricing.Type == "" && p.Category == "" {
		return nil
	}
	return p
}
