package outbox

import (
	"cmp"
	"slices"

	"example.com/griot/internal/db"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/counts"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/person"
	"example.com/griot/messaging/quota"
	"example.com/griot/messaging/webhooks"
)

// An acceptOp is one call of [Store.Accept].
type acceptOp struct {
	items         []*Acceptance
	stopAtRefusal bool

	operation // on PostgreSQL
}

// beforeRepeatedKey returns the number of operations that can share a transaction: those before an idempotency key is repeated.
func beforeRepeatedKey(batch []*acceptOp) int {
	seen := map[accountKey]int{}
	for i, o := range batch {
		for _, a := range o.items {
			if first, again := seen[a.accountKey()]; again && first != i {
				return i
			}
			if a.Key != "" {
				seen[a.accountKey()] = i
			}
		}
	}
	return len(batch)
}

type accountKey struct{ account, key string }

func (a *Acceptance) accountKey() accountKey { return accountKey{a.Message.AccountID, a.Key} }

// A counter identifies a row of recipient_counts, or of quotas if recipient is empty.
type counter struct {
	account, recipient string
	day                int64
}

// rows reads and writes the data of a batch of acceptances, and marks messages, with the statements of one engine. The
// results of the first five methods, and of begin, are available after [db.Tx.Flush]. The rows that were read stay
// locked until the commit.
type rows interface {
	insertKeys(b *acceptBatch, keyed []*Acceptance) error   // sets b.keyFree
	sweptKeys(b *acceptBatch, keyed []*Acceptance) error    // sets b.swept
	readCounters(b *acceptBatch, of []counter) error        // sets b.used and b.written
	accountStates(b *acceptBatch, ids []string) error       // with noteAccount
	blocked(b *acceptBatch) error                           // sets b.blocked
	inConversations(b *acceptBatch, of []*Acceptance) error // sets b.inConversation
	optedOut(b *acceptBatch, of []possibleOptOut) error     // sets b.optedOut
	writeCounters(b *acceptBatch, changed []counter) error  // writes b.used
	insertMessages(items []*Acceptance) error               // in the order of their acceptance
	begin(all []*Begin) error                               // sets Begun
}

// acceptBatch is a batch of acceptances in their transaction.
type acceptBatch struct {
	tx             *db.Tx
	rows           rows
	signal         *webhook.Signal // for events
	sweptKeys      *message.SweptKeys
	items          []*Acceptance
	keyFree        map[string]bool            // IDs of messages whose key was unused
	swept          map[string]bool            // IDs of messages whose key belongs to a deleted message
	keyHolders     map[accountKey]*Acceptance // by the keys that this batch has inserted
	used           map[counter]int64          // of the daily quotas and limits, including this batch
	written        map[counter]int64          // the stored part of used
	unusable       map[string]Refusal         // by the IDs of closed or suspended accounts
	hasOptOuts     map[string]bool            // IDs of accounts with opt-outs
	optedOut       map[string]bool            // IDs of messages that do not start, because their recipient has opted out
	blocked        map[string]bool            // IDs of messages behind an earlier stored message of their order key that waits
	waiting        map[queue]bool             // order keys for which this batch has stored a waiting message
	inConversation map[string]bool            // IDs of messages whose recipient has a conversation in the inbox
}

// A queue identifies the messages of a sender that are sent in the order of their acceptance.
type queue struct{ sender, orderKey string }

