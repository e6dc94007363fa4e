package store

import (
	"context"
	"database/sql"
	"errors"
)

// NoteWriter records that a person has written to a number and is therefore not a stranger.
func (s *Store) NoteWriter(ctx context.Context, number, person string) error {
	return s.exec(ctx, `INSERT INTO griot_writers (number, person) VALUES ($1, $2) ON CONFLICT (number, person) DO NOTHING`, number, person)
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
