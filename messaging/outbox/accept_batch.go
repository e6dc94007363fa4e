package outbox

import (
	"cmp"
	"slices"

	"griot/internal/db"
	"griot/messaging/events"
	"griot/messaging/inbox"
	"griot/messaging/message"
	"griot/messaging/quota"
)

// acceptOp is what one caller wants to have accepted.
type acceptOp struct {
	items []*Acceptance
	stop  bool
	err   error
	done  chan struct{}
}

// distinct is how many operations can go together: until an idempotency key comes again.
func distinct(batch []*acceptOp) int {
	seen := map[keyOf]int{}
	for i, o := range batch {
		for _, a := range o.items {
			if first, again := seen[a.keyOf()]; again && first != i {
				return i
			}
			if a.Key != "" {
				seen[a.keyOf()] = i
			}
		}
	}
	return len(batch)
}

type keyOf struct{ account, key string }

func (a *Acceptance) keyOf() keyOf { return keyOf{a.Message.AccountID, a.Key} }

// capOf is a row of recipient_counts; without a recipient, of quotas.
type capOf struct {
	account, recipient string
	day                int64
}

// rows is how an engine reads and writes what a batch of acceptances depends on, set by set. What it has read stays as
// it is until the commit.
type rows interface {
	keys(b *acceptance, keyed []*Acceptance) error       // notes whose idempotency key was free
	counts(b *acceptance, of []capOf) error              // notes what days' quotas and caps have
	count(b *acceptance, changed []capOf) error          // writes what they have now
	behind(items []*Acceptance) (map[string]bool, error) // ids of those before which another waits
	shown(items []*Acceptance) (map[string]bool, error)  // ids of those that have a conversation in the inbox
	messages(items []*Acceptance) error                  // inserts them, in the order in which they were accepted
	events(all []*events.Event) error
}

// acceptance is a batch of acceptances while it is decided about.
type acceptance struct {
	tx     *db.Tx
	rows   rows
	items  []*Acceptance
	fresh  map[string]bool       // ids of messages whose key was free
	holder map[keyOf]*Acceptance // whose the keys are
	used   map[capOf]int64       // what days' quotas and caps have, with what this batch takes
	before map[capOf]int64       // without it
}

// acceptAll stores acceptances: their keys, then their quotas and caps, are locked in one order by everybody; then it is
// decided about one after the other, and what was accepted is inserted. mayBegin: this node may hand messages over.
func acceptAll(tx *db.Tx, r rows, ops []*acceptOp, fence func(*db.Tx) (bool, error)) error {
	b := &acceptance{tx: tx, rows: r, fresh: map[string]bool{}, holder: map[keyOf]*Acceptance{}, used: map[capOf]int64{}, before: map[capOf]int64{}}
	begins := false
	for _, o := range ops {
		b.items = append(b.items, o.items...)
		for _, a := range o.items {
			a.set(false)
			a.Refusal, a.Used = Stored, 0
			begins = begins || !a.Until.IsZero()
		}
	}
	mine := false
	if begins {
		var err error
		if mine, err = fence(tx); err != nil {
			return err
		}
	}
	if err := b.lock(); err != nil {
		return err
	}
	var stored []*Acceptance
	for _, o := range ops {
		skipping := false
		for _, a := range o.items {
			if err := b.decide(a, skipping); err != nil {
				return err
			}
			if a.Refusal == Stored {
				stored = append(stored, a)
			}
			skipping = skipping || (o.stop && a.Refusal != Stored && a.Refusal != KeyTaken)
		}
	}
	behind := map[string]bool{}
	if mine {
		var err error
		if behind, err = r.behind(stored); err != nil {
			return err
		}
	}
	for _, a := range stored {
		a.set(mine && !a.Until.IsZero() && !behind[a.Message.ID])
	}
	return b.insert(stored)
}

// lock takes the keys, and reads the quotas and caps.
func (b *acceptance) lock() error {
	var keyed []*Acceptance
	for _, a := range b.items {
		if a.Key == "" {
			b.fresh[a.Message.ID] = true
		} else {
			keyed = append(keyed, a)
		}
	}
	if len(keyed) > 0 {
		slices.SortStableFunc(keyed, func(x, y *Acceptance) int {
			return cmp.Or(cmp.Compare(x.Message.AccountID, y.Message.AccountID), cmp.Compare(x.Key, y.Key))
		})
		if err := b.rows.keys(b, keyed); err != nil {
			return err
		}
		for _, a := range keyed {
			if b.fresh[a.Message.ID] {
				b.holder[a.keyOf()] = a
			}
		}
	}
	if err := b.rows.counts(b, b.distinct(func(a *Acceptance) (capOf, bool) { return quotaOf(a), true })); err != nil {
		return err
	}
	if caps := b.distinct(recipientOf); len(caps) > 0 {
		return b.rows.counts(b, caps)
	}
	return nil
}

