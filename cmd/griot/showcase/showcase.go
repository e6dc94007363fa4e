package showcase

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/otp"
)

// Days is the length of the history. The accounts have the same age.
const Days = 30

// seed makes the history the same at each start.
const seed = 20260101

// Options are the owners of the history, and the stores for it.
type Options struct {
	DB        *db.DB
	Messages  *delivery.Service
	OTP       *otp.Service
	Logins    *login.Service
	Account   *account.Account // with senders on WhatsApp and SMS, and the platform's for email
	ProjectID string
	Clients   []tenant.Client // the first one's logins are real, the others' are tests
	Now       time.Time       // the end of the history
}

// Seed stores the history in one transaction, unless the account has messages.
func Seed(ctx context.Context, o Options) error {
	there, _, err := message.List(o.DB.Read(ctx), &message.Filter{AccountID: o.Account.ID, Limit: 1})
	if err != nil || len(there) > 0 {
		return err
	}
	h := newHistory(&o)
	if err := h.addTraffic(); err != nil {
		return err
	}
	h.addConversations()
	logins := h.logins()
	slices.SortStableFunc(h.entries, func(a, b entry) int { return a.at.Compare(b.at) })
	return o.DB.Write(ctx, func(tx *db.Tx) error {
		if err := h.store(tx); err != nil {
			return err
		}
		if err := h.storeEvents(tx); err != nil {
			return err
		}
		for _, p := range logins {
			if err := o.Logins.Import(tx, p, o.Now); err != nil {
				return err
			}
		}
		return nil
	})
}

// entry is one event of the account. Exactly one of the other fields is set.
type entry struct {
	at       time.Time
	message  *delivery.Past
	received *inbox.Past
	readOf   string // the account read the conversation with this number
}

// history is the generated history before it is stored.
type history struct {
	o       *Options
	random  *rand.Rand
	live    *account.Caller
	project *account.Caller
	test    *account.Caller
	orders  int
	entries []entry
}

func newHistory(o *Options) *history {
	caller := func(kind account.Kind, projectID string) *account.Caller {
		return &account.Caller{Account: o.Account, Kind: kind, ProjectID: projectID}
	}
	return &history{
		o: o, random: rand.New(rand.NewPCG(seed, seed)), orders: 10_200,
		live: caller(account.Live, ""), project: caller(account.ProjectKey, o.ProjectID), test: caller(account.Test, ""),
	}
}

// store writes the entries in order. It writes consecutive messages together.
func (h *history) store(tx *db.Tx) error {
	var waiting []*delivery.Past
	flush := func() error {
		if len(waiting) == 0 {
			return nil
		}
		err := h.o.Messages.Import(tx, waiting)
		waiting = waiting[:0]
		return err
	}
	for _, e := range h.entries {
		if e.message != nil {
			waiting = append(waiting, e.message)
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		if e.received != nil {
			if err := e.received.Import(tx); err != nil {
				return err
			}
		} else if err := inbox.ImportRead(tx, h.o.Account.ID, e.readOf); err != nil {
			return err
		}
	}
	return flush()
}

// ago returns a time on the day that started a number of days before the end, mostly at times when people are awake.
func (h *history) ago(days int) time.Time {
	for {
		at := h.o.Now.Add(-time.Duration(days)*24*time.Hour - h.between(10*time.Minute, 23*time.Hour))
		if hour := at.UTC().Hour(); hour >= 7 && hour < 21 || h.chance(10) {
			return at.Truncate(time.Millisecond)
		}
	}
}

func (h *history) chance(percent float64) bool { return h.random.Float64()*100 < percent }

func (h *history) between(from, to time.Duration) time.Duration {
	return (from + time.Duration(h.random.Float64()*float64(to-from))).Truncate(time.Millisecond)
}

// about returns a random duration: least plus a random time with the average longer. A few are much longer.
func (h *history) about(least, longer time.Duration) time.Duration {
	return (least + time.Duration(h.random.ExpFloat64()*float64(longer))).Truncate(time.Millisecond)
}

func pick[T any](h *history, list []T) T { return list[h.random.IntN(len(list))] }

// count returns the number of items on a day: more on later days, and fewer on weekends.
func (h *history) count(days, least int) int {
	n := least + (Days-days)/5 + h.random.IntN(5)
	if day := h.o.Now.AddDate(0, 0, -days).Weekday(); day == time.Sunday || day == time.Saturday {
		n = n * 2 / 3
	}
	return cmp.Or(n, 1)
}
