package connections

import (
	"context"
	"log/slog"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/task"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/webhooks"
)

const (
	checkEvery     = 5 * time.Second
	settleTime     = 15 * time.Second // time for which a new state must last to be reported
	connectingTime = time.Minute      // the same for "connecting"
	leaseTime      = time.Minute      // for the process that monitors
)

// Options are the dependencies of a Monitor.
type Options struct {
	DB        *db.DB
	Directory *account.Directory
	Detail    func(account.Sender) gateway.ConnDetail
	Now       clock.Now
	Log       *slog.Logger
	Signal    *webhook.Signal // for webhook events
}

// A Monitor checks the senders' connections. Call [Monitor.Run] and [Monitor.Check] from only one goroutine.
type Monitor struct {
	o       Options
	owner   string              // the ID of this process
	until   time.Time           // the end of its lease
	changed map[string]observed // states that differ from the stored ones, by sender ID
}

type observed struct {
	gateway.ConnDetail // the latest detail with this state
	since              time.Time
}

// New returns a monitor.
func New(o Options) *Monitor {
	return &Monitor{o: o, owner: id.Random(), changed: map[string]observed{}}
}

// Run checks until ctx ends.
func (m *Monitor) Run(ctx context.Context) error {
	return task.Every(ctx, checkEvery, m.o.Log, "checking the senders' connections", m.Check)
}

// Check checks every sender once, and writes the changes that have lasted long enough.
func (m *Monitor) Check(ctx context.Context) error {
	now := m.o.Now()
	mine, err := m.lease(ctx, now)
	if err != nil || !mine {
		clear(m.changed)
		return err
	}
	senders, err := allSenders(m.o.DB.Read(ctx))
	if err != nil {
		return err
	}
	changed := map[string]observed{}
	for _, s := range senders {
		detail := m.o.Detail(s.Sender)
		stays := detail.State == s.stored // perhaps with another reason
		if stays && s.reasonStored && detail.Reason == s.reason {
			continue
		}
		to, ok := m.changed[s.ID]
		if !ok || to.State != detail.State || stays && to.Reason != detail.Reason {
			to.since = now
		}
		to.ConnDetail = detail
		if now.Sub(to.since) < settleTimeOf(detail.State) {
			changed[s.ID] = to
			continue
		}
		if err := m.store(ctx, s, to, now); err != nil {
			return err
		}
	}
	m.changed = changed
	return nil
}

func settleTimeOf(s gateway.ConnState) time.Duration {
	if s == gateway.Connecting {
		return connectingTime
	}
	return settleTime
}

// lease acquires the lease, or renews it when half of it has passed. After a renewal, it deletes the states of
// deleted senders. It returns false while another process has the lease.
func (m *Monitor) lease(ctx context.Context, now time.Time) (mine bool, err error) {
	if now.Before(m.until.Add(-leaseTime / 2)) {
		return true, nil
	}
	until := now.Add(leaseTime)
	err = m.o.DB.Write(ctx, func(tx *db.Tx) error {
		if mine, err = acquireLease(tx, m.owner, now, until); err != nil || !mine {
			return err
		}
		return deleteOrphans(tx)
	})
	if mine = mine && err == nil; mine {
		m.until = until
	}
	return mine, err
}

// store writes a state and its event. The first state of a sender is not a change and has no event.
func (m *Monitor) store(ctx context.Context, s *sender, to observed, now time.Time) error {
	var event *webhooks.Event
	unknown := s.stored == "" || s.stored == to.State && !s.reasonStored
	if !unknown && s.AccountID != "" { // the platform's senders belong to no account
		a, err := m.o.Directory.Account(ctx, s.AccountID)
		if err != nil {
			return err
		}
		if a != nil && webhooks.Wanted(a, now) {
			event = webhooks.SenderChanged(s.Sender, s.stored, to.ConnDetail, now)
		}
	}
	changed := false
	err := m.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		changed, err = storeState(tx, m.owner, s, to)
		if err != nil || !changed {
			return err
		}
		if s.stored != to.State || s.reasonStored {
			err = recordChange(tx, s.ID, to, now)
		}
		if err != nil || event == nil {
			return err
		}
		return webhooks.Insert(tx, m.o.Signal, event)
	})
	if err != nil || !changed || unknown && s.stored != "" {
		return err
	}
	m.o.Log.Info("a sender's connection has changed", "senderId", s.ID, "state", string(to.State), "reason", to.Reason, "before", string(s.stored))
	return nil
}
