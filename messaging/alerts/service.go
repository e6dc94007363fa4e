package alerts

import (
	"context"
	"log/slog"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/task"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/connections"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/quota"
)

const (
	checkEvery = 30 * time.Second
	retention  = 30 * 24 * time.Hour // for resolved alerts
	atOnce     = 100                 // maximum number of alerts stored in one transaction
)

// Options are the dependencies of a Service.
type Options struct {
	DB        *db.DB
	Directory *account.Directory
	Delivery  *delivery.Service
	Now       clock.Now
	Log       *slog.Logger
	URL       string // the base URL, for links
}

// A Service finds alerts and mails them. It is safe for concurrent use. [Service.Run] does its background work.
type Service struct{ o Options }

// New returns a service.
func New(o Options) *Service { return &Service{o} }

// Count returns the number of alerts that [Service.List] returns.
func (s *Service) Count(ctx context.Context, c *account.Caller) (int, error) {
	if err := account.MayCountAlerts.Check(c, s.o.Now()); err != nil {
		return 0, err
	}
	all, err := s.current(ctx, c)
	return len(all), err
}

// List returns the account's current alerts. Only its owner gets those that only the owner can act on.
func (s *Service) List(ctx context.Context, c *account.Caller) ([]*Alert, error) {
	if err := account.MayReadAlerts.Check(c, s.o.Now()); err != nil {
		return nil, err
	}
	all, err := s.current(ctx, c)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	rows, err := readRows(s.o.DB.Read(ctx), ` AND account_id = $1`, c.Account.ID)
	for _, r := range rows {
		for _, alert := range all {
			if alert.key() == r.key {
				alert.OpenedAt, alert.MailedAt = r.openedAt, r.mailedAt
				if !r.mailAt.IsZero() { // the mail of the previous time
					alert.MailedAt = time.Time{}
				}
			}
		}
	}
	return all, err
}

func (s *Service) current(ctx context.Context, c *account.Caller) (all []*Alert, err error) {
	a, owner := c.Account, c.Owner()
	day := quota.Day(s.o.Now())
	now, err := readState(s.o.DB.Read(ctx), a.ID, day)
	if err != nil {
		return nil, err
	}
	if alert := ofQuota(a.ID, day, now.used, a.Plan.DailyLimit); alert != nil {
		all = append(all, alert)
	}
	stored, err := connections.Connections(s.o.DB.Read(ctx), a.ID)
	if err != nil {
		return nil, err
	}
	for i := range a.Senders {
		from := &a.Senders[i]
		if alert := ofSender(from, s.connection(from, stored[from.ID].State)); alert != nil { // as seen by all nodes
			all = append(all, alert)
		}
	}
	if owner && !now.disabledAt.IsZero() && a.WebhookURL != "" {
		all = append(all, ofEndpoint(a.ID, now.disabledAt, now.disabledFor))
	}
	if owner && now.status != "" {
		all = append(all, ofSubscription(a.ID, now.subscription, now.status))
	}
	return all, nil
}

// connection returns a stored state, with its reason if this node knows it. Without a stored state, it returns the state on this node.
func (s *Service) connection(from *account.Sender, stored gateway.ConnState) gateway.ConnDetail {
	if d := s.o.Delivery.Detail(*from); stored == "" || d.State == stored {
		return d
	}
	return gateway.ConnDetail{State: stored}
}

// Run checks until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	return task.Every(ctx, checkEvery, s.o.Log, "checking what accounts ought to know", s.Check)
}

// Check examines all accounts once. It stores opened and resolved alerts and sends the due mails.
func (s *Service) Check(ctx context.Context) error {
	open, err := readRows(s.o.DB.Read(ctx), ``) // first, so that alerts that another node opens in the meantime are not resolved by older data
	if err != nil {
		return err
	}
	current, err := s.everything(ctx)
	if err != nil {
		return err
	}
	if open, err = s.store(ctx, open, current); err != nil {
		return err
	}
	now := s.o.Now()
	for _, r := range open {
		alert := current[r.key]
		if alert == nil || r.mailAt.IsZero() || r.mailAt.After(now) {
			continue
		}
		if err := s.mail(ctx, r, alert); err != nil {
			s.o.Log.Error("mailing an alert", "accountId", r.accountID, "kind", string(r.kind), "err", err)
		}
	}
	return s.o.DB.Write(ctx, func(tx *db.Tx) error { return deleteResolved(tx, now.Add(-retention)) })
}

// everything returns the alerts of all accounts, by the keys of their rows.
func (s *Service) everything(ctx context.Context) (map[key]*Alert, error) {
	q, day := s.o.DB.Read(ctx), quota.Day(s.o.Now())
	all := map[key]*Alert{}
	used := map[string]int64{}
	if err := highUse(q, day, s.o.Now(), func(id string, n int64) error { used[id] = n; return nil }); err != nil {
		return nil, err
	}
	for id, n := range used {
		a, err := s.o.Directory.Account(ctx, id)
		if err != nil {
			return nil, err
		}
		if a == nil {
			continue
		}
		if alert := ofQuota(id, day, n, a.Plan.DailyLimit); alert != nil {
			all[alert.key()] = alert
		}
	}
	for _, list := range []func(*db.Query) ([]*Alert, error){downSenders, disabledEndpoints, overdueSubscriptions} {
		found, err := list(s.o.DB.Read(ctx))
		if err != nil {
			return nil, err
		}
		for _, alert := range found {
			all[alert.key()] = alert
		}
	}
	return all, nil
}

// store opens and resolves alerts, and returns those that are open afterward.
func (s *Service) store(ctx context.Context, open []*row, current map[key]*Alert) ([]*row, error) {
	known := map[key]bool{}
	var writes []func(*db.Tx, time.Time) error
	for _, r := range open {
		known[r.key] = true
		if current[r.key] == nil {
			writes = append(writes, func(tx *db.Tx, now time.Time) error { return resolveRow(tx, r, now) })
		}
	}
	for k := range current {
		if !known[k] {
			writes = append(writes, func(tx *db.Tx, now time.Time) error { _, err := openRow(tx, k, now); return err })
		}
	}
	if len(writes) == 0 {
		return open, nil
	}
	for len(writes) > 0 {
		part := writes[:min(atOnce, len(writes))]
		writes = writes[len(part):]
		now := s.o.Now()
		err := s.o.DB.Write(ctx, func(tx *db.Tx) error {
			for _, write := range part {
				if err := write(tx, now); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return readRows(s.o.DB.Read(ctx), ``)
}
