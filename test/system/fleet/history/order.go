package history

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// checkOrder compares the order of the first calls of messages from one sender to one recipient with that of their
// requests. A message must follow those that were acknowledged before it was first sent, and those before it in its
// batch. Otherwise, overlapping requests have no order.
// A message that waited for another attempt, or whose outcome was unknown for a time, can be overtaken.
func (c *checker) checkOrder() {
	lines := map[string][]*message{}
	for _, m := range c.sorted() {
		if m.send < 0 || len(m.taken) == 0 {
			continue
		}
		s := &c.h[m.send]
		lines[s.Sender+" "+s.To] = append(lines[s.Sender+" "+s.To], m)
	}
	for _, key := range slices.Sorted(maps.Keys(lines)) {
		c.checkLine(lines[key])
		c.checkBatches(lines[key])
	}
}

// first returns the start of the first request for a message. Its response might have been lost.
func (c *checker) first(m *message) int64 {
	s := &c.h[m.send]
	return c.asked[accountKey{s.Account, s.Key}]
}

// checkLine compares the messages of one sender to one recipient.
func (c *checker) checkLine(line []*message) {
	byEnd := slices.Clone(line)
	slices.SortStableFunc(line, func(a, b *message) int { return cmp.Compare(c.first(a), c.first(b)) })
	slices.SortStableFunc(byEnd, func(a, b *message) int { return cmp.Compare(c.h[a.send].End, c.h[b.send].End) })
	var last *message // of the previously acknowledged messages, the one with the latest call
	n := 0
	for _, m := range line {
		for ; n < len(byEnd) && c.h[byEnd[n].send].End < c.first(m); n++ {
			before := byEnd[n]
			if c.mayBeOvertaken(before) {
				continue
			}
			if last == nil || c.h[before.taken[0]].Begin > c.h[last.taken[0]].Begin {
				last = before
			}
		}
		if last != nil && c.h[last.taken[0]].Begin > c.h[m.taken[0]].Begin {
			c.report(RuleOrder, fmt.Sprintf("%s was answered before %s was sent, and was handed over after it", last.id, m.id), last.send, m.send, m.taken[0], last.taken[0])
		}
	}
}

// checkBatches compares the messages of one sender to one recipient with the order of their batches.
func (c *checker) checkBatches(line []*message) {
	slices.SortStableFunc(line, func(a, b *message) int { return cmp.Compare(c.h[a.send].Place, c.h[b.send].Place) })
	last := map[string]*message{} // of the previous messages of each batch, the one with the latest call
	for _, m := range line {
		batch := c.h[m.send].ID
		before := last[batch]
		switch {
		case batch == "":
		case before != nil && c.h[before.taken[0]].Begin > c.h[m.taken[0]].Begin:
			c.report(RuleOrder, fmt.Sprintf("%s was before %s in their batch, and was handed over after it", before.id, m.id), before.send, m.send, m.taken[0], before.taken[0])
		case !c.mayBeOvertaken(m):
			last[batch] = m
		}
	}
}

// mayBeOvertaken reports whether other messages can overtake a message.
func (c *checker) mayBeOvertaken(m *message) bool {
	return len(m.calls) > 1 || m.final >= 0 && c.h[m.final].Delayed
}
