package stats

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/message"
)

// Steps of a series.
const (
	StepHour = time.Hour
	StepDay  = 24 * time.Hour
)

const (
	// MaxBuckets is how many buckets a series may have.
	MaxBuckets = 400
	// MaxCounted is how many of an account's messages a series looks at: the newest of its time.
	MaxCounted = 50_000
)

// SeriesQuery says what to count. From and To are within [MaxBuckets] steps.
type SeriesQuery struct {
	AccountID string
	ProjectID string          // empty: all
	Channel   gateway.Channel // empty: all
	From, To  time.Time
	Step      time.Duration
	Simulated bool // the simulated messages, and no others
}

// Series is how the messages of a time fared, in steps.
type Series struct {
	Buckets         []Bucket // the oldest first; those without messages too
	Complete        bool     // every message of the time was counted
	CountedFrom     time.Time
	Sent, Delivered Percentiles
	Errors          []Error // the most frequent first
}

// Bucket counts the messages that were accepted within a step.
type Bucket struct {
	At time.Time
	Channel
	Fallback int // went on another channel, or by another sender, than first tried
}

// Series counts the messages of a time.
func (s *Stats) Series(ctx context.Context, in *SeriesQuery) (*Series, error) {
	most := cmp.Or(s.MaxCounted, MaxCounted)
	first := in.From.Truncate(in.Step)
	out := &Series{Complete: true, CountedFrom: in.From}
	for at := first; at.Before(in.To); at = at.Add(in.Step) {
		out.Buckets = append(out.Buckets, Bucket{At: at})
	}
	errs := map[string]int{}
	var sent, delivered []time.Duration
	n := 0
	err := eachSample(s.DB.Read(ctx), in, most+1, func(m *seriesSample) {
		if n++; n > most { // the oldest that was read
			out.Complete = false
			return
		}
		out.CountedFrom = m.created
		if in.ProjectID != "" && m.project != in.ProjectID || in.Channel != "" && m.channel != in.Channel || (m.status == message.Sandbox) != in.Simulated {
			return
		}
		b := &out.Buckets[int(m.created.Sub(first)/in.Step)]
		b.add(&m.sample)
		b.Fallback += boolInt(m.fellBack)
		sent, delivered = appendDuration(sent, m.due, m.sent), appendDuration(delivered, m.due, m.delivered)
		if m.hasFailed() && m.failure != nil {
			errs[m.failure.Code]++
		}
	})
	if err != nil {
		return nil, err
	}
	if out.Complete {
		out.CountedFrom = in.From
	}
	out.Sent, out.Delivered, out.Errors = percentiles(sent), percentiles(delivered), mostFrequent(errs)
	return out, nil
}

// seriesSample is what a series looks at of one message.
type seriesSample struct {
	sample

	project  string
	fellBack bool
}

// eachSample reads so many messages of a time at most, the newest first. What they are to be
// like is not in the query, whose cost is that of what it passes.
func eachSample(q *db.Query, in *SeriesQuery, most int, add func(*seriesSample)) error {
	return q.Page(most, func(rows *sql.Rows) error {
		var m seriesSample
		var failure, project sql.NullString
		var created, fellBack int64
		var scheduled, sent, delivered sql.NullInt64
		if err := rows.Scan(&m.status, &m.channel, &project, &failure, &fellBack, &created, &scheduled, &sent, &delivered); err != nil {
			return err
		}
		if failure.Valid {
			if err := json.Unmarshal([]byte(failure.String), &m.failure); err != nil {
				return err
			}
		}
		m.project, m.fellBack = project.String, fellBack != 0
		m.created, m.due, m.sent, m.delivered = db.At(created), db.At(created), db.AtNull(sent), db.AtNull(delivered)
		if at := db.AtNull(scheduled); at.After(m.due) {
			m.due = at
		}
		add(&m)
		return nil
	}, `SELECT status, channel, project_id, failure, CASE WHEN tried_routes IS NULL THEN 0 ELSE 1 END, created_at, scheduled_at, sent_at, delivered_at
 FROM messages WHERE account_id = $1 AND (created_at, id) < ($2, '') AND created_at >= $3 ORDER BY created_at DESC, id DESC`, in.AccountID, db.Ms(in.To), db.Ms(in.From))
}
