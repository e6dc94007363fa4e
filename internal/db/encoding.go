package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// EncodingError is returned for a PostgreSQL database that can't store every text, because its encoding isn't UTF8. The
// encoding of a database can't be changed.
type EncodingError struct {
	Encoding string // PostgreSQL's name, such as LATIN1
}

// Error returns a sentence with the encoding, and the statement that creates a usable database.
func (e *EncodingError) Error() string {
	return "db: the database has the encoding " + e.Encoding + ", and Griot needs UTF8: create another one with " +
		"CREATE DATABASE griot TEMPLATE template0 ENCODING 'UTF8', and set its URL"
}

// parsePostgres parses the URL of a PostgreSQL database. Each of its sessions uses UTF-8, whatever the database's or the
// role's default is. A connection to a database in another encoding fails with an [EncodingError].
func parsePostgres(url string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("db: open: %w", err)
	}
	config.RuntimeParams["client_encoding"] = "UTF8"
	session := config.ValidateConnect // of target_session_attrs
	config.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		// The server reports its encoding when a session starts. Without a report, a pooler has hidden it.
		if encoding := conn.ParameterStatus("server_encoding"); encoding != "" && encoding != "UTF8" {
			return &EncodingError{encoding}
		}
		if session == nil {
			return nil
		}
		return session(ctx, conn)
	}
	return config, nil
}

// connectError returns the error for a failed connection: an [EncodingError] without the driver's description of the
// connection, or err.
func connectError(err error) error {
	if wrong, ok := errors.AsType[*EncodingError](err); ok {
		return wrong
	}
	return fmt.Errorf("db: connect: %w", err)
}
