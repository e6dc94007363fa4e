package inbox

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/webhooks"
)

const (
	mediaPoll    = time.Second
	mediaAtOnce  = 4 // concurrent fetches per gateway
	maxDeletedTx = 16 << 20
)

// An outcome is the result of fetching an attachment.
type outcome struct {
	reason string // the reason why it is missing; empty: it is stored
	size   int64
	kind   string
	shown  bool
}

func (o *outcome) state() string {
	if o.reason != "" {
		return mediaMissing
	}
	return mediaStored
}

// errLost reports that another process has taken the claim, or that the message was deleted.
var errLost = errors.New("inbox: the claim is lost")

// RunMedia fetches attachments until ctx ends, several of each gateway concurrently, so that a slow gateway does not delay others.
func (b *Inbox) RunMedia(ctx context.Context) error {
	tick := time.NewTicker(mediaPoll)
	defer tick.Stop()
	var work sync.WaitGroup
	defer work.Wait()
	if b.o.DB.Engine() == db.SQLite { // only this process can have had claims, before a crash
		now := db.Ms(b.o.Now())
		if err := b.o.DB.Write(ctx, func(tx *db.Tx) error { return releaseAll(tx, now) }); err != nil && ctx.Err() == nil {
			b.o.Log.Error("releasing the claims of attachments", "err", err)
		}
	}
	slots := map[string]chan struct{}{}
	for {
		names, err := dueGateways(b.o.DB.Read(ctx), db.Ms(b.o.Now()))
		if err != nil && ctx.Err() == nil {
			b.o.Log.Error("looking for attachments to fetch", "err", err)
		}
		for _, name := range names {
			slot := slots[name]
			if slot == nil {
				slot = make(chan struct{}, mediaAtOnce)
				slots[name] = slot
			}
			for range mediaAtOnce - len(slot) {
				slot <- struct{}{}
				work.Go(func() {
					defer func() { <-slot }()
					if err := b.fetchFrom(ctx, name); err != nil && ctx.Err() == nil {
						b.o.Log.Error("fetching attachments", "gateway", name, "err", err)
					}
				})
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-b.mediaDue:
		}
	}
}

// FetchMedia fetches the attachments that are due.
func (b *Inbox) FetchMedia(ctx context.Context) error {
	names, err := dueGateways(b.o.DB.Read(ctx), db.Ms(b.o.Now()))
	for _, name := range names {
		err = errors.Join(err, b.fetchFrom(ctx, name))
	}
	return err
}

// fetchFrom fetches a gateway's attachments until none is due.
func (b *Inbox) fetchFrom(ctx context.Context, name string) error {
	for ctx.Err() == nil {
		ids, err := dueMedia(b.o.DB.Read(ctx), name, db.Ms(b.o.Now()))
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, mediaID := range ids {
			if err := b.fetch(ctx, mediaID); err != nil {
				return err
			}
		}
	}
	return nil
}

// fetch claims an attachment, fetches it, and stores the result.
func (b *Inbox) fetch(ctx context.Context, mediaID string) error {
	now := b.o.Now()
	var f fetched
	claimed, full := false, false
	claim := id.New(now)
	err := b.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if f, claimed, err = claimMedia(tx, mediaID, claim, db.Ms(now), db.Ms(now.Add(mediaLease))); err != nil || !claimed {
			return err
		}
		used, err := mediaSize(&tx.Query, f.accountID)
		full = used >= b.o.Media.AccountSize
		return err
	})
	if err != nil || !claimed {
		return err
	}
	switch {
	case full:
		return b.settle(ctx, &f, &outcome{reason: gateway.MediaAccountFull})
	case f.tries > mediaTries: // every try was interrupted by a crash
		return b.settle(ctx, &f, &outcome{reason: gateway.MediaUnavailable})
	}
	o, err := b.download(ctx, &f)
	failure, isFailure := errors.AsType[*gateway.Error](err)
	switch {
	case err == nil:
		return b.settle(ctx, &f, o)
	case ctx.Err() != nil:
		return b.o.DB.Write(context.WithoutCancel(ctx), func(tx *db.Tx) error { return releaseMedia(tx, &f, db.Ms(now), false) })
	case errors.Is(err, errLost):
		return nil
	case !isFailure: // a database error; the next process that claims it tries again
		return err
	case failure.Class == gateway.RateLimited && b.o.Now().Sub(db.At(f.at)) < mediaPostponed:
		return b.postpone(ctx, &f, min(max(failure.RetryAfter, time.Second), time.Hour))
	case failure.Class == gateway.Permanent || f.tries >= mediaTries:
		b.o.Log.Warn("an attachment can't be fetched", "gateway", f.gateway, "code", failure.Code, "providerCode", failure.ProviderCode)
		return b.settle(ctx, &f, &outcome{reason: gateway.MediaUnavailable})
	}
	return b.o.DB.Write(ctx, func(tx *db.Tx) error {
		return releaseMedia(tx, &f, db.Ms(b.o.Now().Add(mediaPause(f.tries))), true)
	})
}

