package outbox

import (
	"context"
	"strings"

	"griot/internal/db"
)

const (
	readyChannel = "griot_ready" // on which the ids of senders are sent
	notifyMost   = 100           // of one notification
)

// Notify lets the other nodes hear at once that senders have messages which wait for their turn. It is no promise:
// who does not hear it finds them by [Store.Senders].
func (s *Store) Notify(ctx context.Context, senders []string) error {
	return s.db.Write(ctx, func(tx *db.Tx) error {
		return tx.Notify(readyChannel, strings.Join(senders[:min(len(senders), notifyMost)], ","))
	})
}

// Listen calls ready with the senders that other nodes notify of, until ctx or its connection ends.
func (s *Store) Listen(ctx context.Context, ready func(senderID string)) error {
	return s.db.Listen(ctx, readyChannel, func(payload string) {
		for senderID := range strings.SplitSeq(payload, ",") {
			ready(senderID)
		}
	})
}
