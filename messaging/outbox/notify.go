package outbox

import (
	"context"
	"strings"

	"example.com/griot/internal/db"
)

const (
	readyChannel = "griot_ready" // the channel for the IDs of senders
	maxNotified  = 100           // senders in one notification
)

// Notify sends the other nodes the IDs of senders with ready messages. If a notification is lost, [Store.Senders] finds the senders.
func (s *Store) Notify(ctx context.Context, senders []string) error {
	return s.db.Write(ctx, func(tx *db.Tx) error {
		return tx.Notify(readyChannel, strings.Join(senders[:min(len(senders), maxNotified)], ","))
	})
}

// Listen calls ready with the senders of each notification, until ctx or its connection ends.
func (s *Store) Listen(ctx context.Context, ready func(senderID string)) error {
	return s.db.Listen(ctx, readyChannel, func(payload string) {
		for senderID := range strings.SplitSeq(payload, ",") {
			ready(senderID)
		}
	})
}
