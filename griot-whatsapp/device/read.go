package device

import (
	"context"
	"time"

	"go.mau.fi/whatsmeow/types"
)

// MarkRead sends a read receipt to a person, for messages with the given WhatsApp IDs. The ID identifies the person if it is known.
func (d *Device) MarkRead(ctx context.Context, person Person, ids []string, at time.Time) *Failure {
	if f := d.Down(); f != nil {
		return f
	}
	chat, f := d.address(ctx, person)
	if f != nil {
		return f
	}
	if chat.Server == types.DefaultUserServer { // WhatsApp identifies the conversation by the internal ID
		lid, err := d.client.Store.LIDs.GetLIDForPN(ctx, chat)
		if err != nil {
			return &Failure{Class: Temporary, Code: "store_failed"}
		}
		if !lid.IsEmpty() {
			chat = lid
		}
	}
	if err := d.client.MarkRead(ctx, ids, at, chat, chat); err != nil {
		return &Failure{Class: Temporary, Code: "number_disconnected"}
	}
	return nil
}
