package inbox

import (
	"context"
	"sync"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/account"
)

const (
	readsPoll    = time.Second
	readsTries   = 5
	readsTime    = 10 * time.Second // time limit of one call
	readsLease   = 20 * time.Second // lifetime of a claim
	readsSenders = 256              // maximum number of senders whose gateways are notified concurrently
)

// readsPause returns the pause after a number of tries.
func readsPause(tries int64) time.Duration {
	return [...]time.Duration{2 * time.Second, 10 * time.Second, time.Minute, 5 * time.Minute}[min(tries, readsTries-1)-1]
}

// reads are the messages of a conversation that were marked as read, for notifying a gateway.
type reads struct {
	conversation, senderID, accountID, claim string
	phone, contactID                         string // of the contact; either can be empty
	from, to, at, tries                      int64
}

// RunReads notifies gateways of messages that were marked as read, until ctx ends. It handles the conversations of
// each sender one after another, so that a slow gateway does not delay others. After a restart, it continues with the
// stored marks.
func (b *Inbox) RunReads(ctx context.Context) error {
	tick := time.NewTicker(readsPoll)
	defer tick.Stop()
	var work sync.WaitGroup
	defer work.Wait()
	var busy sync.Map
	for {
		senders, err := dueReaders(b.o.DB.Read(ctx), db.Ms(b.o.Now()))
		if err != nil && ctx.Err() == nil {
			b.o.Log.Error("looking for what was read", "err", err)
		}
		for _, senderID := range senders {
			if _, there := busy.LoadOrStore(senderID, true); there {
				continue
			}
			work.Go(func() {
				defer busy.Delete(senderID)
				if err := b.notifyReads(ctx, senderID); err != nil && ctx.Err() == nil {
					b.o.Log.Error("telling a gateway what was read", "senderId", senderID, "err", err)
				}
			})
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-b.readsDue:
		}
	}
}

// NotifyReads notifies the gateways of all due marks.
func (b *Inbox) NotifyReads(ctx context.Context) error {
	senders, err := dueReaders(b.o.DB.Read(ctx), db.Ms(b.o.Now()))
	for _, senderID := range senders {
		if err == nil {
			err = b.notifyReads(ctx, senderID)
		}
	}
	return err
}

// notifyReads notifies a sender's gateway of its due marks.
func (b *Inbox) notifyReads(ctx context.Context, senderID string) error {
	for ctx.Err() == nil {
		now := b.o.Now()
		r := reads{senderID: senderID, claim: id.New(now)}
		claimed := false
		if err := b.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
			claimed, err = claimReads(tx, &r, db.Ms(now), db.Ms(now.Add(readsLease)))
			return err
		}); err != nil || !claimed {
			return err
		}
		if err := b.notify(ctx, &r); err != nil {
			return err
		}
	}
	return nil
}

// notify notifies a gateway once, and deletes the marks that the gateway has accepted or will never accept.
func (b *Inbox) notify(ctx context.Context, r *reads) error {
	failure, err := b.markAtGateway(ctx, r)
	if err != nil {
		return err
	}
	done := failure == nil || failure.Class == gateway.Permanent || r.tries >= readsTries
	if ctx.Err() != nil && !done { // the call was interrupted; this process or the next one repeats it
		return b.o.DB.Write(context.WithoutCancel(ctx), func(tx *db.Tx) error { return releaseReads(tx, r, db.Ms(b.o.Now()), false) })
	}
	if done && failure != nil {
		b.o.Log.Warn("a gateway was not told what was read", "senderId", r.senderID, "conversationId", r.conversation, "code", failure.Code, "providerCode", failure.ProviderCode)
	}
	return b.o.DB.Write(context.WithoutCancel(ctx), func(tx *db.Tx) error {
		if done {
			return deleteReads(tx, r)
		}
		return releaseReads(tx, r, db.Ms(b.o.Now().Add(readsPause(r.tries))), true)
	})
}

// markAtGateway calls the gateway of each number that received the messages. If one call fails, all are repeated.
func (b *Inbox) markAtGateway(ctx context.Context, r *reads) (*gateway.Error, error) {
	bySender, err := readIDs(b.o.DB.Read(ctx), r)
	if err != nil {
		return nil, err
	}
	var first *gateway.Error
	for senderID, ids := range bySender {
		s, err := b.senderByID(ctx, r.accountID, senderID)
		if err != nil {
			return nil, err
		}
		if s == nil { // the sender was removed
			continue
		}
		if failure := b.callReader(ctx, s, &gateway.Read{Channel: s.Channel, From: s.Address, To: r.phone, ToID: r.contactID, IDs: ids, At: db.At(r.at)}); failure != nil && (first == nil || first.Class == gateway.Permanent) {
			first = failure
		}
	}
	return first, nil
}

// callReader calls a sender's gateway, if it is a [gateway.Reader].
func (b *Inbox) callReader(ctx context.Context, s *account.Sender, read *gateway.Read) *gateway.Error {
	g := b.o.Gateway(s.Gateway)
	if g == nil {
		return &gateway.Error{Class: gateway.Temporary, Code: "gateway_not_open"}
	}
	reader, ok := g.(gateway.Reader)
	if !ok {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, readsTime)
	defer cancel()
	if err := reader.MarkRead(limited, read); err != nil {
		return gateway.AsError(err)
	}
	return nil
}

func (b *Inbox) senderByID(ctx context.Context, accountID, senderID string) (*account.Sender, error) {
	a, err := b.o.Directory.Account(ctx, accountID)
	if err != nil || a == nil {
		return nil, err
	}
	for i := range a.Senders {
		if a.Senders[i].ID == senderID {
			return &a.Senders[i], nil
		}
	}
	return nil, nil //nolint:nilnil // missing reads are not an error
}
