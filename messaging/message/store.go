package message

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/phone"
)

// Columns are the columns of messages that [Scan] reads, in their order.
const Columns = `id, notification_id, account_id, project_id, requested_channel, channel, recipient, address, sender_id, from_address, gateway, content, sensitive, source, status,
 version, due_at, unknown_at, provider_id, failure, timeline, charged_day, created_at, scheduled_at, expires_at, sent_at, delivered_at, read_at, failed_at,
 options, route_index, tried_routes, tries, calls, conversation_id, metadata, pricing`

type row struct {
	m                                                             Message
	project, sender, from, gateway, provider, failure             sql.NullString
	options, tried, conversation, metadata, price                 sql.NullString
	due, unknown, day, scheduled, sent, delivered, read, failedAt sql.NullInt64
	requested, channel, content, source, status, timeline         string
	created, expires                                              int64
}

func (r *row) dest() []any {
	return []any{
		&r.m.ID, &r.m.NotificationID, &r.m.AccountID, &r.project, &r.requested, &r.channel, &r.m.To, &r.m.Address, &r.sender, &r.from, &r.gateway, &r.content, &r.m.Sensitive, &r.source, &r.status,
		&r.m.Version, &r.due, &r.unknown, &r.provider, &r.failure, &r.timeline, &r.day, &r.created, &r.scheduled, &r.expires, &r.sent, &r.delivered, &r.read, &r.failedAt,
		&r.options, &r.m.RouteIndex, &r.tried, &r.m.Tries, &r.m.Calls, &r.conversation, &r.metadata, &r.price,
	}
}

func (r *row) message() (*Message, error) {
	m := r.m
	if err := json.Unmarshal([]byte(r.content), &m.Content); err != nil {
		return nil, fmt.Errorf("message %s: content: %w", m.ID, err)
	}
	m.Sealed, m.Content.Sealed = m.Content.Sealed, ""
	for _, c := range []struct {
		name string
		from sql.NullString
		to   any
	}{{"failure", r.failure, &m.Failure}, {"options", r.options, &m.Options}, {"tried_routes", r.tried, &m.Tried}, {"metadata", r.metadata, &m.Metadata}} {
		if !c.from.Valid {
			continue
		}
		if err := json.Unmarshal([]byte(c.from.String), c.to); err != nil {
			return nil, fmt.Errorf("message %s: %s: %w", m.ID, c.name, err)
		}
	}
	m.To = phone.Shown(m.To) // older rows contain it as received
	m.ConversationID = r.conversation.String
	m.ProjectID, m.SenderID, m.From, m.Gateway = r.project.String, r.sender.String, r.from.String, r.gateway.String
	m.RequestedChannel, m.Channel, m.Source = gateway.Channel(r.requested), gateway.Channel(r.channel), Source(r.source)
	m.Status, m.Timeline = Status(r.status), Timeline(r.timeline)
	m.ProviderID, m.Price, m.ChargedDay = r.provider.String, Price(r.price.String), r.day.Int64
	m.DueAt, m.UnknownAt, m.CreatedAt, m.ExpiresAt = db.AtNull(r.due), db.AtNull(r.unknown), db.At(r.created), db.At(r.expires)
	m.ScheduledAt = db.AtNull(r.scheduled)
	m.SentAt, m.DeliveredAt, m.ReadAt, m.FailedAt = db.AtNull(r.sent), db.AtNull(r.delivered), db.AtNull(r.read), db.AtNull(r.failedAt)
	return &m, nil
}

// Scan reads a row of [Columns].
func Scan(scan func(dest ...any) error) (*Message, error) {
	var r row
	if err := scan(r.dest()...); err != nil {
		return nil, err
	}
	return r.message()
}

// Get returns the message with an id, or nil.
func Get(q *db.Query, id string) (*Message, error) {
	var r row
	found, err := q.Row(`SELECT `+Columns+` FROM messages WHERE id = $1`, id).Scan(r.dest()...)
	if err != nil || !found {
		return nil, err
	}
	return r.message()
}

// getAtOnce is the number of messages in one statement.
const getAtOnce = 64

// GetAll returns the messages with these ids by id, without those that do not exist.
func GetAll(q *db.Query, ids []string) (map[string]*Message, error) {
	found := make(map[string]*Message, len(ids))
	for part := range slices.Chunk(ids, getAtOnce) {
		size := 1
		for size < len(part) { // few different statements
			size *= 8
		}
		args := make([]any, size)
		for i := range args {
			args[i] = part[min(i, len(part)-1)]
		}
		err := q.Each(func(rows *sql.Rows) error {
			m, err := Scan(rows.Scan)
			if err == nil {
				found[m.ID] = m
			}
			return err
		}, `SELECT `+Columns+` FROM messages WHERE id IN (`+db.Placeholders(1, size)+`)`, args...)
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// collectPage reads the first n messages of a result whose columns are [Columns].
func collectPage(q *db.Query, n int, text string, args ...any) (out []*Message, err error) {
	err = q.Page(n, appendTo(&out), text, args...)
	return out, err
}

func appendTo(out *[]*Message) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		m, err := Scan(rows.Scan)
		*out = append(*out, m)
		return err
	}
}