// acceptAll stores acceptances. It locks their keys, then their quotas and limits, in an order that is the same for
// every caller. Then it decides about one after another, and inserts the accepted ones. The caller writes log.
func (s *Store) acceptAll(tx *db.Tx, r rows, ops []*acceptOp, log *counts.Log) error {
	b := &acceptBatch{
		tx: tx, rows: r, signal: s.signal, sweptKeys: s.sweptKeys, keyFree: map[string]bool{}, swept: map[string]bool{}, keyHolders: map[accountKey]*Acceptance{}, used: map[counter]int64{}, written: map[counter]int64{},
		unusable: map[string]Refusal{}, hasOptOuts: map[string]bool{}, optedOut: map[string]bool{}, blocked: map[string]bool{}, waiting: map[queue]bool{}, inConversation: map[string]bool{},
	}
	wantsToBegin, leaseHeld := false, false
	for _, o := range ops {
		b.items = append(b.items, o.items...)
		for _, a := range o.items {
			a.setStatus(false)
			a.Refusal, a.Used = Stored, 0
			wantsToBegin = wantsToBegin || !a.BeginUntil.IsZero()
		}
	}
	if wantsToBegin {
		if err := s.node.fence(tx, &leaseHeld); err != nil {
			return err
		}
	}
	if err := b.findPersons(); err != nil {
		return err
	}
	if err := b.read(wantsToBegin); err != nil {
		return err
	}
	if err := b.readOptOuts(s.people); err != nil {
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
				a.setStatus(leaseHeld && b.mayBegin(a))
				if wantsToBegin {
					b.noteWaiting(a.Message)
				}
				stored = append(stored, a)
			}
			skipping = skipping || (o.stopAtRefusal && a.Refusal != Stored && a.Refusal != KeyTaken)
		}
	}
	for _, a := range stored {
		log.Accepted(a.Message)
	}
	return b.insert(stored)
}

// mayBegin reports whether a message has a turn and no earlier message of its order key waits.
func (b *acceptBatch) mayBegin(a *Acceptance) bool {
	m := a.Message
	return !a.BeginUntil.IsZero() && !b.blocked[m.ID] && !b.optedOut[m.ID] && !b.waiting[queue{m.SenderID, m.OrderKey()}]
}

// noteWaiting records that a stored message waits, so that no later one of the batch overtakes it. A message whose
// recipient has opted out is never sent, so it does not delay others.
func (b *acceptBatch) noteWaiting(m *message.Message) {
	if key := m.OrderKey(); m.Status == message.Queued && key != "" && !b.optedOut[m.ID] {
		b.waiting[queue{m.SenderID, key}] = true
	}
}

// findPersons sets the person of each recipient and of each route's address.
func (b *acceptBatch) findPersons() error {
	forms := map[string][]string{} // of accounts with aliases
	for _, a := range b.items {
		m := a.Message
		a.recipient = person.Form(m.Recipient())
		if a.person = a.recipient; m.Address != m.Recipient() {
			a.person = person.Form(m.Address)
		}
		if a.HasAliases {
			forms[m.AccountID] = append(forms[m.AccountID], a.recipient, a.person)
		}
	}
	for accountID, list := range forms {
		found, err := person.FindAll(&b.tx.Query, accountID, list)
		if err != nil {
			return err
		}
		for _, a := range b.items {
			if a.Message.AccountID == accountID {
				a.recipient, a.person = cmp.Or(found[a.recipient], a.recipient), cmp.Or(found[a.person], a.person)
			}
		}
	}
	return nil
}

// read inserts the idempotency keys and reads the data for the decisions.
func (b *acceptBatch) read(wantsToBegin bool) error {
	var keyed, inInbox []*Acceptance
	for _, a := range b.items {
		if a.Key == "" {
			b.keyFree[a.Message.ID] = true
		} else {
			keyed = append(keyed, a)
		}
		if inbox.Eligible(a.Message) {
			inInbox = append(inInbox, a)
		}
	}
	slices.SortStableFunc(keyed, func(x, y *Acceptance) int {
		return cmp.Or(cmp.Compare(x.Message.AccountID, y.Message.AccountID), cmp.Compare(x.Key, y.Key))
	})
	if err := b.readKeys(keyed); err != nil {
		return err
	}
	if err := b.rows.readCounters(b, b.counters(func(a *Acceptance) (counter, bool) { return quotaCounter(a), true })); err != nil {
		return err
	}
	if caps := b.counters(recipientCounter); len(caps) > 0 {
		if err := b.rows.readCounters(b, caps); err != nil {
			return err
		}
	}
	if err := b.rows.accountStates(b, b.accounts()); err != nil { // after the locks, which might have caused a wait
		return err
	}
	if wantsToBegin {
		if err := b.rows.blocked(b); err != nil {
			return err
		}
	}
	if len(inInbox) > 0 {
		if err := b.rows.inConversations(b, inInbox); err != nil {
			return err
		}
	}
	if err := b.tx.Flush(); err != nil {
		return err
	}
	return b.settleKeys(keyed)
}

