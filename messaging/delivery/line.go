package delivery

import (
	"container/heap"
	"slices"
	"time"

	"example.com/griot/messaging/outbox"
)

// A line contains the messages of one order key.
type line struct {
	key            string
	busy           bool      // one of them is in flight
	undecided      int       // number of those that might be submitted again before the others
	otherNodeUntil time.Time // time until which another node might be submitting one of them; after it, a read finds that message
	pacedUntil     time.Time // because of the gateway's pace for one recipient
	waiting        []outbox.Entry
	index          int // in the heap; -1: not in the heap
}

// A delayed is a code that must not be sent before a time.
type delayed struct {
	entry     outbox.Entry
	notBefore time.Time
}

// A lineHeap is a heap of lines, sorted by the sequence numbers of their first messages.
type lineHeap []*line

func (h lineHeap) Len() int           { return len(h) }
func (h lineHeap) Less(i, j int) bool { return h[i].waiting[0].Seq < h[j].waiting[0].Seq }
func (h lineHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements [heap.Interface].
func (h *lineHeap) Push(x any) {
	l := x.(*line) //nolint:forcetypeassert // only lines are pushed
	l.index = len(*h)
	*h = append(*h, l)
}

// Pop implements [heap.Interface].
func (h *lineHeap) Pop() any {
	old := *h
	l := old[len(old)-1]
	old[len(old)-1] = nil
	l.index = -1
	*h = old[:len(old)-1]
	return l
}

// isOutdated reports whether the turn of an entry's message ended after the read of the entry had started. Such a message
// would use a place in the gateway's pace although it has probably changed, so the worker reads again. late are the order
// keys of outdated entries of the same read. What is behind them is also outdated, because they might come first again.
func (w *worker) isOutdated(entry outbox.Entry, late map[string]bool) bool {
	if _, ended := w.ended[entry.ID]; !ended && !late[entry.OrderKey] {
		return false
	}
	late[entry.OrderKey] = entry.OrderKey != ""
	w.allRead, w.readAgain, w.mayHaveDue, w.pausedReadAt = false, true, true, time.Time{}
	w.signal()
	return true
}

// mustNotAdd reports whether an entry that was read is already held.
func (w *worker) mustNotAdd(entry outbox.Entry) bool {
	_, there := w.held[entry.ID]
	if there { // a paused sender's due messages must be read again immediately when they are released, not only after pausedWait
		w.pausedReadAt = time.Time{}
	}
	return there || w.closed
}

// add adds an entry at its place, unless [worker.mustNotAdd] returns true.
func (w *worker) add(entry outbox.Entry) {
	if w.mustNotAdd(entry) {
		return
	}
	if entry.OrderKey == "" {
		w.held[entry.ID] = struct{}{}
		w.codes = insertEntry(w.codes, entry)
		return
	}
	l := w.line(entry.OrderKey)
	if len(l.waiting) >= maxLine {
		w.full[l.key] = true
		if last := l.waiting[len(l.waiting)-1]; last.Seq < entry.Seq {
			return
		}
		delete(w.held, l.waiting[len(l.waiting)-1].ID)
		l.waiting = l.waiting[:len(l.waiting)-1]
	}
	w.held[entry.ID] = struct{}{}
	l.waiting = insertEntry(l.waiting, entry)
	w.reposition(l)
}

func insertEntry(entries []outbox.Entry, entry outbox.Entry) []outbox.Entry {
	i, _ := slices.BinarySearchFunc(entries, entry, func(a, b outbox.Entry) int {
		switch {
		case a.Seq < b.Seq:
			return -1
		case a.Seq > b.Seq:
			return 1
		}
		return 0
	})
	for i < len(entries) && entries[i].Seq == entry.Seq { // old rows have no sequence numbers and stay in the order of reading
		i++
	}
	return slices.Insert(entries, i, entry)
}

func (w *worker) line(key string) *line {
	l := w.lines[key]
	if l == nil {
		l = &line{key: key, index: -1}
		w.lines[key] = l
	}
	return l
}

// reposition adds a line to readyLines or removes it, depending on whether its first message can be sent.
func (w *worker) reposition(l *line) {
	now := w.s.o.Now()
	free := !l.busy && l.undecided == 0 && len(l.waiting) > 0 && l.otherNodeUntil.IsZero() && !now.Before(l.pacedUntil)
	switch {
	case free && l.index < 0:
		heap.Push(&w.readyLines, l)
	case free:
		heap.Fix(&w.readyLines, l.index)
	case l.index >= 0:
		heap.Remove(&w.readyLines, l.index)
	}
	if !l.busy && l.undecided == 0 && len(l.waiting) == 0 && l.otherNodeUntil.IsZero() && !now.Before(l.pacedUntil) {
		delete(w.lines, l.key)
		delete(w.postponed, l)
	}
}

// endWaits releases lines and codes whose wait has ended.
func (w *worker) endWaits(now time.Time) {
	w.delayed = slices.DeleteFunc(w.delayed, func(d delayed) bool {
		if now.Before(d.notBefore) {
			return false
		}
		w.codes = insertEntry(w.codes, d.entry)
		return true
	})
	for l := range w.postponed {
		if !l.otherNodeUntil.IsZero() && !now.Before(l.otherNodeUntil) && !w.mayHaveDue {
			w.mayHaveDue = true
			w.signal()
		}
		if !now.Before(l.pacedUntil) {
			l.pacedUntil = time.Time{}
		}
		if l.otherNodeUntil.IsZero() && l.pacedUntil.IsZero() {
			delete(w.postponed, l)
		}
		w.reposition(l)
	}
}

// endOtherNode releases the lines whose message of another node was due at the start of a read, which has handled it.
func (w *worker) endOtherNode(read time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for l := range w.postponed {
		if !l.otherNodeUntil.IsZero() && !read.Before(l.otherNodeUntil) {
			l.otherNodeUntil = time.Time{}
			w.signal()
		}
	}
}