var errUnavailable = &gateway.Error{Class: gateway.Temporary, Code: "media_unavailable"}

// download stores an attachment chunk by chunk. Its error is a *[gateway.Error], [errLost], or an error of the database.
func (b *Inbox) download(ctx context.Context, f *fetched) (*outcome, error) {
	source, err := b.media.Open(f.source, f.id)
	if err != nil {
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "media_unreadable"}
	}
	opener := b.opener(f.gateway)
	if opener == nil { // the gateway might be opened again
		return nil, errUnavailable
	}
	limited, cancel := context.WithTimeout(ctx, mediaTime)
	defer cancel()
	stalled := time.AfterFunc(mediaStall, cancel)
	defer stalled.Stop()
	body, err := opener.OpenMedia(limited, string(source), b.o.Media.Public)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	o, chunk := &outcome{}, make([]byte, chunkSize)
	for n := 0; ; n++ {
		stalled.Reset(mediaStall)
		read, err := io.ReadFull(body, chunk)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) || o.size+int64(read) == 0 {
			return nil, errUnavailable
		}
		if o.size += int64(read); o.size > b.o.Media.MaxSize {
			return &outcome{reason: gateway.MediaTooLarge}, nil
		}
		if n == 0 {
			o.kind, o.shown = kindOf(chunk[:read], f.fileName, f.declared)
		}
		if read > 0 {
			if err := b.storeChunk(ctx, f, n, b.media.Seal(chunk[:read], chunkName(f.id, n))); err != nil {
				return nil, err
			}
		}
		if read < chunkSize {
			return o, nil
		}
	}
}

func (b *Inbox) storeChunk(ctx context.Context, f *fetched, n int, sealed string) error {
	held := false
	err := b.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if held, err = renewClaim(tx, f, db.Ms(b.o.Now().Add(mediaLease))); err != nil || !held {
			return err
		}
		return insertChunk(tx, f.id, n, sealed)
	})
	if err == nil && !held {
		err = errLost
	}
	return err
}

// held returns the event that waits for an attachment, or nil.
func (b *Inbox) held(f *fetched) *webhooks.Event {
	if f.event == "" {
		return nil
	}
	body, err := b.media.Open(f.event, f.id)
	if err != nil { // it was encrypted with another master key and can never be decrypted
		b.o.Log.Error("the event of a received message can't be opened", "err", err)
		return nil
	}
	return &webhooks.Event{AccountID: f.accountID, Type: webhooks.MessageReceived, Body: string(body)}
}

// postpone waits for a gateway that provides no attachments for a while. The event goes first if it would have to wait for
// longer than an attachment takes otherwise, and again with the attachment.
func (b *Inbox) postpone(ctx context.Context, f *fetched, wait time.Duration) error {
	now := b.o.Now()
	var early *webhooks.Event
	if wait > mediaPause(mediaTries) && f.announced == 0 {
		early = b.held(f)
	}
	return b.o.DB.Write(ctx, func(tx *db.Tx) error {
		mine, err := postponeMedia(tx, f, db.Ms(now.Add(wait)), early != nil)
		if err != nil || !mine || early == nil {
			return err
		}
		return webhooks.Insert(tx, b.o.Signal, early.WithMedia("", "", MediaPending, now))
	})
}

// settle stores the result for an attachment, with the event that has waited for it.
func (b *Inbox) settle(ctx context.Context, f *fetched, o *outcome) error {
	now := b.o.Now()
	held := b.held(f)
	return b.o.DB.Write(ctx, func(tx *db.Tx) error {
		became := *o
		if err := lockState(tx, f.accountID); err != nil {
			return err
		}
		used, err := mediaSize(&tx.Query, f.accountID)
		if err != nil {
			return err
		}
		if became.reason == "" && used+became.size > b.o.Media.AccountSize {
			became = outcome{reason: gateway.MediaAccountFull}
		}
		if became.reason != "" {
			became.size, became.kind, became.shown = 0, "", false
		}
		mine, err := settleMedia(tx, f, &became)
		if err != nil || !mine {
			return err
		}
		address := b.o.Media.URL + MediaPath(f.id)
		if became.reason != "" {
			address = ""
			if err := deleteChunks(tx, f.id); err != nil {
				return err
			}
		}
		if held == nil {
			return nil
		}
		return webhooks.Insert(tx, b.o.Signal, held.WithMedia(address, became.kind, became.reason, now))
	})
}

// SweepMedia deletes the attachments of deleted messages, some megabytes per transaction.
func SweepMedia(ctx context.Context, d *db.DB) error {
	for {
		ids, sizes, err := deletedMedia(d.Read(ctx))
		if err != nil || len(ids) == 0 {
			return err
		}
		n := 0
		for sum := int64(0); n < len(ids) && (n == 0 || sum+sizes[n] <= maxDeletedTx); n++ {
			sum += max(sizes[n], 1<<20) // an attachment that was being fetched also has chunks
		}
		if err := d.Write(ctx, func(tx *db.Tx) error {
			for _, mediaID := range ids[:n] {
				if err := deleteMedia(tx, mediaID); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
}
