package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// kept is how long a reference is kept: the protocol wants 72 hours at least.
const kept = 96 * time.Hour

// ErrLease says that the number's lease is not this process's any more, so that nothing was written.
var ErrLease = errors.New("another process holds the number")

// Status says what is known of a message that was handed over.
type Status string

// What can be known of a message.
const (
	HandingOver Status = "handing_over" // written before the hand-over; after a crash nobody knows more
	Taken       Status = "taken"        // WhatsApp has acknowledged it
	Unknown     Status = "unknown"      // the acknowledgment was lost
)

// Reference is a message that was handed over, or was about to be.
type Reference struct {
	Reference string
	Number    string
	MessageID string
	Status    Status
	Recipient string // the recipient's number at WhatsApp; empty: the number as it was given
}

const selectReference = `SELECT reference, number, message_id, status, recipient FROM griot_references WHERE `

func scanReference(row *sql.Row) (*Reference, error) {
	var r Reference
	err := row.Scan(&r.Reference, &r.Number, &r.MessageID, &r.Status, &r.Recipient)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &r, err
}

// Begin writes a reference before its message is handed over. A reference that is known already is returned instead. It
// writes nothing once the lease is another's: who holds the number then decides.
func (s *Store) Begin(ctx context.Context, lease *Lease, reference, messageID, recipient string) (*Reference, error) {
	added, err := s.changed(ctx, `INSERT INTO griot_references (reference, number, message_id, status, taken_ms, recipient)
		SELECT $1, $2, $3, $4, `+s.clock()+`, $6 FROM griot_leases WHERE number = $2 AND epoch = $5 AND until_ms >= `+s.clock()+` ON CONFLICT (reference) DO NOTHING`,
		reference, lease.Number, messageID, string(HandingOver), lease.Epoch, recipient)
	if err != nil || added {
		return nil, err
	}
	known, err := s.Reference(ctx, reference)
	if err == nil && known == nil {
		err = ErrLease
	}
	return known, err
}

// Finish stores what became of a hand-over. What was taken stays so: a receipt may be faster than the acknowledgment.
func (s *Store) Finish(ctx context.Context, reference string, status Status) error {
	return s.exec(ctx, `UPDATE griot_references SET status = $1 WHERE reference = $2 AND status <> $3`, string(status), reference, string(Taken))
}

// Forget takes back a reference whose message surely was not handed over.
func (s *Store) Forget(ctx context.Context, reference string) error {
	return s.exec(ctx, `DELETE FROM griot_references WHERE reference = $1`, reference)
}

// Reference returns what is known of a reference, or nil.
func (s *Store) Reference(ctx context.Context, reference string) (*Reference, error) {
	return scanReference(s.row(ctx, selectReference+`reference = $1`, reference))
}

// ByMessageID returns the reference of a message that a number has sent, or nil.
func (s *Store) ByMessageID(ctx context.Context, number, messageID string) (*Reference, error) {
	return scanReference(s.row(ctx, selectReference+`number = $1 AND message_id = $2`, number, messageID))
}

// Maintain deletes what has been kept long enough.
func (s *Store) Maintain(ctx context.Context) error {
	before := `< ` + s.clock() + ` - $1`
	return errors.Join(
		s.sweepMedia(ctx),
		s.exec(ctx, `DELETE FROM griot_references WHERE taken_ms `+before, kept.Milliseconds()),
		s.exec(ctx, `DELETE FROM griot_questions WHERE asked_ms `+before, kept.Milliseconds()))
}
