package outbox

import (
	"context"
	"strings"

	"example.com/griot/internal/db"
)

const (
	readyChannel = "griot_ready" // on which the ids of senders are sent
	maxNotified  = 100           // senders in one notification
)

// Notify sends the other nodes the ids of senders that have messages that are ready. A notification may be lost: then
// [Store.Senders] finds them.
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
