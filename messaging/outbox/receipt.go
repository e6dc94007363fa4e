package outbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
)

// Limits of receipts whose messages are unknown.
const (
	earlyRetention = time.Hour
	maxEarly       = 10_000 // per gateway
)

// maxPartReceipts is the maximum number of stored reports for one message's parts.
const maxPartReceipts = 256

// An earlyRecord is the JSON of an early receipt in its column. It is preceded by two digits, the rank of its status,
// so that comparing two texts determines the receipt with the higher rank.
type earlyRecord struct {
	Status gateway.ReceiptStatus `json:"status"`
	At     int64                 `json:"at"`
	Class  gateway.Class         `json:"class,omitempty"`
	Code   string                `json:"code,omitempty"`
	Cause  string                `json:"providerCode,omitempty"`
	Price  message.Price         `json:"price,omitempty"`
}

func (e *EarlyReceipt) encode() string {
	t := earlyRecord{Status: e.Status, At: db.Ms(e.At), Price: e.Price}
	if e.Err != nil {
		t.Class, t.Code, t.Cause = e.Err.Class, e.Err.Code, e.Err.ProviderCode
	}
	b, err := json.Marshal(t)
	if err != nil {
		return "" // unreachable, because every field can be marshaled
	}
	return fmt.Sprintf("%02d%s", e.Rank, b)
}

func decodeEarly(ref, s string) (*EarlyReceipt, error) {
	var t earlyRecord
	var rank int
	if len(s) < 2 {
		return nil, fmt.Errorf("outbox: early receipt of %s", ref)
	}
	if _, err := fmt.Sscanf(s[:2], "%02d", &rank); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(s[2:]), &t); err != nil {
		return nil, err
	}
	e := &EarlyReceipt{Ref: ref, Status: t.Status, Rank: rank, At: db.At(t.At), Price: t.Price}
	if t.Class != "" {
		e.Err = &gateway.Error{Class: t.Class, Code: t.Code, ProviderCode: t.Cause}
	}
	return e, nil
}

// store stores a gateway's ID of a message, and returns the receipt that arrived before it.
func (r *ProviderRef) store(tx *db.Tx) (*EarlyReceipt, error) {
	var early sql.NullString
	var at int64
	since := r.CalledAt
	if r.Quoted { // people press buttons of old messages
		since = since.Add(inbox.Retention - refRetention)
	}
	_, err := tx.Row(`INSERT INTO provider_refs (gateway, provider_id, ref, at) VALUES ($1, $2, $3, $4)
 ON CONFLICT (gateway, provider_id) DO UPDATE SET ref = excluded.ref, early = CASE WHEN provider_refs.ref = '' AND provider_refs.at >= $5 THEN provider_refs.early END,
 at = excluded.at RETURNING early, at`, r.Gateway, r.ProviderID, r.Ref, db.Ms(since), db.Ms(r.CalledAt)).Scan(&early, &at)
	if err != nil || !early.Valid {
		return nil, err
	}
	return decodeEarly(r.Ref, early.String)
}

// ResolveReference returns our reference of the message that a gateway identifies by its own ID. If the ID is not
// known yet, it stores the receipt, and [Store.Apply] returns the receipt with the transition that stores the ID. If
// there are several receipts, it keeps the one with the highest rank.
func (s *Store) ResolveReference(ctx context.Context, gatewayName, providerID string, e *EarlyReceipt) (ref string, err error) {
	read := s.db.Read(ctx)
	if ref, err = message.ProviderRef(read, gatewayName, providerID); err != nil || ref != "" {
		return ref, err
	}
	var n int
	if _, err := read.Row(`SELECT count(*) FROM (SELECT 1 FROM provider_refs WHERE early IS NOT NULL AND ref = '' AND gateway = $1 LIMIT 10000) AS early`, gatewayName).Scan(&n); err != nil || n >= maxEarly {
		return "", err
	}
	text, at := e.encode(), db.Ms(s.now())
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Row(`INSERT INTO provider_refs (gateway, provider_id, ref, early, at) VALUES ($1, $2, '', $3, $4)
 ON CONFLICT (gateway, provider_id) DO UPDATE SET at = CASE WHEN provider_refs.ref = '' THEN excluded.at ELSE provider_refs.at END,
 early = CASE WHEN provider_refs.ref = '' AND (provider_refs.early IS NULL OR provider_refs.early < excluded.early) THEN excluded.early ELSE provider_refs.early END RETURNING ref`,
			gatewayName, providerID, text, at).Scan(&ref)
		return err
	})
	return ref, err
}

// EarlyReceipts lists up to n early receipts whose messages are now known, because a process might have died before it applied them.
func (s *Store) EarlyReceipts(ctx context.Context, n int) (out []*EarlyReceipt, err error) {
	err = s.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var ref, text string
		if err := rows.Scan(&ref, &text); err != nil {
			return err
		}
		e, err := decodeEarly(ref, text)
		out = append(out, e)
		return err
	}, `SELECT ref, early FROM provider_refs WHERE early IS NOT NULL AND ref > '' LIMIT CAST($1 AS BIGINT)`, n)
	return out, err
}

// DeleteEarlyReceipt deletes the early receipt of a reference, which has been applied.
func (s *Store) DeleteEarlyReceipt(ctx context.Context, ref string) error {
	return s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE provider_refs SET early = NULL WHERE early IS NOT NULL AND ref = $1`, ref)
		return err
	})
}

// AddPartReceipt stores a gateway's report of one part, or of the number of parts. For the former, parts is 0. For the
// latter, part is empty. A repeated report is stored once. AddPartReceipt returns the number of delivered parts, and
// the total, which is 0 if no report contains it. It counts after its commit, so if several nodes store reports at the
// same time, the last one counts all of them.
func (s *Store) AddPartReceipt(ctx context.Context, ref, part string, parts int) (delivered, total int, err error) {
	if err := s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO part_receipts (ref, part, total, at) SELECT $1, $2, $3, $4 WHERE (SELECT count(*) FROM part_receipts WHERE ref = $1) < $5
 ON CONFLICT (ref, part) DO UPDATE SET total = excluded.total`, ref, part, parts, db.Ms(s.now()), maxPartReceipts)
		return err
	}); err != nil {
		return 0, 0, err
	}
	_, err = s.db.Read(ctx).Row(`SELECT COALESCE(sum(CASE WHEN part > '' THEN 1 ELSE 0 END), 0), COALESCE(max(total), 0) FROM part_receipts WHERE ref = $1`, ref).Scan(&delivered, &total)
	return delivered, total, err
}