// distinct returns the rows that the batch's messages count in, in the order in which everybody locks them.
func (b *acceptance) distinct(of func(*Acceptance) (capOf, bool)) []capOf {
	seen := map[capOf]bool{}
	var rows []capOf
	for _, a := range b.items {
		if r, counts := of(a); counts && !seen[r] {
			seen[r] = true
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(x, y capOf) int {
		return cmp.Or(cmp.Compare(x.account, y.account), cmp.Compare(x.recipient, y.recipient), cmp.Compare(x.day, y.day))
	})
	return rows
}

func quotaOf(a *Acceptance) capOf {
	return capOf{account: a.Message.AccountID, day: quota.Day(a.Message.CreatedAt)}
}

func recipientOf(a *Acceptance) (capOf, bool) {
	return capOf{a.Message.AccountID, a.Message.Recipient(), quota.Day(a.Message.CreatedAt)}, a.RecipientCap > 0 && a.Message.Status != message.Sandbox
}

// decide says what becomes of an acceptance, and counts it.
func (b *acceptance) decide(a *Acceptance, skip bool) error {
	q := quotaOf(a)
	r, capped := recipientOf(a)
	switch {
	case skip:
		a.Refusal = Skipped
	case !b.fresh[a.Message.ID]:
		if first := b.holder[a.keyOf()]; first != nil && first.Refusal != Stored { // it leaves no key behind
			a.Refusal = first.Refusal
			return nil
		}
		return a.meet(b.tx)
	case a.Message.Status == message.Sandbox:
		a.Used = b.used[q]
	case capped && b.used[r] >= a.RecipientCap:
		a.Refusal = RecipientFull
	case a.DailyLimit > 0 && b.used[q] >= a.DailyLimit:
		a.Refusal = NoQuota
	default:
		if capped {
			b.used[r]++
		}
		b.used[q]++
		a.Used, a.Message.ChargedDay = b.used[q], q.day
	}
	return nil
}

// insert writes what was accepted, and takes the keys of what was refused away again.
func (b *acceptance) insert(stored []*Acceptance) error {
	if err := b.forgetKeys(); err != nil {
		return err
	}
	var changed []capOf
	for r, used := range b.used {
		if used != b.before[r] {
			changed = append(changed, r)
		}
	}
	if err := b.rows.count(b, changed); err != nil {
		return err
	}
	if err := b.join(stored); err != nil {
		return err
	}
	if err := b.rows.messages(stored); err != nil {
		return err
	}
	var all []*events.Event
	for _, a := range stored {
		all = append(all, a.Events...)
	}
	if err := b.rows.events(all); err != nil {
		return err
	}
	for _, a := range stored {
		if a.Beside == nil {
			continue
		}
		if err := a.Beside(b.tx, a.Message); err != nil {
			return err
		}
	}
	return nil
}

func (b *acceptance) forgetKeys() error {
	for _, a := range b.items { // few: a refusal is rare
		if a.Key == "" || a.Refusal == Stored || !b.fresh[a.Message.ID] {
			continue
		}
		if _, err := b.tx.Exec(forgetKey, a.Message.AccountID, a.Key, a.Message.ID); err != nil {
			return err
		}
	}
	return nil
}

// join lets those messages appear in the inbox that have a conversation there, account by account.
func (b *acceptance) join(stored []*Acceptance) error {
	var candidates []*Acceptance
	for _, a := range stored {
		a.Message.ConversationID = ""
		if inbox.Shows(a.Message) {
			candidates = append(candidates, a)
		}
	}
	if len(candidates) == 0 {
		return nil
	}
	shown, err := b.rows.shown(candidates)
	if err != nil || len(shown) == 0 {
		return err
	}
	slices.SortStableFunc(candidates, func(x, y *Acceptance) int { return cmp.Compare(x.Message.AccountID, y.Message.AccountID) })
	for _, a := range candidates {
		if !shown[a.Message.ID] {
			continue
		}
		if err := inbox.Join(b.tx, a.Message); err != nil {
			return err
		}
	}
	return nil
}

// meet decides what a key is that was taken already: the repetition's, or another's.
func (a *Acceptance) meet(tx *db.Tx) error {
	a.Refusal = KeyTaken
	holder, err := message.Remembered(&tx.Query, a.Message.AccountID, a.Key)
	if err == nil && holder != nil && !holder.Replays(a.Message.ProjectID, a.Message.Status == message.Sandbox) {
		a.Refusal = KeyForeign
	}
	return err
}