// accounts returns the ids of the batch's accounts.
func (b *acceptBatch) accounts() []string {
	var ids []string
	for _, a := range b.items {
		if !slices.Contains(ids, a.Message.AccountID) {
			ids = append(ids, a.Message.AccountID)
		}
	}
	return ids
}

// noteAccount records the state that was read of an account.
func (b *acceptBatch) noteAccount(id string, of accountState) {
	switch {
	case of.closed:
		b.unusable[id] = AccountClosed
	case of.suspended:
		b.unusable[id] = AccountSuspended
	}
	b.hasOptOuts[id] = of.hasOptOuts
}

// counters returns the rows in which the batch's messages are counted, in the order in which they are locked.
func (b *acceptBatch) counters(of func(*Acceptance) (counter, bool)) []counter {
	seen := map[counter]bool{}
	var rows []counter
	for _, a := range b.items {
		if r, counts := of(a); counts && !seen[r] {
			seen[r] = true
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(x, y counter) int {
		return cmp.Or(cmp.Compare(x.account, y.account), cmp.Compare(x.recipient, y.recipient), cmp.Compare(x.day, y.day))
	})
	return rows
}

func quotaCounter(a *Acceptance) counter {
	return counter{account: a.Message.AccountID, day: quota.Day(a.Message.CreatedAt)}
}

func recipientCounter(a *Acceptance) (counter, bool) {
	return counter{a.Message.AccountID, a.recipient, quota.Day(a.Message.CreatedAt)}, a.RecipientCap > 0 && a.Message.Status != message.Sandbox
}

// decide sets an acceptance's refusal or counts its message.
func (b *acceptBatch) decide(a *Acceptance, skip bool) error {
	q := quotaCounter(a)
	r, capped := recipientCounter(a)
	switch {
	case skip:
		a.Refusal = Skipped
	case !b.keyFree[a.Message.ID]:
		if first := b.keyHolders[a.accountKey()]; first != nil && first.Refusal != Stored { // its key will be deleted again
			a.Refusal = first.Refusal
			return nil
		}
		return a.resolveTakenKey(b.tx, b.sweptKeys)
	case b.unusable[a.Message.AccountID] != Stored:
		a.Refusal = b.unusable[a.Message.AccountID]
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

// insert writes the accepted messages and deletes the keys of the refused ones.
func (b *acceptBatch) insert(stored []*Acceptance) error {
	if err := b.deleteKeys(); err != nil {
		return err
	}
	var changed []counter
	for r, used := range b.used {
		if used != b.written[r] {
			changed = append(changed, r)
		}
	}
	if len(changed) > 0 {
		if err := b.rows.writeCounters(b, changed); err != nil {
			return err
		}
	}
	if err := b.joinConversations(stored); err != nil {
		return err
	}
	if err := b.rows.insertMessages(stored); err != nil {
		return err
	}
	for _, a := range stored {
		for _, e := range a.Events {
			if err := webhooks.Insert(b.tx, b.signal, e); err != nil {
				return err
			}
		}
		if a.AlsoStore == nil {
			continue
		}
		if err := a.AlsoStore(b.tx, a.Message); err != nil {
			return err
		}
	}
	return nil
}

// joinConversations adds messages to the existing conversations of their recipients, account by account.
func (b *acceptBatch) joinConversations(stored []*Acceptance) error {
	var shown []*Acceptance
	for _, a := range stored {
		a.Message.ConversationID = ""
		if b.inConversation[a.Message.ID] {
			shown = append(shown, a)
		}
	}
	slices.SortStableFunc(shown, func(x, y *Acceptance) int { return cmp.Compare(x.Message.AccountID, y.Message.AccountID) })
	for _, a := range shown {
		if err := inbox.AddToConversation(b.tx, a.Message, a.person); err != nil {
			return err
		}
	}
	return nil
}
