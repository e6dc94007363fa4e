package pairing

import (
	"context"
	"errors"
	"sync"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/task"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/mail"
	"example.com/griot/messaging/message"
)

const (
	checkEvery  = 2 * time.Second
	atOnce      = 16               // maximum number of rows per check
	claimTime   = time.Minute      // time for which a node keeps its claim of a row; longer than a call
	silentTime  = 15 * time.Minute // time without a report of the gateway after which a pairing is over
	longestTime = time.Hour        // time after which a pairing is canceled if the gateway does not end it
	mailTime    = 24 * time.Hour   // time for which sending a mail is tried
	mailRetry   = time.Minute
	retention   = 30 * 24 * time.Hour // of ended pairings
)

// Reasons for a failed pairing that do not come from the gateway.
const (
	reasonLost    = "interrupted"    // the gateway was restarted and does not know the pairing
	reasonRemoved = "sender_removed" // the sender was removed in the meantime
	reasonSilent  = "gateway_unavailable"
)

// Run follows the pairings in progress until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	return task.Every(ctx, checkEvery, s.o.Log, "following pairings", s.Check)
}

// Check checks all due pairings once, several concurrently, because a gateway might be slow.
func (s *Service) Check(ctx context.Context) error {
	now := s.o.Now()
	due, err := dueRows(s.o.DB.Read(ctx), now, atOnce)
	if err != nil || len(due) == 0 {
		return err
	}
	errs := make([]error, len(due))
	var wg sync.WaitGroup
	for i := range due {
		wg.Go(func() { errs[i] = s.followOne(ctx, &due[i]) })
	}
	wg.Wait()
	err = s.o.DB.Write(ctx, func(tx *db.Tx) error { return deleteEnded(tx, now.Add(-retention)) })
	return errors.Join(append(errs, err)...)
}

// followOne checks a row, unless another node is checking it.
func (s *Service) followOne(ctx context.Context, r *row) error {
	claimed := *r
	claimed.dueAt = s.o.Now().Add(claimTime)
	if mine, err := s.postponed(ctx, r, claimed.dueAt, r.tries); err != nil || !mine {
		return err
	}
	if !r.endedAt.IsZero() {
		return s.mail(ctx, &claimed)
	}
	return s.follow(ctx, &claimed)
}

func (s *Service) postponed(ctx context.Context, r *row, due time.Time, tries int) (mine bool, err error) {
	err = s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		mine, err = postpone(tx, r, due, tries)
		return err
	})
	return mine && err == nil, err
}

// follow requests the progress of a pairing, and schedules another check unless the pairing has ended.
func (s *Service) follow(ctx context.Context, r *row) error {
	from := r.sender()
	gw, done := s.o.Delivery.Pairer(from)
	defer done()
	age := s.o.Now().Sub(r.startedAt)
	known, err := s.known(ctx, r)
	switch {
	case err != nil:
		return err
	case gw == nil && known && age < silentTime: // another node has opened the gateway, and this one will open it, too
		return s.lookAgain(ctx, r)
	case gw == nil:
		return s.end(ctx, r, stateFailed, reasonSilent)
	case !known, age > longestTime:
		err := cancelAt(ctx, gw, from)
		reason := gateway.PairingExpired
		if !known {
			reason = reasonRemoved
		}
		if err != nil && age < longestTime {
			return s.lookAgain(ctx, r)
		}
		return s.end(ctx, r, stateFailed, reason)
	}
	now, failure := status(ctx, gw, from)
	switch linked := s.linkedMeanwhile(r); {
	case failure != nil && age < silentTime, failure == nil && now.State.UnderWay(),
		failure == nil && now.State == gateway.PairingNone && !linked && s.o.Delivery.State(from) == gateway.Connecting && age < silentTime:
		return s.lookAgain(ctx, r)
	case failure != nil && !linked:
		return s.end(ctx, r, stateFailed, reasonSilent)
	case linked && (now.State == gateway.PairingNone || failure != nil):
		return s.end(ctx, r, statePaired, "")
	case now.State == gateway.PairingNone,
		r.state == stateStarting && r.connected && now.State == gateway.PairingDone: // the result belongs to the previous pairing
		return s.end(ctx, r, stateFailed, reasonLost)
	}
	return s.note(ctx, r, now)
}

func (s *Service) lookAgain(ctx context.Context, r *row) error {
	_, err := s.postponed(ctx, r, s.o.Now().Add(followIn), r.tries)
	return err
}

// known reports whether the sender still exists and its account can be used.
func (s *Service) known(ctx context.Context, r *row) (bool, error) {
	all, err := s.o.Directory.Senders(ctx, r.accountID)
	if err != nil {
		return false, err
	}
	for _, from := range all {
		if from.ID != r.senderID {
			continue
		}
		if r.accountID == "" {
			return true, nil
		}
		a, err := s.o.Directory.Account(ctx, r.accountID)
		return a != nil && !a.Closed(), err
	}
	return false, nil
}

// errMailed is returned by a transaction that would store a second mail.
var errMailed = errors.New("pairing: the owner was mailed")

// mail notifies the account's owner by email that a number was linked.
func (s *Service) mail(ctx context.Context, r *row) error {
	a, err := s.o.Directory.Account(ctx, r.accountID)
	if err != nil {
		return err
	}
	if a == nil || a.Closed() || s.o.Now().Sub(r.endedAt) > mailTime {
		_, err := s.postponed(ctx, r, time.Time{}, r.tries)
		return err
	}
	request := func() *message.Request { return s.request(r, a) }
	_, err = mail.SubmitToOwner(ctx, s.o.Delivery, s.o.Directory, a, request, func(tx *db.Tx, m *message.Message) error {
		mine, err := mailed(tx, r.id, m.ID)
		if err == nil && !mine {
			err = errMailed
		}
		return err
	})
	if err == nil || errors.Is(err, errMailed) {
		return nil
	}
	_, failed := s.postponed(ctx, r, s.o.Now().Add(mailRetry<<min(r.tries, 6)), r.tries+1)
	return errors.Join(err, failed)
}

func (s *Service) request(r *row, a *account.Account) *message.Request {
	by := r.startedBy
	if by == "" {
		by = a.Lang.T("pairing.mail.operator")
	}
	number := phone.Shown(r.address)
	return &message.Request{
		To: a.Email, Channel: gateway.Email, Source: message.SourceNotice,
		Content: message.Content{
			Subject: a.Lang.T("pairing.mail.subject", number),
			Text:    a.Lang.T("pairing.mail.text", a.Name, number, by, r.endedAt.UTC().Format("2006-01-02 15:04 UTC"), s.o.URL+"/dashboard/senders/"+r.senderID, mail.Host(s.o.URL)),
		},
	}
}
