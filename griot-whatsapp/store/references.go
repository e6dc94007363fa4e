package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// kept is the retention period of references. The protocol requires at least 72 hours.
const kept = 96 * time.Hour

// ErrLease reports that this process has lost the number's lease, so nothing was written.
var ErrLease = errors.New("another process holds the number")

// Status is the known outcome of submitting a message.
type Status string

// The outcomes of submitting a message.
const (
	HandingOver Status = "handing_over" // stored before the submission; after a crash, the outcome is unknown
	Taken       Status = "taken"        // WhatsApp has acknowledged it
	Unknown     Status = "unknown"      // the acknowledgment was lost
)

// Reference is a message that was submitted or was about to be submitted.
type Reference struct {
	Reference string
	Number    string
	MessageID string
	Status    Status
	Recipient string // the recipient's number at WhatsApp; empty: the given number
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

// Begin stores a reference before its message is submitted. If the reference is already stored, Begin returns it
// instead. If another process has the lease, Begin writes nothing, because that process decides.
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

// Finish stores the outcome of a submission. It does not change Taken, because a receipt can arrive before the acknowledgment.
func (s *Store) Finish(ctx context.Context, reference string, status Status) error {
	return s.exec(ctx, `UPDATE griot_references SET status = $1 WHERE reference = $2 AND status <> $3`, string(status), reference, string(Taken))
}

// Forget deletes a reference whose message was certainly not submitted.
func (s *Store) Forget(ctx context.Context, reference string) error {
	return s.exec(ctx, `DELETE FROM griot_references WHERE reference = $1`, reference)
}

// Reference returns the stored reference, or nil.
func (s *Store) Reference(ctx context.Context, reference string) (*Reference, error) {
	return scanReference(s.row(ctx, selectReference+`reference = $1`, reference))
}

// ByMessageID returns the reference of a message that a number has sent, or nil.
func (s *Store) ByMessageID(ctx context.Context, number, messageID string) (*Reference, error) {
	return scanReference(s.row(ctx, selectReference+`number = $1 AND message_id = $2`, number, messageID))
}

// Maintain deletes data whose retention period has ended.
func (s *Store) Maintain(ctx context.Context) error {
	before := `< ` + s.clock() + ` - $1`
	return errors.Join(
		s.sweepMedia(ctx),
		s.exec(ctx, `DELETE FROM griot_pairs WHERE confirmed_ms `+before, pairKept.Milliseconds()),
		s.exec(ctx, `DELETE FROM griot_references WHERE taken_ms `+before, kept.Milliseconds()),
		s.exec(ctx, `DELETE FROM griot_questions WHERE asked_ms `+before, kept.Milliseconds()))
}
