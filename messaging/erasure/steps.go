package erasure

import (
	"context"
	"errors"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/otp"
	"example.com/griot/messaging/person"
	"example.com/griot/messaging/quota"
	"example.com/griot/messaging/webhooks"
)

// Numbers of rows that one piece of a step reads.
const (
	messagesAtOnce = 1000
	eventsAtOnce   = 500
	eventsInTx     = 100
)

const purgeFor = 2 * time.Second // time for which removing data from a database's files is tried before it is postponed

// A job is an erasure that this process works on.
type job struct {
	ctx     context.Context //nolint:containedctx // for one call of work
	s       *Service
	e       *Erasure
	p       *person.Person
	account *account.Account
}

// A step does the next piece of its work, from the erasure's position, and returns the next position, or "" at the
// end. waits means that it cannot continue now. If a piece was done but its position was not written, the piece is
// done again.
type step struct {
	name string
	do   func(*job) (next string, waits bool, err error)
}

// steps returns the steps in the required order. Opt-outs are preserved before anything else is erased. Data that
// messages leave in other tables is erased after no message is being sent anymore. The files come last, when no row
// contains the person.
func steps() []step {
	return []step{
		{"optouts", (*job).optOuts},
		{"messages", (*job).messages},
		{"conversation", (*job).conversation},
		{"received", (*job).received},
		{"codes", (*job).codes},
		{"events", (*job).events},
		{"audit", (*job).audit},
		{"aliases", (*job).aliases},
		{"media", (*job).media},
		{"files", (*job).files},
	}
}

var errNoAccount = errors.New("privacy: an erasure without an account")

func (s *Service) job(ctx context.Context, e *Erasure) (*job, error) {
	address, err := s.box.Open(e.sealed, e.ID)
	if err != nil {
		return nil, err
	}
	a, err := s.o.Directory.Account(ctx, e.AccountID)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, errNoAccount
	}
	p, err := s.people.New(s.o.DB.Read(ctx), e.AccountID, string(address))
	if err != nil {
		return nil, err
	}
	p.Pseudonym = e.Pseudonym // the pseudonym of the erasure, even if another address of the person has become known since
	return &job{ctx, s, e, p, a}, nil
}

func (j *job) read() *db.Query { return j.s.o.DB.Read(j.ctx) }

func (j *job) write(fn func(*db.Tx) error) error {
	err := j.s.o.DB.Write(j.ctx, fn)
	if err == nil {
		j.s.failpoint(steps()[j.e.step].name + ".middle")
	}
	return err
}

func (j *job) optOuts() (next string, waits bool, err error) {
	return "", false, j.write(func(tx *db.Tx) error {
		if err := j.s.people.Erase(tx, j.p, true); err != nil {
			return err
		}
		found, err := optout.ErasePerson(tx, j.p)
		if err != nil || !found {
			return err
		}
		return account.NoteChange(tx)
	})
}

func (j *job) messages() (next string, waits bool, err error) {
	after, _ := message.DecodeCursor(j.e.position)
	ids, to, err := message.FindPerson(j.read(), j.p, after, messagesAtOnce)
	if err != nil {
		return "", false, err
	}
	for _, id := range ids {
		done, err := j.s.o.Delivery.Erase(j.ctx, j.account, id, j.p.Pseudonym, func(tx *db.Tx, m *message.Message) error {
			return addCounts(tx, j.e, counts{messages: 1, canceled: canceledSince(m, j.e)})
		})
		switch {
		case err != nil:
			return "", false, err
		case !done:
			return "", true, nil
		}
		j.s.failpoint("messages.middle")
	}
	if to.ID == "" {
		return "", false, nil
	}
	return to.Encode(), false, nil
}

// canceledSince returns 1 for a message that was canceled after an erasure started.
func canceledSince(m *message.Message, e *Erasure) int64 {
	steps, err := m.Timeline.Steps()
	if err != nil || m.Status != message.Canceled || len(steps) == 0 || steps[len(steps)-1].At < db.Ms(e.CreatedAt) {
		return 0
	}
	return 1
}

func (j *job) conversation() (next string, waits bool, err error) {
	more := false
	err = j.write(func(tx *db.Tx) (err error) {
		var received int64
		if received, more, err = inbox.EraseConversation(tx, j.p); err != nil {
			return err
		}
		return addCounts(tx, j.e, counts{received: received})
	})
	if more {
		next = "more"
	}
	return next, false, err
}

// received erases messages that the person has sent by SMS or email, which are in no conversation.
func (j *job) received() (next string, waits bool, err error) {
	list, next, err := inbox.PersonPage(j.read(), j.p, "", j.e.position, messagesAtOnce)
	if err != nil || len(list) == 0 {
		return next, false, err
	}
	return next, false, j.write(func(tx *db.Tx) error {
		n := int64(0)
		for _, m := range list {
			deleted, err := inbox.DeleteReceived(tx, m.ID)
			if err != nil {
				return err
			}
			n += deleted
		}
		return addCounts(tx, j.e, counts{received: n})
	})
}

func (j *job) codes() (next string, waits bool, err error) {
	return "", false, j.write(func(tx *db.Tx) error {
		if err := quota.EraseRecipient(tx, j.p); err != nil {
			return err
		}
		return otp.ErasePerson(tx, j.p)
	})
}

func (j *job) events() (next string, waits bool, err error) {
	list, next, err := webhooks.PersonPage(j.read(), j.p, func(ids []string) (map[string]bool, error) {
		recipients, err := message.Recipients(j.read(), j.p.AccountID, ids)
		theirs := map[string]bool{}
		for id, recipient := range recipients {
			theirs[id] = recipient == j.p.Pseudonym
		}
		return theirs, err
	}, j.e.position, eventsAtOnce)
	for err == nil && len(list) > 0 {
		part := list[:min(len(list), eventsInTx)]
		list = list[len(part):]
		err = j.write(func(tx *db.Tx) error {
			for _, e := range part {
				if err := webhooks.Erase(tx, e, j.p.Pseudonym); err != nil {
					return err
				}
			}
			return addCounts(tx, j.e, counts{events: int64(len(part))})
		})
	}
	return next, false, err
}

// aliases deletes the forms of the person's addresses, and the stored pairs of each. No later step needs them.
func (j *job) aliases() (next string, waits bool, err error) {
	return "", false, j.write(func(tx *db.Tx) error {
		if forget := j.s.o.Forget; forget != nil {
			for _, form := range j.p.Forms {
				if err := forget(tx, form); err != nil {
					return err
				}
			}
		}
		return j.s.people.Erase(tx, j.p, false)
	})
}

// media deletes the attachments of messages from the person. They have been inaccessible since their messages were deleted.
func (j *job) media() (next string, waits bool, err error) {
	err = inbox.SweepMedia(j.ctx, j.s.o.DB)
	j.s.failpoint("media.middle")
	return "", false, err
}

// files removes deleted data from SQLite's files. It is postponed while a reader needs the write-ahead log.
func (j *job) files() (next string, waits bool, err error) {
	done, err := j.s.o.DB.PurgeWithin(j.ctx, purgeFor)
	j.s.failpoint("files.middle")
	return "", !done, err
}

func (j *job) audit() (next string, waits bool, err error) {
	list, next, err := audit.PersonPage(j.read(), j.p, j.e.position, messagesAtOnce)
	if err != nil || len(list) == 0 {
		return next, false, err
	}
	return next, false, j.write(func(tx *db.Tx) error {
		for _, e := range list {
			if err := audit.Erase(tx, e.ID, j.p.Pseudonym); err != nil {
				return err
			}
		}
		return nil
	})
}
