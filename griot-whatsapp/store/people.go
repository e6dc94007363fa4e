package store

import (
	"context"
	"database/sql"
	"errors"
)

// NoteWriter stores that a person has written to a number: who has is no stranger.
func (s *Store) NoteWriter(ctx context.Context, number, person string) error {
	return s.exec(ctx, `INSERT INTO griot_writers (number, person) VALUES ($1, $2) ON CONFLICT (number, person) DO NOTHING`, number, person)
}

// HasWritten reports whether a person has written to a number.
func (s *Store) HasWritten(ctx context.Context, number, person string) (known bool, err error) {
	err = s.row(ctx, `SELECT EXISTS (SELECT 1 FROM griot_writers WHERE number = $1 AND person = $2)`, number, person).Scan(&known)
	return known, err
}

// SaveQuestion stores the choices that a message offers to a person, in place of those of the message before.
func (s *Store) SaveQuestion(ctx context.Context, number, person, messageID string, options []byte) error {
	return s.exec(ctx, `INSERT INTO griot_questions (number, person, message_id, options, asked_ms) VALUES ($1, $2, $3, $4, `+s.clock()+`)
		ON CONFLICT (number, person) DO UPDATE SET message_id = excluded.message_id, options = excluded.options, asked_ms = excluded.asked_ms`,
		number, person, messageID, options)
}

// Question returns the choices that the latest such message has offered to a person, or nil.
func (s *Store) Question(ctx context.Context, number, person string) (messageID string, options []byte, err error) {
	err = s.row(ctx, `SELECT message_id, options FROM griot_questions WHERE number = $1 AND person = $2`, number, person).Scan(&messageID, &options)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil, nil
	}
	return messageID, options, err
}
