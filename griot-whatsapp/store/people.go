package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"
)

// NoteWriter records that a person has written to a number and is therefore not a stranger. The person is a phone number or an ID.
func (s *Store) NoteWriter(ctx context.Context, number, person string) error {
	if has, err := s.HasWritten(ctx, number, person); err != nil || has { // most people write again, and reading waits for no one
		return err
	}
	return s.exec(ctx, `INSERT INTO griot_writers (number, person) VALUES ($1, $2) ON CONFLICT (number, person) DO NOTHING`, number, person)
}

// HasWritten reports whether a person has written to a number.
func (s *Store) HasWritten(ctx context.Context, number, person string) (has bool, err error) {
	err = s.row(ctx, `SELECT EXISTS (SELECT 1 FROM griot_writers WHERE number = $1 AND person = $2)`, number, person).Scan(&has)
	return has, err
}

// Pair is a phone number that WhatsApp has reported together with an ID.
type Pair struct {
	ID, Phone string
}

// pairKept is the time for which a pair is kept after its last confirmation. A LID outlives its number, so an older pair
// might be that of the number's previous owner.
const pairKept = 30 * 24 * time.Hour

// Confirm stores that WhatsApp has reported pairs now. It returns those whose ID has written to the number and whose phone
// number has not: their messages were those of an unknown number.
func (s *Store) Confirm(ctx context.Context, number string, pairs []Pair) (hidden []Pair, err error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()                                               // after Commit, it does nothing
	slices.SortFunc(pairs, func(a, b Pair) int { return strings.Compare(a.ID, b.ID) }) // processes lock the rows in one order
	for _, p := range pairs {
		if _, err := tx.ExecContext(ctx, s.db.Query(`DELETE FROM griot_pairs WHERE phone = $1 AND id <> $2`), p.Phone, p.ID); err != nil {
			return nil, err
		}
		if _, err := tx.ExecContext(ctx, s.db.Query(`INSERT INTO griot_pairs (id, phone, confirmed_ms) VALUES ($1, $2, `+s.clock()+`)
			ON CONFLICT (id) DO UPDATE SET phone = excluded.phone, confirmed_ms = excluded.confirmed_ms`), p.ID, p.Phone); err != nil {
			return nil, err
		}
		var is bool
		if err := tx.QueryRowContext(ctx, s.db.Query(`SELECT EXISTS (SELECT 1 FROM griot_writers WHERE number = $1 AND person = $2)
			AND NOT EXISTS (SELECT 1 FROM griot_writers WHERE number = $1 AND person = $3)`), number, p.ID, p.Phone).Scan(&is); err != nil {
			return nil, err
		}
		if is {
			hidden = append(hidden, p)
		}
	}
	return hidden, tx.Commit()
}

// Confirmed returns the time at which WhatsApp last reported a pair, or the zero time if it was more than 30 days ago,
// or if a later report contradicts it.
func (s *Store) Confirmed(ctx context.Context, p Pair) (time.Time, error) {
	var ms int64
	err := s.row(ctx, `SELECT confirmed_ms FROM griot_pairs WHERE id = $1 AND phone = $2 AND confirmed_ms > `+s.clock()+` - CAST($3 AS BIGINT)`, p.ID, p.Phone, pairKept.Milliseconds()).Scan(&ms)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	return fromMillis(ms), err
}

// ending is the number of digits that two spellings of one phone number have in common at the end. They can differ
// before that, because Brazil, Mexico, and Argentina have added a digit after the country or area code. The index
// griot_writers_ending contains the number, too.
const ending = 7

// Writers returns the people who have written to a number and whose numbers could be a spelling of like, because they
// start and end with the same digits.
func (s *Store) Writers(ctx context.Context, number, like string) (people []string, err error) {
	rows, err := s.db.QueryContext(ctx, s.db.Query(`SELECT person FROM griot_writers WHERE number = $1 AND substr(person, length(person) - 6) = $2 AND substr(person, 1, 2) = $3`),
		number, like[max(len(like)-ending, 0):], like[:min(len(like), 2)])
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var person string
		if err := rows.Scan(&person); err != nil {
			return nil, err
		}
		people = append(people, person)
	}
	return people, rows.Err()
}

// SaveQuestion stores the choices that a message offers to a person. They replace those of the previous message.
func (s *Store) SaveQuestion(ctx context.Context, number, person, messageID string, options []byte) error {
	return s.exec(ctx, `INSERT INTO griot_questions (number, person, message_id, options, asked_ms) VALUES ($1, $2, $3, $4, `+s.clock()+`)
		ON CONFLICT (number, person) DO UPDATE SET message_id = excluded.message_id, options = excluded.options, asked_ms = excluded.asked_ms`,
		number, person, messageID, options)
}

// Question returns the choices of the latest such message to a person, or nil.
func (s *Store) Question(ctx context.Context, number, person string) (messageID string, options []byte, err error) {
	err = s.row(ctx, `SELECT message_id, options FROM griot_questions WHERE number = $1 AND person = $2`, number, person).Scan(&messageID, &options)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil, nil
	}
	return messageID, options, err
}
