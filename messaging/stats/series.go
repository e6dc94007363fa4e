package stats

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/isotime"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/counts"
)

// Steps of a series.
const (
	StepHour = time.Hour
	StepDay  = 24 * time.Hour
)

// MaxBuckets is the maximum number of buckets in a series.
const MaxBuckets = 400

// A SeriesQuery selects the messages to count. The period from From to To must have at most [MaxBuckets] steps.
type SeriesQuery struct {
	ProjectID string          // empty: all, or that of a project's key
	Channel   gateway.Channel // empty: all
	From, To  time.Time       // rounded outward to whole hours
	Step      time.Duration
	Zone      *time.Location // of the days and months; nil: UTC
	Simulated bool           // only simulated messages, also for a test key; false: only real ones
}

// A Series contains the results of the messages of a period, in steps.
type Series struct {
	Buckets         []Bucket    // oldest first, including those without messages
	Complete        bool        // false: CountedFrom is later than the start of the period
	CountedFrom     time.Time   // hourly counters are kept for [counts.HoursKept]
	Sent, Delivered Percentiles // accurate to 20 %, from 50 ms on
	Errors          []Error     // most frequent first
	Prices          []Price     // by month and category; empty: no provider has reported prices
}

// A Price counts the delivered messages of a month and a category for which the provider charges, and the free ones.
type Price struct {
	Month         string // 2006-01, in the zone of the query, in which they were accepted
	Category      string // the provider's word, or [counts.OtherCategory]
	Charged, Free int
}

// A Bucket counts the messages that were accepted within a step.
type Bucket struct {
	At time.Time
	Channel
	Fallback int // sent on another channel or with another sender than tried first
}

// Series counts the account's messages of a period.
//
// Errors: those of [account.Directory.CheckProject].
func (s *Stats) Series(ctx context.Context, c *account.Caller, in *SeriesQuery) (*Series, error) {
	if err := account.MayReadStatistics.Check(c, s.Now()); err != nil {
		return nil, err
	}
	project := cmp.Or(in.ProjectID, c.ProjectID)
	if err := s.Directory.CheckProject(ctx, c, project); err != nil {
		return nil, err
	}
	zone := in.Zone
	if zone == nil {
		zone = time.UTC
	}
	out := &Series{Buckets: in.buckets(zone)}
	// The daily counters are those of UTC's days.
	whole := in.Step == StepDay && !slices.ContainsFunc(out.Buckets, func(b Bucket) bool { return !b.At.Equal(b.At.Truncate(StepDay)) })
	errs, prices := map[string]int{}, map[[2]string]*Price{}
	sent, delivered := map[time.Duration]int{}, map[time.Duration]int{}
	q := &counts.Query{AccountID: c.Account.ID, ProjectID: project, Channel: in.Channel, From: in.From, To: in.To, Days: whole, Simulated: in.Simulated || c.SandboxOnly()}
	var err error
	out.CountedFrom, err = counts.Each(s.DB.Read(ctx), q, s.Now(), func(r *counts.Row) {
		b := out.bucket(r.At)
		switch r.Kind {
		case counts.Total:
			b.Total += r.N
		case counts.Sent:
			b.Sent += r.N
			addTime(sent, r)
		case counts.Delivered:
			b.Delivered += r.N
			addTime(delivered, r)
		case counts.Read:
			b.Read += r.N
		case counts.Failed:
			b.Failed += r.N
			if r.Detail != "" {
				errs[r.Detail] += r.N
			}
		case counts.Fallback:
			b.Fallback += r.N
		case counts.Charged, counts.Free:
			addPrice(prices, r, zone)
		}
	})
	out.Complete = !out.CountedFrom.After(in.From)
	out.Sent, out.Delivered, out.Errors = percentiles(sent), percentiles(delivered), mostFrequent(errs)
	out.Prices = sortedPrices(prices)
	return out, err
}

// buckets returns the empty buckets of a series.
func (in *SeriesQuery) buckets(zone *time.Location) (all []Bucket) {
	if in.Step != StepDay {
		for at := in.From.Truncate(in.Step); at.Before(in.To); at = at.Add(in.Step) {
			all = append(all, Bucket{At: at})
		}
		return all
	}
	year, month, day := in.From.In(zone).Date()
	for at := isotime.StartOfDay(year, month, day, zone); at.Before(in.To); day++ {
		next := isotime.StartOfDay(year, month, day+1, zone)
		if next.After(at) { // the zone didn't skip the day
			all = append(all, Bucket{At: at.In(zone)})
		}
		at = next
	}
	return all
}

// bucket returns the bucket of a counter. An hour that belongs to two days, in a zone whose offset isn't whole hours,
// counts for the day of its middle.
func (s *Series) bucket(at time.Time) *Bucket {
	i := sort.Search(len(s.Buckets), func(i int) bool { return s.Buckets[i].At.After(at.Add(StepHour / 2)) })
	return &s.Buckets[max(0, i-1)]
}

func addPrice(prices map[[2]string]*Price, r *counts.Row, zone *time.Location) {
	key := [2]string{r.At.Add(StepHour / 2).In(zone).Format(monthFormat), r.Detail}
	if prices[key] == nil {
		prices[key] = &Price{Month: key[0], Category: key[1]}
	}
	if r.Kind == counts.Charged {
		prices[key].Charged += r.N
	} else {
		prices[key].Free += r.N
	}
}

// sortedPrices returns the prices by month and category, without those that changed before the messages were delivered.
func sortedPrices(prices map[[2]string]*Price) (list []Price) {
	for _, p := range prices {
		if p.Charged > 0 || p.Free > 0 {
			list = append(list, *p)
		}
	}
	slices.SortFunc(list, func(a, b Price) int {
		return cmp.Or(strings.Compare(a.Month, b.Month), strings.Compare(a.Category, b.Category))
	})
	return list
}

func addTime(times map[time.Duration]int, r *counts.Row) {
	if d, known := counts.ClassTime(r.Detail); known {
		times[d] += r.N
	}
}
