package device

import (
	"context"
	"time"

	"go.mau.fi/whatsmeow/types"
)

// MarkRead tells a person that messages were read, by WhatsApp's ids of them.
func (d *Device) MarkRead(ctx context.Context, person string, ids []string, at time.Time) *Failure {
	if f := d.Down(); f != nil {
		return f
	}
	chat := types.NewJID(person, types.DefaultUserServer)
	lid, err := d.client.Store.LIDs.GetLIDForPN(ctx, chat)
	if err != nil {
		return &Failure{Class: Temporary, Code: "store_failed"}
	}
	if !lid.IsEmpty() { // WhatsApp calls the conversation by it
		chat = lid
	}
	if err := d.client.MarkRead(ctx, ids, at, chat, chat); err != nil {
		return &Failure{Class: Temporary, Code: "number_disconnected"}
	}
	return nil
}
