package counts

import (
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
)

const (
	hour = time.Hour
	day  = 24 // hours

	// HoursKept is the retention period of hourly counters, rounded up to a whole day.
	HoursKept = 35 * day * hour
)

// A Query selects messages to count, by the time at which they were accepted.
type Query struct {
	AccountID string
	ProjectID string          // empty: all
	Channel   gateway.Channel // empty: all
	From, To  time.Time       // rounded outward to whole hours
	Days      bool            // count by day; false: by hour
	Simulated bool            // only simulated messages; false: only real ones
}

// counts reports whether the query includes a counter, regardless of the counter's time.
func (in *Query) counts(c counter) bool {
	return c.account == in.AccountID && c.simulated == in.Simulated && (in.ProjectID == "" || c.project == in.ProjectID) && (in.Channel == "" || c.channel == in.Channel)
}

// A Row is the number of messages of a kind in an hour or a day. Rows of the same kind and time must be added up.
type Row struct {
	At     time.Time // within the hour or the day
	Kind   Kind
	Detail string
	N      int
}

// A plan contains the times of a query's counters, in hours since 1970.
type plan struct {
	from, to int64
	days     [2]int64
	hours    [2][2]int64
}

// plan uses the daily counters for whole days, and the hourly counters for the hours before and after them. A last
// day that is not over yet counts as whole. If the hourly counters no longer exist, the days at both ends are counted
// as whole days.
func (in *Query) plan(now time.Time) plan {
	p := plan{from: in.From.Unix() / 3600, to: (in.To.Add(hour-1).Unix() / 3600)}
	kept := down(now.Add(-HoursKept).Unix() / 3600)
	if !in.Days {
		p.from = max(p.from, kept)
		p.hours[0] = [2]int64{p.from, p.to}
		return p
	}
	if p.from < kept {
		p.from = down(p.from)
	}
	if !in.To.Before(now) || p.to < kept {
		p.to = up(p.to)
	}
	first, last := up(p.from), down(p.to)
	if first > last {
		p.hours[0] = [2]int64{p.from, p.to}
		return p
	}
	p.days, p.hours = [2]int64{first, last}, [2][2]int64{{p.from, first}, {last, p.to}}
	return p
}

func down(at int64) int64 { return at - at%day }
func up(at int64) int64   { return down(at + day - 1) }

// Each calls add for each counter of a query. It returns the time from which messages were counted: in.From, rounded
// down, or the start of the counters.
func Each(q *db.Query, in *Query, now time.Time, add func(*Row)) (from time.Time, err error) {
	p := in.plan(now)
	err = in.read(q, &p, func(c counter, n int64) {
		kind, detail, _ := strings.Cut(c.kind, ":")
		add(&Row{time.Unix(c.at*3600, 0).UTC(), Kind(kind), detail, int(n)})
	})
	return time.Unix(p.from*3600, 0).UTC(), err
}
