package history

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// writings are the events of one message that a person has written.
type writings struct {
	written          int // -1: no phone has written it
	stored, received []int
}

// checkInbox compares what people's phones have written with the inbox and with the deliveries to the account's endpoint.
// Each message that the gateway has acknowledged is stored once, in the order of the phone, and delivered under one id. One
// that WhatsApp has dropped can be stored, too.
func (c *checker) checkInbox() {
	byContent := map[string]*writings{}
	of := func(content string) *writings {
		w := byContent[content]
		if w == nil {
			w = &writings{written: -1}
			byContent[content] = w
		}
		return w
	}
	for _, i := range c.all(Written) {
		of(c.h[i].Content).written = i
	}
	for _, i := range c.all(Stored) {
		w := of(c.h[i].Content)
		w.stored = append(w.stored, i)
	}
	for _, i := range c.all(Received) {
		w := of(c.h[i].Content)
		w.received = append(w.received, i)
	}
	for _, content := range slices.Sorted(maps.Keys(byContent)) {
		c.checkWritten(content, byContent[content])
	}
	c.checkConversations(byContent)
}

// checkWritten checks one message of a person.
func (c *checker) checkWritten(content string, w *writings) {
	switch {
	case w.written < 0:
		c.report(RuleInvented, fmt.Sprintf("%q came, and no one has written it", content), append(w.stored, w.received...)...)
	case len(w.stored) == 0 && c.h[w.written].Result == Accepted:
		c.report(RuleLost, fmt.Sprintf("%q was acknowledged, and is not in the inbox", content), w.written)
	case len(w.stored) > 1:
		c.report(RuleDoubled, fmt.Sprintf("%q is in the inbox %d times", content, len(w.stored)), append([]int{w.written}, w.stored...)...)
	case len(w.stored) == 1 && len(w.received) == 0:
		c.report(RuleLost, fmt.Sprintf("%q is in the inbox, and no event said so", content), w.written, w.stored[0])
	}
	for _, i := range w.received {
		if before := w.received[0]; c.h[i].Message != c.h[before].Message || c.h[i].ID != c.h[before].ID {
			c.report(RuleDoubled, fmt.Sprintf("%q was delivered under two ids", content), before, i)
		}
		if len(w.stored) == 1 && c.h[i].Message != c.h[w.stored[0]].Message {
			c.report(RuleDoubled, fmt.Sprintf("%q was delivered as another message than that of the inbox", content), w.stored[0], i)
		}
	}
}

// checkConversations compares the order of each conversation with that of the person's phone.
func (c *checker) checkConversations(byContent map[string]*writings) {
	type conversation struct{ sender, person string }
	last := map[conversation]int{} // of the messages before, the one that was written last
	stored := c.all(Stored)
	slices.SortStableFunc(stored, func(a, b int) int { return cmp.Compare(c.h[a].Place, c.h[b].Place) })
	for _, i := range stored {
		written := byContent[c.h[i].Content].written
		if written < 0 {
			continue
		}
		key := conversation{c.h[i].Sender, c.h[i].To}
		before, ok := last[key]
		if ok && c.h[written].End < c.h[before].Begin {
			c.report(RuleOrder, fmt.Sprintf("%q was written before %q, and is after it in the inbox", c.h[written].Content, c.h[before].Content), written, before, i)
			continue
		}
		last[key] = written
	}
}
