package erasure

import (
	"context"
	"strconv"
	"time"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/task"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/person"
)

// An Erasure is the erasure of a person's data, with its results so far.
type Erasure struct {
	ID         string
	AccountID  string
	Pseudonym  string
	Messages   int64 // to the person
	Canceled   int64 // of these messages
	Received   int64 // from the person
	Events     int64 // for the account's endpoint
	CreatedAt  time.Time
	FinishedAt time.Time // zero: in progress

	sealed   string // the person's encrypted address; empty after the erasure has finished
	step     int
	position string
}

// Done reports whether the erasure has finished.
func (e *Erasure) Done() bool { return !e.FinishedAt.IsZero() }

const (
	atOnce   = 3 * time.Second  // time for which Erase itself works
	leaseFor = 30 * time.Second // time for which a process holds an erasure, unless it renews this
	waitFor  = time.Second      // time until a message that is being submitted is checked again
)

// EraseFor starts to erase the data of the caller's account about a person: see [Service.Erase].
//
// Errors: those of [Service.Person].
func (s *Service) EraseFor(ctx context.Context, c *account.Caller, address string) (*Erasure, error) {
	if err := account.MayManagePeople.Check(c, s.o.Now()); err != nil {
		return nil, err
	}
	p, err := s.Person(ctx, c.Account.ID, address)
	if err != nil {
		return nil, err
	}
	e, err := s.Erase(ctx, p)
	s.o.Directory.Forget(c.Account.ID) // its opt-outs might have changed
	return e, err
}

// Erase starts to erase a person's data, and works for a few seconds. [Service.Run] continues. While an erasure of a
// person is in progress, another request for it returns the same erasure.
func (s *Service) Erase(ctx context.Context, p *person.Person) (*Erasure, error) {
	now := s.o.Now()
	e := &Erasure{ID: id.Erasure + id.New(now), AccountID: p.AccountID, Pseudonym: p.Pseudonym, CreatedAt: now}
	e.sealed = s.box.Seal([]byte(p.Address), e.ID)
	event := audit.New(ctx, now, p.AccountID, audit.PersonErased, p.Pseudonym, "erasure", e.ID)
	err := s.o.DB.Write(ctx, func(tx *db.Tx) error {
		fresh, err := insertErasure(tx, e)
		if err != nil || !fresh {
			return err
		}
		return audit.Record(tx, event)
	})
	if err != nil {
		return nil, err
	}
	latest, err := findLatest(s.o.DB.Read(ctx), p)
	if err != nil || latest.Done() { // another process has finished it in the meantime
		return latest, err
	}
	end := time.NewTimer(atOnce)
	defer end.Stop()
	if err := s.work(ctx, latest, end.C); err != nil {
		return nil, err
	}
	return findErasure(s.o.DB.Read(ctx), p.AccountID, latest.ID)
}

const maxListed = 100

// ErasuresFor lists the erasures of the caller's account like [Service.Erasures].
func (s *Service) ErasuresFor(ctx context.Context, c *account.Caller, n int) ([]*Erasure, error) {
	if err := account.MayListErasures.Check(c, s.o.Now()); err != nil {
		return nil, err
	}
	return s.Erasures(ctx, c.Account.ID, n)
}

// Erasures lists an account's erasures, latest first.
func (s *Service) Erasures(ctx context.Context, accountID string, n int) ([]*Erasure, error) {
	return listErasures(s.o.DB.Read(ctx), accountID, min(n, maxListed))
}

// Run continues started erasures until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	return task.Every(ctx, s.o.Poll, s.o.Log, "erasing a person's data", s.resume)
}

func (s *Service) resume(ctx context.Context) error {
	open, err := listOpen(s.o.DB.Read(ctx), s.o.Now())
	if err != nil {
		return err
	}
	for _, e := range open {
		if err := s.work(ctx, e, nil); err != nil {
			return err
		}
	}
	return nil
}

// work does the steps of an erasure from its position, unless another process holds it. It returns without an error
// when ctx or end ends, and when a message is being submitted, in which case the erasure continues later.
func (s *Service) work(ctx context.Context, e *Erasure, end <-chan time.Time) error {
	mine := false
	err := s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		mine, err = claim(tx, e, s.o.Now())
		return err
	})
	if err != nil || !mine {
		return err
	}
	j, err := s.job(ctx, e)
	if err != nil {
		return err
	}
	for e.step < len(steps()) {
		st := steps()[e.step]
		s.failpoint(st.name + ".before")
		next, waits, err := st.do(j)
		s.failpoint(st.name + ".after")
		retryAt := s.o.Now().Add(leaseFor)
		switch {
		case err != nil:
			return err
		case waits:
			retryAt = s.o.Now().Add(waitFor)
		case next == "":
			e.step, e.position = e.step+1, ""
		default:
			e.position = next
		}
		stop := waits
		select {
		case <-ctx.Done():
			stop = true
		case <-end:
			stop = true
		default:
		}
		if stop && !waits {
			retryAt = time.Time{}
		}
		if err := s.o.DB.Write(context.WithoutCancel(ctx), func(tx *db.Tx) error { return saveProgress(tx, e, retryAt) }); err != nil {
			return err
		}
		if stop && e.step < len(steps()) {
			return nil
		}
	}
	return s.finish(ctx, e)
}

// finish deletes the person's address from an erasure, and deletes old erasures.
func (s *Service) finish(ctx context.Context, e *Erasure) error {
	s.failpoint("finish.before")
	now := s.o.Now()
	event := audit.New(actor.With(ctx, actor.Actor{Type: actor.System}), now, e.AccountID, audit.ErasureEnded, e.Pseudonym, "erasure", e.ID)
	err := s.o.DB.Write(ctx, func(tx *db.Tx) error {
		found, err := finish(tx, e, now)
		if err != nil || !found {
			return err
		}
		if s.o.Keep > 0 {
			if err := deleteFinished(tx, e.AccountID, now.Add(-s.o.Keep)); err != nil {
				return err
			}
		}
		return audit.Record(tx, event.With("messages", count(e.Messages), "canceled", count(e.Canceled), "received", count(e.Received), "events", count(e.Events)))
	})
	s.failpoint("finish.after")
	return err
}

func count(n int64) string { return strconv.FormatInt(n, 10) }

// Failpoints lists the points at which [Options.Failpoint] is called.
func Failpoints() []string {
	var names []string
	for _, st := range steps() {
		names = append(names, st.name+".before", st.name+".middle", st.name+".after")
	}
	return append(names, "finish.before", "finish.after")
}

func (s *Service) failpoint(name string) {
	if s.o.Failpoint != nil {
		s.o.Failpoint(name)
	}
}
