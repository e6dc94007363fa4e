package store

import (
	"context"
	"database/sql"
	"errors"
)

// SaveMedia stores the location of an attachment before its event is added. It returns false if the maximum number of
// attachments is reached. The source is encrypted.
func (s *Store) SaveMedia(ctx context.Context, id, number, eventID string, source []byte) (bool, error) {
	return s.changed(ctx, `INSERT INTO griot_media (id, number, event_id, source, kept_ms) SELECT $1, $2, $3, $4, `+s.clock()+` WHERE (SELECT COUNT(*) FROM griot_media) < $5
		ON CONFLICT (id) DO UPDATE SET kept_ms = excluded.kept_ms`, id, number, eventID, source, s.limits.Media)
}

// Media returns the number that received an attachment and the attachment's location. The number is "" if the
// attachment is unknown or was deleted.
func (s *Store) Media(ctx context.Context, id string) (number string, source []byte, err error) {
	err = s.row(ctx, `SELECT number, source FROM griot_media WHERE id = $1`, id).Scan(&number, &source)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil, nil
	}
	return number, source, err
}

// keepMedia starts the retention period of the attachments of events that Griot has received. of is the condition for the events.
func (s *Store) keepMedia(ctx context.Context, of string) error {
	return s.exec(ctx, `UPDATE griot_media SET kept_ms = `+s.clock()+` WHERE event_id IN (SELECT id FROM griot_events`+of+`)`)
}

// sweepMedia deletes the attachments whose retention period has ended. It keeps those whose events still wait.
func (s *Store) sweepMedia(ctx context.Context) error {
	return s.exec(ctx, `DELETE FROM griot_media WHERE kept_ms < `+s.clock()+` - $1 AND NOT EXISTS (SELECT 1 FROM griot_events e WHERE e.id = griot_media.event_id)`, s.limits.MediaKept.Milliseconds())
}
